# SPDX-License-Identifier: BSD-3-Clause
"""Real programs of all kinds, as shell scripts whose output and status are
always the same. $src is this directory, $made the one with compiled programs.

MADE is how a program is compiled: name, source, command. PROGRAMS are rows of
name, kind, programs that it needs, script. Kind is PLAIN, THREADS (it has
threads, or its run time system does), or either with LONG (for soak only).
"""
PLAIN, THREADS, LONG = 0, 1, 2

MADE = [
    ("pingpong", "cc -O2 -pthread -o $made/pingpong $src/pingpong.c"),
    ("spawn", "cc -O2 -pthread -o $made/spawn $src/spawn.c"),
    ("many-threads", "cc -O2 -pthread -o $made/many-threads $src/many-threads.c"),
    ("with-tsan", "cc -O1 -g -fsanitize=thread -pthread -o $made/with-tsan $src/many-threads.c"),
    ("with-asan", "cc -O1 -g -fsanitize=address -pthread -o $made/with-asan $src/spawn.c"),
    ("patched", "cc -O1 -pthread -o $made/patched $src/patched.c"),
    ("twice", "cc -O1 -o $made/twice $src/twice.c"),
    ("plugin", "cc -shared -fPIC -o $made/plugin.so $src/plugin.c && "
               "cc -DMAIN -o $made/plugin $src/plugin.c -ldl"),
    ("parallel", "cc -O2 -fopenmp -o $made/parallel $src/parallel.c"),
    ("threads-cc", "c++ -O2 -pthread -o $made/threads-cc $src/threads.cc"),
    ("blocks", "c++ -O2 -pthread -o $made/blocks $src/blocks.cc -ltbb"),
    ("work-go", "GOCACHE=$made/go-cache GO111MODULE=off go build -o $made/work-go $src/work.go"),
    ("work-rs", "rustc -O -o $made/work-rs $src/work.rs"),
    ("Work.class", "javac -d $made $src/Work.java"),
]

# Text to work on, the same each time.
TEXT = "seq 1 40000 | sed 's/$/ a line of a text that is made of lines/' >text; "

REDIS = """
redis-server --port 0 --unixsocket $PWD/s --save '' --logfile log >/dev/null &
until redis-cli -s s ping >/dev/null 2>&1; do sleep 0.1; done
redis-benchmark -s $PWD/s -n 1000 -c 20 -q -t set,get,incr,lpush,lpop >/dev/null && echo loaded
redis-cli -s s set answer 42; redis-cli -s s get answer
redis-cli -s s eval 'local n = 0; for i = 1, 1000 do n = n + i end; return n' 0
redis-cli -s s shutdown nosave; wait; echo "status $?"
"""

NGINX = """
mkdir logs; echo page >index.html; seq 1 20000 >numbers
chmod 755 .
cat >conf <<END
pid $PWD/pid; error_log $PWD/log; worker_processes 2; daemon off;
events { }
http { access_log off; server { listen unix:$PWD/s; root $PWD; gzip on; gzip_types *; } }
END
nginx -p $PWD -c $PWD/conf & server=$!
until [ -S s ] && [ -s pid ]; do sleep 0.1; done
for i in 1 2 3 4 5 6 7 8 9 10; do
	curl -s --unix-socket s http://x/index.html
	curl -s --compressed --unix-socket s http://x/numbers | cksum
done
kill -QUIT $server; wait $server; echo "status $?"
"""

POSTGRES = """
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
run=
if [ $(id -u) = 0 ]; then
	chmod 755 .; mkdir data; chown nobody data
	run="setpriv --reuid=nobody --regid=nogroup --clear-groups"
fi
$run $bin/initdb -A trust -N -D $PWD/data -U me >log 2>&1 </dev/null || { cat log; exit 1; }
echo 'select sum(n * n) from generate_series(1, 10000) n; select count(*) from pg_class where relkind = chr(114);' |
	$run $bin/postgres --single -D $PWD/data postgres 2>log | grep sum
"""

INITDB_NEEDS = ["setpriv", "/usr/lib/postgresql"]

PROGRAMS = [
    # ---- pack, sort, search
    ("gzip", PLAIN, ["gzip"], TEXT + "gzip -c text | gunzip -c | cksum; gzip -9c text | wc -c"),
    ("zstd", THREADS, ["zstd"], TEXT + "zstd -q -T2 -9 text && zstd -dc text.zst | cksum"),
    ("xz", THREADS, ["xz"], TEXT + "xz -T2 -3 --block-size=200000 -c text | xz -dc | cksum"),
    ("bzip2", PLAIN, ["bzip2"], TEXT + "bzip2 -c text | bzip2 -dc | cksum"),
    ("sort", THREADS, ["sort"], TEXT + "sort --parallel=2 -S 1M -r text | cksum; sort -n -k 1 text | tail -n 1"),
    ("pipelines", PLAIN, ["bash"], TEXT + "bash -c 'set -o pipefail; cat <(grep 7 text) <(sed -n 5p text) | "
     "tr a-z A-Z | cut -c 1-20 | uniq -c | tail -n 3; x=(1 2 3); echo ${x[@]/2/z}; trap \"echo left\" EXIT; false | cat'"),
    ("awk", PLAIN, ["awk"], TEXT + "awk '{ n[$1 % 97] += length($0) } END { for (i = 0; i < 97; i += 9) print n[i] }' text"),
    ("find", PLAIN, ["find", "xargs"], "mkdir -p a/b/c; touch a/x a/b/y a/b/c/z; find . -type f | sort | xargs -n 1 -P 2 echo | sort"),
    ("tar", PLAIN, ["tar"], TEXT + "tar czf t.tgz text && mkdir o && tar xzf t.tgz -C o && cmp text o/text && echo same"),
    # ---- languages
    ("python", PLAIN, ["python3"], "python3 -c \"import json, re, hashlib; print(hashlib.sha256(json.dumps("
     "[re.sub('1', 'one', str(i)) for i in range(5000)]).encode()).hexdigest())\""),
    ("python threads", THREADS, ["python3"], """python3 -c "
import threading, subprocess, queue
q = queue.Queue()
t = [threading.Thread(target=lambda: q.put(sum(range(20000)))) for _ in range(8)]
[x.start() for x in t]; [x.join() for x in t]
print(sum(q.get() for _ in t), subprocess.check_output(['echo', 'x']))
" """),
    ("python processes", THREADS, ["python3"], """cat >p.py <<'END'
import multiprocessing
def square(n):
    return n * n
if __name__ == '__main__':
    with multiprocessing.Pool(3) as pool:
        print(sum(pool.map(square, range(1000))))
END
python3 p.py"""),
    ("perl", PLAIN, ["perl"], "perl -e 'alarm 1; $SIG{ALRM} = sub { die qq(rang\\n) }; eval { while (1) { $x++ } }; print $@; "
     "my %d; $d{$_ % 500} .= $_ for 1 .. 50000; print length(join q(), map { $d{$_} } sort keys %d), qq(\\n)'"),
    ("ruby", THREADS, ["ruby"], "ruby -e 'puts 8.times.map { |i| Thread.new { (1..5000).inject { |a, b| (a * b + i) % 65521 } } }.sum(&:value); "
     "begin; nil.x; rescue NoMethodError; puts 1; end'"),
    ("php", PLAIN, ["php"], "php -n -r '$a = []; for ($i = 0; $i < 50000; $i++) $a[$i % 77] = ($a[$i % 77] ?? 0) + $i; echo crc32(serialize($a)), \"\\n\";'"),
    ("lua", PLAIN, ["lua5.4"], "lua5.4 $src/work.lua"),
    ("luajit", PLAIN, ["luajit"], "luajit $src/work.lua"),
    ("tcl", PLAIN, ["tclsh"], "echo 'set s 0; for {set i 0} {$i < 50000} {incr i} {set s [expr {($s * 3 + $i) % 65521}]}; puts $s' | tclsh"),
    ("node", THREADS, ["node"], "node $src/work.js"),
    ("java", THREADS, ["java", "Work.class"], "java -cp $made Work"),
    ("java interpreted", THREADS | LONG, ["java", "Work.class"], "java -Xint -XX:+UseSerialGC -cp $made Work"),
    ("go", THREADS, ["work-go"], "$made/work-go"),
    ("rust", THREADS, ["work-rs"], "$made/work-rs"),
    ("C++", THREADS, ["threads-cc"], "$made/threads-cc"),
    # ---- compilers and tools
    ("gcc", PLAIN, ["gcc"], "gcc -O2 -c -o x.o $src/pingpong.c && objdump -d x.o | cksum"),
    ("g++", PLAIN | LONG, ["g++"], "g++ -O1 -S -o x.s $src/threads.cc && cksum <x.s"),
    ("clang", PLAIN, ["clang"], "clang -O2 -S -o x.s $src/pingpong.c && cksum <x.s"),
    ("rustc", THREADS | LONG, ["rustc"], "rustc -O --emit asm -o x.s $src/work.rs && cksum <x.s"),
    ("go build", THREADS | LONG, ["go"], "GOCACHE=$PWD/c GO111MODULE=off GOFLAGS=-p=2 go vet $src/work.go; echo $?"),
    ("make", PLAIN, ["make", "gcc"], "printf 'all: a b\\n%: %.c\\n\\tgcc -O1 -o $@ $<\\n' >Makefile; "
     "echo 'int main(void) { return 3; }' >a.c; cp a.c b.c; make -s -j2; ./a; echo $?"),
    ("git", PLAIN, ["git"], "export HOME=$PWD GIT_AUTHOR_DATE=@1+0000 GIT_COMMITTER_DATE=@1+0000; "
     "git init -q r; cd r; git config user.name n; git config user.email e; seq 1 999 >f; git add f; "
     "git commit -q -m one; seq 2 1000 >f; git commit -q -a -m two; git gc -q; git log -p --oneline | cksum; git fsck"),
    ("gdb", PLAIN, ["gdb"], "gdb -q -nx -batch -ex 'p 6 * 7' -ex 'info line main' $made/pingpong 2>&1 | head -n 1"),
    ("sqlite3", PLAIN, ["sqlite3"], "sqlite3 db \"create table t(a, b); with recursive c(x) as (select 1 union all select x + 1 from c "
     "where x < 20000) insert into t select x, x * 7 % 1000 from c; create index i on t(b); select sum(a) from t group by b limit 3;\""),
    ("openssl", PLAIN, ["openssl"], TEXT + "openssl dgst -sha3-512 text; openssl enc -aes-256-cbc -K 00 -iv 00 -in text 2>/dev/null | cksum; "
     "openssl genrsa -out k 1024 2>/dev/null; openssl dgst -sign k -out sig text && openssl rsa -in k -pubout -out p 2>/dev/null && "
     "openssl dgst -verify p -signature sig text"),
    ("vim", PLAIN, ["vim"], "seq 1 100 >f; vim -u NONE -es -c '%s/1/one/g' -c 'wq' f; cksum <f"),
    ("bc", PLAIN, ["bc"], "echo 'scale=300; 4*a(1)' | bc -l | cksum"),
    ("jq", PLAIN, ["jq"], "jq -n -c '[range(5000) | {a: ., b: (. * 2 | tostring)}] | group_by(.a % 7) | map(length)'"),
    # ---- numbers, pictures, sound
    ("numpy", THREADS, ["python3", "python3-numpy"], """python3 -c "
import numpy as n
a = n.arange(90000.0).reshape(300, 300) % 7
print(int((a @ a).sum()), float(n.linalg.svd(a[:60, :60])[1][0]).__round__(6), int(n.sort(a.ravel())[77]))
" """),
    ("ImageMagick", THREADS, ["convert"], "convert -size 200x150 gradient:red-blue -swirl 90 -blur 0x3 -resize 50% rgb:- | cksum"),
    ("ffmpeg", THREADS, ["ffmpeg"], "ffmpeg -v error -f lavfi -i testsrc=s=160x120:d=1 -f lavfi -i sine=d=1 -flags +bitexact "
     "-fflags +bitexact -c:v mpeg4 -threads 2 -c:a pcm_s16le -f avi - </dev/null | cksum"),
    ("OpenMP", THREADS, ["parallel"], "$made/parallel"),
    ("TBB", THREADS, ["blocks"], "$made/blocks"),
    # ---- servers
    ("redis", THREADS, ["redis-server", "redis-benchmark"], REDIS),
    ("nginx", PLAIN, ["nginx", "curl"], NGINX),
    ("postgres", PLAIN | LONG, INITDB_NEEDS, POSTGRES),
    # ---- large and many
    ("2 GB", PLAIN | LONG, ["python3"], "python3 -c 'a = bytearray(2 << 30); a[::4096] = b\"x\" * (2 << 18); print(sum(a[::65536]))'"),
    ("500 threads", THREADS, ["many-threads"], "$made/many-threads 500"),
    ("1000 processes", PLAIN | LONG, ["sh"], "i=0; while [ $i -lt 1000 ]; do /bin/true && i=$((i + 1)); done; echo $i"),
    # ---- signals, spawned programs, changed code
    *[(f"pingpong {mode}", THREADS, ["pingpong"], f"$made/pingpong $signals {mode}") for mode in range(6)],
    *[(f"pingpong {mode}, forks", THREADS, ["pingpong"], f"$made/pingpong $((signals / 10)) {mode} x") for mode in (0, 3, 4)],
    ("spawn", THREADS, ["spawn"], "$made/spawn 10"),
    ("patched", THREADS, ["patched"], "$made/patched"),
    # they map memory of their own at addresses that no program has
    ("ThreadSanitizer", THREADS, ["with-tsan"], "$made/with-tsan 8"),
    ("AddressSanitizer", THREADS, ["with-asan"], "$made/with-asan 10"),
    ("mapped twice", PLAIN, ["twice"], "$made/twice"),
    ("plugin", PLAIN, ["plugin"], "$made/plugin $made/plugin.so"),
    ("exit 3", PLAIN, [], "exit 3"),
    ("what it is called", PLAIN, ["bash"], "bash -c 'exec -a another cat /proc/self/cmdline' | tr '\\0' ' '; ls /nowhere"),
    ("killed", PLAIN, [], "kill -TERM $$"),
    ("timeout", PLAIN, ["timeout"], "timeout 1 sleep 9"),
]

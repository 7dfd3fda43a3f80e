#!/bin/bash
# What bash, fish and zsh offer after the first letters of verbs, options,
# events, metrics and files; the latter two where they are installed.
# completion.sh SOURCE BUILD
set -u
# shellcheck source=/dev/null
source "$1/share/completions/assay.bash"
assay=$2/assay
bad=0

# offers "WORDS..." "EXPECTED": the last word is the one being completed
offers()
{
	read -r -a COMP_WORDS <<<"$1"
	[[ $1 == *" " ]] && COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_assay
	if [[ " ${COMPREPLY[*]} " != *" $2 "* ]]; then
		echo "after '$1': expected $2, got ${COMPREPLY[*]}"
		bad=1
	fi
}

offers "$assay co" count
offers "$assay d" doctor
offers "$assay count --no" --no-multiplex
if "$assay" list -q --presets | grep -q "^  PAPI_TOT_INS "; then
	offers "$assay count -e PAPI_TOT_I" PAPI_TOT_INS
	offers "$assay explain PAPI_TOT_I" PAPI_TOT_INS
fi
offers "$assay count --pmu s" sim
offers "$assay count --pmu sim /bin/sh /bin/tru" /bin/true

offers "$assay list --pre" --presets
offers "$assay help li" list
offers "$2/hpmcount --ev" --events
offers "$assay explain ip" ipc
offers "$assay count -g ca" cache
offers "$assay count -g floa" 'floating\ point'
offers "$assay diff /etc/pas" /etc/passwd
offers "$assay model l" lcpi
offers "$assay model lcpi /bin/tru" /bin/true
offers "$assay machine me" measure
offers "$assay metrics co" convert
offers "$assay papers hp" hpm
offers "$assay papers papi hp" hpm

# bash itself takes words with ':' and '=' apart.
COMP_WORDS=("$assay" count --pmu = si) COMP_CWORD=4 COMPREPLY=()
_assay
[[ ${COMPREPLY[*]} == sim ]] || { echo "--pmu=si: ${COMPREPLY[*]}"; bad=1; }
if "$assay" list -q --native | grep -q "^  perf::TASK-CLOCK "; then
	COMP_WORDS=("$assay" count -e perf :: TASK) COMP_CWORD=5 COMPREPLY=()
	_assay
	[[ ${COMPREPLY[*]} == TASK-CLOCK ]] ||
		{ echo "perf::TASK: ${COMPREPLY[*]}"; bad=1; }
fi

# Every verb and every option of the tables is offered.
while read -r verb; do
	offers "$assay $verb" "$verb"
	while IFS=$'\t' read -r option _; do
		offers "$assay $verb $option" "$option"
	done < <("$assay" help --form table "$verb")
done < <("$assay" help | awk '/^  [a-z]+ +[a-z]/ { print $1 }')

# What the others offer, each in its own words: shell_offers SHELL "WORDS..."
# "EXPECTED", the last word being the one that is completed.
in_fish()
{
	fish --private -c "source $1/share/completions/assay.fish; complete -C '$2'" 2>&1 |
		cut -f 1
}
# zsh's own functions show lists on a terminal; here they print them.
in_zsh()
{
	# shellcheck disable=SC2016 # for zsh to expand
	zsh -f -c '
		_describe() { print -rl -- ${${(@P)2}%%:*} }
		_files() { print -rl -- $words[CURRENT]*(N) }
		_command_names() { : }
		compset() { : }
		complete() { local -a words=($@); local CURRENT=$#words; source $file }
		file=$1/share/completions/assay.zsh
		complete ${(z)2}' zsh "$1" "$2" 2>&1
}
shell_offers()
{
	local got
	got=$("in_$1" "$source" "$2")
	[[ $'\n'$got$'\n' == *$'\n'"$3"$'\n'* ]] && return
	echo "$1, after '$2': expected $3, got $got"
	bad=1
}
source=$1
HOME=$(mktemp -d)
trap 'rm -rf "$HOME"' EXIT
export HOME PATH=$2:$PATH
for shell in fish zsh; do
	if ! command -v $shell >/dev/null; then
		echo "not tried: $shell"
		continue
	fi
	shell_offers $shell "assay cou" count
	shell_offers $shell "assay count --no-mul" --no-multiplex
	shell_offers $shell "assay count --pmu s" sim
	shell_offers $shell "hpmcount --no-mul" --no-multiplex
	shell_offers $shell "assay explain ip" ipc
	shell_offers $shell "assay diff /etc/passw" /etc/passwd
	if "$assay" list -q --presets | grep -q "^  PAPI_TOT_INS "; then
		shell_offers $shell "assay count -e PAPI_TOT_I" PAPI_TOT_INS
		shell_offers $shell "assay count -e PAPI_TOT_CYC,PAPI_TOT_I" \
			PAPI_TOT_CYC,PAPI_TOT_INS
	fi
done
exit $bad

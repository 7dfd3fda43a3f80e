// SPDX-License-Identifier: BSD-3-Clause
// Compiled loops, null checks by signal, bounds and division, calls with many
// targets, collections of garbage, threads, a stack that overflows.
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntUnaryOperator;

public class Work {
    static class Node { int value = 3; }

    static long mix(long h, int n) {
        for (int i = 0; i < n; i++) {
            h = h * 31 + (i ^ (h >>> 7));
            if ((h & 1023) == 5) h += i;
        }
        return h;
    }

    static int nulls() {
        Node node = new Node();
        int caught = 0;
        for (int i = 0; i < 100000; i++) {
            try {
                Node n = i % 1000 == 7 ? null : node;
                caught += n.value - 3;
            } catch (NullPointerException e) {
                caught++;
            }
        }
        return caught;
    }

    static int others() {
        int[] ten = new int[10];
        int caught = 0;
        for (int i = -5000; i < 5000; i++) {
            try {
                ten[(i + 5000) % 11] += 1000 / (i % 100);
            } catch (ArrayIndexOutOfBoundsException | ArithmeticException e) {
                caught++;
            }
        }
        return caught;
    }

    static int manyTargets() {
        IntUnaryOperator[] all = {x -> x + 1, x -> x * 3, x -> x ^ 5, x -> x - 7};
        int z = 1;
        for (int i = 0; i < 300000; i++) z = all[(i >> 4) & 3].applyAsInt(z);
        return z;
    }

    static int garbage() {
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 20000; i++) {
            byte[] b = new byte[4096];
            b[i & 4095] = 1;
            if (i % 100 == 0) kept.add(b);
        }
        System.gc();
        return kept.size();
    }

    static long threads() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        ConcurrentHashMap<String, Integer> map = new ConcurrentHashMap<>();
        List<Future<Long>> results = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            final int k = i;
            results.add(pool.submit(() -> {
                for (int j = 0; j < 5000; j++) map.merge("k" + j % 100, 1, Integer::sum);
                return mix(k, 100000);
            }));
        }
        long sum = 0;
        for (Future<Long> result : results) sum ^= result.get();
        pool.shutdown();
        for (int n : map.values()) sum += n;
        return sum;
    }

    static int deeper(int n) { return deeper(n + 1) + 1; }

    static String overflow() {
        try {
            return "returned " + deeper(0);
        } catch (StackOverflowError e) {
            return "caught";
        }
    }

    public static void main(String[] arguments) throws Exception {
        long h = 0;
        for (int i = 0; i < 20; i++) h ^= mix(i, 200000);
        System.out.println(h + " " + nulls() + " " + others() + " " + manyTargets());
        System.out.println(garbage() + " " + threads() + " " + overflow());
    }
}

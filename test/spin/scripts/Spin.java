// SPDX-License-Identifier: Apache-2.0
/** Spin KIND: waits awake, or works, on a virtual machine that compiles while it runs. */
import java.util.HashMap;
import java.util.Map;

public class Spin {
    static volatile boolean flag;
    static volatile long sink;

    static void onSpinWait() {
        while (!flag) Thread.onSpinWait();
    }

    static void yieldLoop() {
        while (!flag) Thread.yield();
    }

    static void flagLoop() {
        while (!flag) {
        }
    }

    static void sum() {
        long sum = 1;
        for (long i = 0; i < Long.MAX_VALUE; i++) sum = sum * 31 + i;
        sink = sum;
    }

    static void sieve() {
        while (true) {
            boolean[] composite = new boolean[200_000];
            for (int i = 2; i < 448; i++)
                for (int j = i * i; !composite[i] && j < composite.length; j += i) composite[j] = true;
        }
    }

    static void map() {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int i = 0; ; i++) counts.merge(i % 5000, i, Integer::sum);
    }

    public static void main(String[] arguments) {
        switch (arguments[0]) {
            case "onSpinWait" -> onSpinWait();
            case "yield" -> yieldLoop();
            case "flag" -> flagLoop();
            case "sum" -> sum();
            case "sieve" -> sieve();
            default -> map();
        }
    }
}

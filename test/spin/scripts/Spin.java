// SPDX-License-Identifier: Apache-2.0
/** Spin KIND: waits awake, or works, on a virtual machine that compiles while it runs. */
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

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

    static void nanoTime() {
        long end = System.nanoTime() + Long.MAX_VALUE / 2;
        while (System.nanoTime() < end) {
        }
    }

    static void queue() {
        ConcurrentLinkedQueue<Integer> jobs = new ConcurrentLinkedQueue<>();
        while (jobs.poll() == null) {
        }
    }

    static void atomic() {
        AtomicBoolean done = new AtomicBoolean();
        while (!done.get()) {
        }
    }

    static void parkNanos() {
        while (!flag) LockSupport.parkNanos(1);
    }

    static void sort() {
        int[] numbers = new int[5000];
        for (int seed = 1; ; seed++) {
            for (int i = 0; i < numbers.length; i++) numbers[i] = numbers[i] * 1103515245 + seed + i;
            Arrays.sort(numbers);
        }
    }

    static void strings() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; ; i++) {
            text.append("line ").append(i).append(' ').append(i * 0.5).append('\n');
            if (text.length() > 100_000) text.setLength(0);
        }
    }

    static void queueWork() {
        ConcurrentLinkedQueue<Integer> jobs = new ConcurrentLinkedQueue<>();
        for (int i = 0; ; i++) {
            jobs.add(i);
            sink += jobs.poll();
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
            case "nanoTime" -> nanoTime();
            case "queue" -> queue();
            case "atomic" -> atomic();
            case "parkNanos" -> parkNanos();
            case "sort" -> sort();
            case "strings" -> strings();
            case "queueWork" -> queueWork();
            case "sum" -> sum();
            case "sieve" -> sieve();
            default -> map();
        }
    }
}

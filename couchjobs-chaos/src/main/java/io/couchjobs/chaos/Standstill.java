package io.couchjobs.chaos;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Detects deadlocked threads of this process, in a separate thread, before the process is killed. */
final class Standstill {
    private static final int LOOK_MILLIS = 1_000;

    private Standstill() {}

    static void watch(Journal journal) {
        Thread watching = new Thread(() -> lookAt(journal), "standstill");
        watching.setDaemon(true);
        watching.start();
    }

    private static void lookAt(Journal journal) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try {
            long[] found = threads.findDeadlockedThreads();
            while (found == null) {
                Surroundings.pass(LOOK_MILLIS);
                found = threads.findDeadlockedThreads();
            }
            String names = Arrays.stream(threads.getThreadInfo(found))
                    .map(ThreadInfo::getThreadName)
                    .collect(Collectors.joining(", "));
            journal.note(Entry.What.DEADLOCKED, Entry.NO_JOB, names);
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }
}

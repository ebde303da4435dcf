package io.couchjobs.cli;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Ends this process within 5 s, whatever its threads and the server do. Leaves no program running that the process started. */
final class HardExit {
    /** The time that programs have to end. It leaves time to give their jobs back. */
    private static final long KILL_MILLIS = 3_000;

    /** Tests set the property to a long time, so that a worker can end by itself on a slow machine. */
    private static final long HALT_MILLIS = Long.getLong("couchjobs.halt", 4_500);

    private HardExit() {}

    static void soon() {
        List<ProcessHandle> programs = descendants().toList();
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "couchjobs-hard-exit");
            thread.setDaemon(true);
            return thread;
        });
        var unusedKill = timer.schedule(() -> kill(programs), KILL_MILLIS, TimeUnit.MILLISECONDS);
        var unusedHalt = timer.schedule(
                () -> {
                    kill(programs);
                    Runtime.getRuntime().halt(ExitCode.INTERRUPTED.number());
                },
                HALT_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** Kills all descendants, and the programs known at the start, whose parents may have ended meanwhile. */
    private static void kill(List<ProcessHandle> programs) {
        Stream.concat(programs.stream(), descendants()).forEach(ProcessHandle::destroyForcibly);
    }

    private static Stream<ProcessHandle> descendants() {
        return ProcessHandle.current().descendants();
    }
}

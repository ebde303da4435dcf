package io.couchjobs.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process of a chaos run. Not thread-safe. */
final class Child {
    private static final int DUMP_SECONDS = 2;

    private final Process process;
    private boolean killed;
    private boolean asked;

    private Child(Process process) {
        this.process = process;
    }

    /** Starts a Java program, whose output goes to a log. The child is killed when this process exits. */
    static Child start(Class<?> program, Path log, Map<String, String> environment, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx192m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return new Child(process);
    }

    /** Kills the process by {@code kill -9}, even if it is frozen, and waits until it has ended. */
    void kill() {
        killed = true;
        process.destroyForcibly().onExit().join();
    }

    void freeze() {
        signal("STOP");
    }

    void thaw() {
        signal("CONT");
    }

    /** Makes the process write a thread dump to its log. */
    void dump() throws InterruptedException {
        signal("QUIT");
        boolean unused = process.waitFor(DUMP_SECONDS, TimeUnit.SECONDS);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** {@return whether the process ended unexpectedly or with an error} */
    boolean isBroken() {
        return !process.isAlive() && !killed && (!asked || process.exitValue() != 0);
    }

    /** Writes a line to the standard input of the process. */
    void tell(String line) {
        if (!process.isAlive()) {
            return;
        }
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException gone) {
            System.err.println("process " + process.pid() + " hears nothing: " + gone.getMessage());
        }
    }

    /** Closes the standard input of the process, which asks it to end. */
    void close() {
        asked |= process.isAlive();
        try {
            process.getOutputStream().close();
        } catch (IOException gone) {
            System.err.println("process " + process.pid() + " is gone: " + gone.getMessage());
        }
    }

    /** {@return whether the process ended by itself in this time} */
    boolean awaitEnd(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS);
    }

    private void signal(String name) {
        if (!process.isAlive()) {
            return;
        }
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .onExit()
                    .join();
        } catch (IOException e) {
            throw new UncheckedIOException("there is no kill", e);
        }
    }
}

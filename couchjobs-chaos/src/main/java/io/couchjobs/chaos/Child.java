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

    /** Starts a Java program, whose output goes to a log. It dies with this process. */
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

    /** {@code kill -9}, also of one that is frozen; returns when it is gone. */
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

    /** Has it write what its threads do to its log. */
    void dump() throws InterruptedException {
        signal("QUIT");
        boolean unused = process.waitFor(DUMP_SECONDS, TimeUnit.SECONDS);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** {@return whether it came to an end that nobody asked it for, or with an error} */
    boolean isBroken() {
        return !process.isAlive() && !killed && (!asked || process.exitValue() != 0);
    }

    /** Says something on its standard input. */
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

    /** Ends its standard input, which asks it to come to an end. */
    void close() {
        asked |= process.isAlive();
        try {
            process.getOutputStream().close();
        } catch (IOException gone) {
            System.err.println("process " + process.pid() + " is gone: " + gone.getMessage());
        }
    }

    /** {@return whether it came to an end by itself in that time} */
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

package io.couchjobs.cli;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** A command that goes on while the test does other things. Closing stops it as Ctrl-C does. */
final class RunningCommand implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Pipe pipe = new Pipe(out);
    private final Thread thread;
    private volatile int exitCode = -1;

    RunningCommand(BiFunction<PrintWriter, PrintWriter, Shell> shell, String... args) {
        thread = new Thread(
                () -> exitCode = Cli.run(shell.apply(new PrintWriter(pipe), new PrintWriter(err)), args),
                String.join(" ", args));
        thread.setDaemon(true);
        thread.start();
    }

    /** Waits until it has said something on standard error. */
    RunningCommand awaitErr(String text) {
        await(() -> err.toString().contains(text), text);
        return this;
    }

    /** What it has said on standard error so far. */
    String err() {
        return err.toString();
    }

    /** Waits until what it printed is as wanted, and returns it. */
    String awaitOut(Predicate<String> wanted) {
        await(() -> wanted.test(out.toString()), "what was wanted");
        return out.toString();
    }

    /** Waits until it goes on, as it says then, or has ended. */
    TestShell.Said awaitGoing() {
        await(() -> err.toString().contains("Ctrl-C to stop") || !thread.isAlive(), "that it goes on");
        return new TestShell.Said(thread.isAlive() ? 0 : exitCode, out.toString(), err.toString());
    }

    /** The reader goes away, as {@code head} does. */
    void closeOut() {
        pipe.isClosed = true;
    }

    /** Waits until it has ended by itself. */
    TestShell.Said end() throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        if (thread.isAlive()) {
            throw new AssertionError("it does not end; it said: " + out + err);
        }
        return new TestShell.Said(exitCode, out.toString(), err.toString());
    }

    /** Stops it, and waits until it has ended. */
    TestShell.Said interrupt() throws InterruptedException {
        thread.interrupt();
        return end();
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void await(BooleanSupplier holds, String what) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("it did not say " + what + ", but: " + out + err);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    private static final class Pipe extends FilterWriter {
        private volatile boolean isClosed;

        Pipe(StringWriter to) {
            super(to);
        }

        @Override
        public void write(int character) throws IOException {
            check();
            super.write(character);
        }

        @Override
        public void write(char[] characters, int offset, int length) throws IOException {
            check();
            super.write(characters, offset, length);
        }

        @Override
        public void write(String text, int offset, int length) throws IOException {
            check();
            super.write(text, offset, length);
        }

        private void check() throws IOException {
            if (isClosed) {
                throw new IOException("Broken pipe");
            }
        }
    }
}

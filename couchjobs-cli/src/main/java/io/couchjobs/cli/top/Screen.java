package io.couchjobs.cli.top;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Listening;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;

/**
 * Shows a queue live at a terminal, until the user quits. Only changes are sent to the terminal, so that the screen works well
 * over SSH. A separate thread reads the queue, so that keys work while the database is slow or away.
 */
public final class Screen {
    private static final long BLINK_MILLIS = 200;
    /** Stands for an empty line, which would be shown as a character that no font has. */
    private static final String BLANK = " ";

    private final JobQueue queue;
    private final Terminal terminal;
    private final boolean colour;
    private final Meter meter = new Meter(System::nanoTime);
    private final Actions actions;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private volatile Optional<String> only = Cursor.START.only();
    private volatile Snapshot latest;
    private volatile String trouble = "";
    private volatile Size size;

    private Screen(JobQueue queue, Terminal terminal, boolean colour) {
        this.queue = queue;
        this.terminal = terminal;
        this.colour = colour;
        this.actions = new Actions(queue);
        this.latest = Snapshot.of(queue, Meter.Rates.UNKNOWN, only);
        this.size = terminal.getSize();
    }

    /**
     * Shows a queue at this process's terminal, until the user quits.
     *
     * @param queue the queue
     * @param interval how long to rest between two looks
     * @param colour whether to use colours
     * @param onStart receives the task that stops the screen
     * @return false when the terminal can only print line after line; then nothing was shown
     */
    public static boolean show(JobQueue queue, Duration interval, boolean colour, Consumer<Runnable> onStart) {
        try (Terminal terminal =
                TerminalBuilder.builder().system(true).dumb(true).build()) {
            if (terminal.getType().startsWith(Terminal.TYPE_DUMB)) {
                return false;
            }
            Screen screen = new Screen(queue, terminal, colour);
            onStart.accept(() -> screen.stopped.set(true));
            screen.run(interval);
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException("the terminal does not answer", e);
        }
    }

    @SuppressWarnings("try") // the resource only has to listen
    private void run(Duration interval) throws IOException {
        ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "couchjobs-top");
            thread.setDaemon(true);
            return thread;
        });
        Attributes before = terminal.enterRawMode();
        terminal.handle(Terminal.Signal.WINCH, signal -> size = terminal.getSize());
        terminal.puts(Capability.enter_ca_mode);
        terminal.puts(Capability.cursor_invisible);
        try (Listening listening = queue.operations().listen(meter)) {
            var unused = looking.scheduleWithFixedDelay(this::look, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
            watch(looking);
        } finally {
            looking.shutdownNow();
            terminal.puts(Capability.cursor_visible);
            leave();
            terminal.flush();
            terminal.setAttributes(before);
        }
    }

    /**
     * Leaves the screen. On a terminal without a second screen (vt100), output continues below what was shown, not in the middle
     * of it.
     */
    private void leave() {
        if (!terminal.puts(Capability.exit_ca_mode)) {
            terminal.puts(Capability.cursor_address, Math.max(0, size.getRows() - 1), 0);
            terminal.writer().println();
        }
    }

    /** Reads the queue. While that fails, the last snapshot stays on the screen. */
    private void look() {
        try {
            latest = Snapshot.of(queue, meter.rates(), only);
            trouble = "";
        } catch (RuntimeException away) {
            trouble = String.valueOf(away.getMessage());
        }
    }

    private void watch(Executor looking) throws IOException {
        Display display = new Display(terminal, true);
        Cursor cursor = Cursor.START;
        while (!stopped.get()) {
            draw(display, cursor);
            Key key = Key.read(millis -> terminal.reader().read(millis), BLINK_MILLIS);
            if (key == Key.QUIT) {
                return;
            }
            cursor = actions.apply(key, cursor, cursor.shown(latest));
            if (key == Key.PAUSE || key == Key.RETRY) {
                look();
            } else if (!only.equals(cursor.only())) {
                only = cursor.only();
                looking.execute(this::look);
            }
        }
    }

    private void draw(Display display, Cursor cursor) {
        Size now = size;
        int rows = now.getRows() > 0 ? now.getRows() : 24;
        int columns = now.getColumns() > 0 ? now.getColumns() : 80;
        display.resize(rows, columns);
        List<AttributedString> lines = Frame.of(cursor.shown(latest), cursor, trouble, columns, rows, colour).stream()
                .map(line -> AttributedString.fromAnsi(line.isEmpty() ? BLANK : line))
                .toList();
        display.update(lines, 0);
    }
}

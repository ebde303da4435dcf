package io.couchjobs.cli.bench;

import io.couchjobs.cli.input.Durations;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Shows the progress of the benchmark: the present figure, its progress, and the estimated time left. Thread-safe. */
final class Steps {
    private final Consumer<String> progress;
    private final long started = System.nanoTime();
    private double toDo;
    private double done;
    private String present = "";
    private @Nullable String detail;

    Steps(Consumer<String> progress) {
        this.progress = progress;
    }

    synchronized void plan(double weight) {
        toDo += weight;
    }

    synchronized void begin(String what) {
        present = what;
        detail = null;
        show();
    }

    synchronized void done(double weight) {
        done += weight;
    }

    synchronized void detail(String newDetail) {
        detail = newDetail;
        show();
    }

    private void show() {
        progress.accept(present + (detail == null ? "" : ": " + detail) + timeLeft());
    }

    private String timeLeft() {
        if (done <= 0 || toDo <= done) {
            return "";
        }
        double seconds = Time.secondsSince(started) * (toDo - done) / done;
        return "; about " + Durations.format(Duration.ofSeconds(Math.max(1, (long) seconds))) + " left";
    }
}

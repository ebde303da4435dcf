package io.couchjobs.cli.top;

import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Style;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The contents of the screen: a pure function of the snapshot of the queue, the cursor, and the screen's size. */
final class Frame {
    private static final String KEYS =
            "? help   q quit   tab switch list   up/down choose   enter show   f filter   p pause, resume   r retry";
    private static final String BARS = "▁▂▃▄▅▆▇█";
    private static final int NUMBER = 9;
    private static final int HEADER = 3;
    /** The lines of the header, three headings with a blank line before each, and the last line. */
    private static final int FIXED = HEADER + 3 * 2 + 1;

    /** With fewer lines than this for three lists, only the chosen list is shown. */
    private static final int LEAST = 6;

    private static final int NAME = 34;

    private final Snapshot snapshot;
    private final Cursor cursor;
    private final int width;
    private final boolean colour;
    private final List<String> lines = new ArrayList<>();

    private Frame(Snapshot snapshot, Cursor cursor, int width, boolean colour) {
        this.snapshot = snapshot;
        this.cursor = cursor;
        this.width = width;
        this.colour = colour;
    }

    /**
     * Returns the lines of a screen.
     *
     * @param height the largest number of lines
     * @param trouble why the snapshot is old; empty while it is current
     */
    static List<String> of(Snapshot snapshot, Cursor cursor, String trouble, int width, int height, boolean colour) {
        Frame frame = new Frame(snapshot, cursor, width, colour);
        frame.header(trouble);
        if (!cursor.page().isEmpty()) {
            frame.page();
        } else if (height < FIXED + LEAST) {
            frame.chosenList(height - HEADER - 3);
        } else {
            frame.lists(height - FIXED);
        }
        List<String> fitting = frame.lines.subList(0, Math.max(0, Math.min(frame.lines.size(), height - 1)));
        List<String> all = new ArrayList<>(fitting);
        if (height > 0) {
            all.add(frame.line()
                    .add(cursor.message().isEmpty() ? KEYS : cursor.message(), Style.FAINT)
                    .dressed());
        }
        return List.copyOf(all);
    }

    private void page() {
        lines.add("");
        cursor.page().forEach(text -> put(line().add(text)));
    }

    private void lists(int height) {
        int[] rows = Shares.of(
                height,
                snapshot.types().size(),
                snapshot.workers().size(),
                snapshot.failures().size());
        types(rows[0]);
        workers(rows[1]);
        failures(rows[2]);
    }

    /** Shows only the chosen list, on a screen without room for lines below the headings of all lists. */
    private void chosenList(int height) {
        if (cursor.pane() == Cursor.Pane.TYPES) {
            types(Shares.of(height, snapshot.types().size())[0]);
        } else {
            failures(Shares.of(height, snapshot.failures().size())[0]);
        }
    }

    /** Returns the lines for output without a terminal: everything, however long. */
    static List<String> text(Snapshot snapshot, int width) {
        Frame frame = new Frame(snapshot, new Cursor(Cursor.Pane.TYPES, -1, ""), width, false);
        frame.header("");
        frame.types(snapshot.types().size());
        frame.workers(snapshot.workers().size());
        frame.failures(snapshot.failures().size());
        return List.copyOf(frame.lines);
    }

    private Line line() {
        return new Line(width, colour);
    }

    private void put(Line line) {
        lines.add(line.dressed());
    }

    private void header(String trouble) {
        Meter.Rates rates = snapshot.rates();
        Line first = line().add("couchjobs ", Style.BOLD)
                .add(snapshot.database() + "  ")
                .add(snapshot.now().toString().substring(11, 19) + "Z  ", Style.FAINT);
        if (!trouble.isEmpty()) {
            put(first.add(trouble, Style.BAD));
        } else if (rates.history().isEmpty()) {
            put(first);
        } else {
            put(first.add(rate("done", rates.succeeded()), Style.GOOD)
                    .add(rate("retried", rates.retried()), rates.retried() > 0 ? Style.WARNING : Style.FAINT)
                    .add(rate("failed", rates.failed()), rates.failed() > 0 ? Style.BAD : Style.FAINT)
                    .add(bars(rates.history()), Style.BUSY));
        }
        Line second = line();
        for (JobStatus status : JobStatus.values()) {
            long jobs = snapshot.count(status);
            second.add(status.json() + " ", Style.FAINT)
                    .add(Long.toString(jobs), jobs == 0 ? Style.FAINT : style(status))
                    .add("  ");
        }
        put(second);
        long silent = snapshot.workers().stream()
                .filter(worker -> worker.isSilent(snapshot.now()))
                .count();
        put(line().add("oldest due ", Style.FAINT)
                .add(oldest() + "  ")
                .add("workers ", Style.FAINT)
                .add(snapshot.workers().size() - silent + " live")
                .add(silent == 0 ? "" : ", " + silent + " silent", Style.BAD)
                .add(cursor.only().map(type -> "  only " + type).orElse(""), Style.WARNING));
    }

    private String oldest() {
        return snapshot.types().entrySet().stream()
                .filter(type -> !snapshot.paused().contains(type.getKey()))
                .flatMap(type -> type.getValue().oldestPending().stream())
                .min(Instant::compareTo)
                .map(this::due)
                .orElse("-");
    }

    private void types(int rows) {
        lines.add("");
        Line heading = line().column("  TYPE", typeWidth(), Style.BOLD);
        for (JobStatus status : JobStatus.values()) {
            heading.number(status.json().toUpperCase(Locale.ROOT), NUMBER, Style.BOLD);
        }
        put(heading.number("OLDEST", NUMBER, Style.BOLD));
        List<Map.Entry<String, TypeCounts>> types = List.copyOf(snapshot.types().entrySet());
        Optional<Integer> chosen = chosen(Cursor.Pane.TYPES);
        int first = Shares.first(types.size(), rows, chosen.orElse(0));
        for (int i = first; i < first + rows; i++) {
            put(type(types.get(i).getKey(), types.get(i).getValue(), chosen.equals(Optional.of(i))));
        }
    }

    private Line type(String name, TypeCounts counts, boolean isChosen) {
        boolean paused = snapshot.paused().contains(name);
        Line line = line().column(
                        (isChosen ? "> " : "  ") + name + (paused ? " (paused)" : ""),
                        typeWidth(),
                        isChosen ? Style.BOLD : paused ? Style.WARNING : Style.PLAIN);
        for (JobStatus status : JobStatus.values()) {
            long jobs = counts.byStatus().getOrDefault(status, 0L);
            line.number(Long.toString(jobs), NUMBER, jobs == 0 ? Style.FAINT : style(status));
        }
        return line.number(counts.oldestPending().map(this::due).orElse("-"), NUMBER, Style.PLAIN);
    }

    private int typeWidth() {
        return Math.max(12, Math.min(40, width - (JobStatus.values().length + 1) * (NUMBER + 1) - 1));
    }

    private void workers(int rows) {
        lines.add("");
        put(line().add("  WORKER", Style.BOLD));
        for (WorkerInfo worker : snapshot.workers().subList(0, rows)) {
            boolean silent = worker.isSilent(snapshot.now());
            String seen = worker.registration()
                    .map(known -> silent ? "silent for " + age(known.at()) : "live")
                    .orElse("unregistered");
            int jobs = worker.jobs().size();
            put(line().add("  ")
                    .column(worker.id(), 28, Style.PLAIN)
                    .column(seen, 16, silent ? Style.BAD : Style.GOOD)
                    .column(jobs + (jobs == 1 ? " job" : " jobs"), 10, jobs == 0 ? Style.FAINT : Style.BUSY)
                    .add(worker.registration()
                            .map(known -> String.join(",", known.types()))
                            .orElse("")));
        }
    }

    private void failures(int rows) {
        lines.add("");
        put(line().add("  FAILED, OR TO BE RETRIED", Style.BOLD));
        Optional<Integer> chosen = chosen(Cursor.Pane.FAILURES);
        int first = Shares.first(snapshot.failures().size(), rows, chosen.orElse(0));
        for (int i = first; i < first + rows; i++) {
            put(failure(snapshot.failures().get(i), chosen.equals(Optional.of(i))));
        }
    }

    private Line failure(Job job, boolean isChosen) {
        List<JobError> errors = job.errors();
        JobError last = errors.isEmpty() ? null : errors.get(errors.size() - 1);
        return line().column(
                        (isChosen ? "> " : "  ") + job.id(),
                        Math.max(16, Math.min(NAME, width / 3)),
                        isChosen ? Style.BOLD : Style.PLAIN)
                .column(job.status().json(), 7, style(job.status()))
                .column("run " + job.attempt(), 7, Style.FAINT)
                .number(last == null ? "" : age(last.at()), 7, Style.FAINT)
                .add(last == null ? "" : last.message());
    }

    private Optional<Integer> chosen(Cursor.Pane pane) {
        return cursor.pane() == pane && cursor.row() >= 0 ? cursor.chosen(snapshot) : Optional.empty();
    }

    private String due(Instant time) {
        return time.isAfter(snapshot.now()) ? "-" : time.equals(Instant.EPOCH) ? "now" : age(time);
    }

    private String age(Instant time) {
        Duration age = Duration.between(time, snapshot.now());
        return age.toSeconds() < 1 ? "0s" : Durations.format(Duration.ofSeconds(age.toSeconds()));
    }

    private static Style style(JobStatus status) {
        return switch (status) {
            case WAITING -> Style.PLAIN;
            case SCHEDULED, RUNNING -> Style.BUSY;
            case STUCK -> Style.WARNING;
            case SUCCESS -> Style.GOOD;
            case FAILED -> Style.BAD;
            case CANCELLED -> Style.FAINT;
        };
    }

    private static String rate(String what, double perSecond) {
        return what + " " + String.format(Locale.ROOT, "%.1f", perSecond) + "/s  ";
    }

    private static String bars(List<Long> history) {
        long most =
                Math.max(1, history.stream().mapToLong(Long::longValue).max().orElse(1));
        StringBuilder bars = new StringBuilder();
        for (long ended : history.subList(Math.max(0, history.size() - 40), history.size())) {
            bars.append(ended == 0 ? ' ' : BARS.charAt((int) (ended * (BARS.length() - 1) / most)));
        }
        return bars.toString();
    }
}

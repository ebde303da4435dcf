package io.couchjobs.cli.top;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The pages that can take the place of the lists. */
final class Pages {
    static final List<String> HELP = List.of(
            "tab, shift-tab   go to the other list: types, failures",
            "up, down, k, j   choose a line",
            "enter            show the chosen job, with the error of each attempt",
            "f                show the type of the chosen line only; again: all types",
            "p                pause the chosen type, or resume it",
            "r                let the chosen job run again now",
            "?                this help",
            "q                quit",
            "",
            "The lists are read once a second (--interval).");

    private static final int STACK = 6;

    private Pages() {}

    /** Returns all that is worth knowing about a failed job. */
    static List<String> of(Job job) {
        List<String> lines = new ArrayList<>();
        lines.add(job.id() + "   " + job.status().json() + "   attempt " + job.attempt());
        lines.add("");
        job.times().entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .forEach(time -> lines.add(line(time.getKey(), time.getValue().toString())));
        lines.add(line("scheduled", job.scheduledTime().toString()));
        lines.add(line("data", job.lacksData() ? "attached" : job.data().toString()));
        lines.add("");
        job.errors().forEach(error -> addTo(lines, error));
        return List.copyOf(lines);
    }

    private static void addTo(List<String> lines, JobError error) {
        Instant at = error.at();
        lines.add("error of attempt " + error.attempt() + ", " + at + ", "
                + error.kind().json());
        error.message().lines().forEach(line -> lines.add("  " + line));
        error.stack().stream()
                .flatMap(String::lines)
                .skip(1)
                .limit(STACK)
                .forEach(line -> lines.add("    " + line.strip()));
    }

    private static String line(String name, String value) {
        return String.format("%-16s %s", name, value);
    }
}

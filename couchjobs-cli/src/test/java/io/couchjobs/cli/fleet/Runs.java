package io.couchjobs.cli.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The runs of a fleet, as its workers told them, by job and fence. */
final class Runs {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, NavigableMap<Long, Run>> ofJobs = new TreeMap<>();
    private final Map<Kind, Integer> shares = new EnumMap<>(Kind.class);
    private final List<String> violations = new ArrayList<>();

    /** From when to when a run was; without an end when its process was killed. */
    private static final class Run {
        private long start;
        private long end;
    }

    private Runs() {}

    /** Reads the files of a folder, each named by the kind of the workers that wrote it. A process that is killed may leave a part of a line. */
    static Runs read(Path folder) throws IOException {
        Runs runs = new Runs();
        for (Kind kind : Kind.values()) {
            Path events = folder.resolve(kind.name());
            for (String line : Files.exists(events) ? Files.readAllLines(events) : List.<String>of()) {
                if (line.startsWith("{") && line.endsWith("}")) {
                    runs.add(kind, JSON.readTree(line));
                }
            }
        }
        return runs;
    }

    private void add(Kind kind, JsonNode event) {
        String id = event.path("id").asText();
        Run run = ofJobs.computeIfAbsent(id, job -> new TreeMap<>())
                .computeIfAbsent(event.path("fence").asLong(), fence -> new Run());
        boolean begins = event.path("event").asText().equals("start");
        if (begins && run.start != 0) {
            violations.add(id + " was run twice with fence " + event.path("fence"));
        }
        if (begins) {
            shares.merge(kind, 1, Integer::sum);
            run.start = event.path("at").asLong();
        } else {
            run.end = event.path("at").asLong();
        }
    }

    /** How many runs each kind of workers began. */
    Map<Kind, Integer> shares() {
        return shares;
    }

    int reRuns() {
        return ofJobs.values().stream().mapToInt(runs -> runs.size() - 1).sum();
    }

    /** The longest time in which no run ended, in milliseconds. */
    long longestPause() {
        List<Long> ends = ofJobs.values().stream()
                .flatMap(runs -> runs.values().stream())
                .map(run -> run.end)
                .filter(end -> end > 0)
                .sorted()
                .toList();
        long longest = 0;
        for (int i = 1; i < ends.size(); i++) {
            longest = Math.max(longest, ends.get(i) - ends.get(i - 1));
        }
        return longest;
    }

    /** The broken promises of the runs, and of the jobs as they are now. */
    List<String> violations(Collection<Job> jobs) {
        List<String> all = new ArrayList<>(violations);
        ofJobs.forEach((id, runs) -> {
            Run before = null;
            for (Run run : runs.values()) {
                if (before != null && before.end > run.start) {
                    all.add(id + " had two owners at " + run.start);
                }
                before = run;
            }
        });
        for (Job job : jobs) {
            NavigableMap<Long, Run> runs = ofJobs.get(job.id().id());
            long told =
                    job.result().map(result -> result.path("fence").asLong()).orElse(-1L);
            if (runs == null) {
                all.add(job.id() + " was never run");
            } else if (job.status() != JobStatus.SUCCESS) {
                all.add(job.id() + " is " + job.status());
            } else if (told != runs.lastKey() || told != job.fence()) {
                all.add(job.id() + " has the result of run " + told + ", the last one was " + runs.lastKey() + " of "
                        + job.fence());
            }
        }
        return all;
    }
}

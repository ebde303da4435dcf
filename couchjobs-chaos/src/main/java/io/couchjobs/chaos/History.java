package io.couchjobs.chaos;

import io.couchjobs.chaos.Entry.What;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The notes of all processes, by job. Immutable. */
final class History {
    private final Map<String, List<Run>> runs = new TreeMap<>();
    private final Map<String, List<Entry>> deeds = new TreeMap<>();

    History(List<Entry> entries) {
        Map<String, List<Entry>> byToken = new TreeMap<>();
        for (Entry entry : entries) {
            boolean isOfRun = !entry.token().isEmpty();
            Map<String, List<Entry>> map = isOfRun ? byToken : deeds;
            map.computeIfAbsent(isOfRun ? entry.token() : entry.job(), key -> new ArrayList<>())
                    .add(entry);
        }
        byToken.values().forEach(this::addRuns);
        runs.values()
                .forEach(ofJob -> ofJob.sort(Comparator.comparingLong(Run::fence)
                        .thenComparingLong(run -> run.begin().nanos())));
    }

    /** Adds the runs of a claim. A claim should run only once; if there are several runs, all are added. */
    private void addRuns(List<Entry> ofToken) {
        for (Entry begin : ofToken) {
            if (begin.what() == What.BEGIN) {
                List<Entry> own = ofToken.stream()
                        .filter(entry -> entry.process().equals(begin.process())
                                && entry.job().equals(begin.job()))
                        .toList();
                runs.computeIfAbsent(begin.job(), job -> new ArrayList<>())
                        .add(new Run(begin.job(), begin.token(), begin.fence(), begin, own));
            }
        }
    }

    /** {@return the runs of each job that has run, in the order of their fences} */
    Map<String, List<Run>> runs() {
        return runs;
    }

    List<Run> runs(String job) {
        return runs.getOrDefault(job, List.of());
    }

    Optional<Run> run(String job, String token) {
        return runs(job).stream().filter(run -> run.token().equals(token)).findFirst();
    }

    /** {@return the document ids of the jobs for which creators or readers noted an event} */
    List<String> jobs(What what) {
        return deeds.keySet().stream()
                .filter(job -> first(job, what).isPresent())
                .toList();
    }

    /** {@return the first note of an event of a job by a creator or reader} */
    Optional<Entry> first(String job, What what) {
        return deeds.getOrDefault(job, List.of()).stream()
                .filter(entry -> entry.what() == what)
                .min(Comparator.comparingLong(Entry::nanos));
    }

    /** {@return the last note of an event of a job by a creator or reader} */
    Optional<Entry> last(String job, What what) {
        return deeds.getOrDefault(job, List.of()).stream()
                .filter(entry -> entry.what() == what)
                .max(Comparator.comparingLong(Entry::nanos));
    }

    /** {@return all notes of an event of a job by creators and readers} */
    List<Entry> all(String job, What what) {
        return deeds.getOrDefault(job, List.of()).stream()
                .filter(entry -> entry.what() == what)
                .toList();
    }

    boolean has(String job, What what) {
        return first(job, what).isPresent();
    }

    /** {@return the job as its creator noted it; empty without such a note} */
    Optional<Made> made(String job) {
        return first(job, What.ADDING).map(entry -> {
            String[] parts = entry.detail().split(" ", -1);
            return new Made(Kind.valueOf(parts[0]), Long.parseLong(parts[1]), parts[2]);
        });
    }

    /**
     * A job as its creator requested it.
     *
     * @param kind the kind of the job
     * @param time the scheduled time, in epoch ms
     * @param after the document id of the job that it waits for; empty for none
     */
    record Made(Kind kind, long time, String after) {}
}

package io.couchjobs.chaos;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Checks that each end that was reported to a reader stands, and that each reader is told each end. */
final class ReaderRules {
    private final History history;
    private final Map<String, Job> jobs;
    private final List<String> violations = new ArrayList<>();

    private ReaderRules(History history, Map<String, Job> jobs) {
        this.history = history;
        this.jobs = jobs;
    }

    static List<String> violations(History history, Ending ending) {
        ReaderRules rules = new ReaderRules(history, ending.jobs());
        history.jobs(What.TOLD).forEach(rules::toldWhatStands);
        for (Entry reader : history.all(Entry.NO_JOB, What.FOLLOWS)) {
            if (!missed(history, reader.process())) {
                rules.jobs.values().forEach(job -> rules.isTold(reader, job));
            }
        }
        return rules.violations;
    }

    private static boolean missed(History history, String reader) {
        return history.all(Entry.NO_JOB, What.MISSED).stream()
                .anyMatch(entry -> entry.process().equals(reader));
    }

    /** No job of a chaos run is removed. A job that is added again has several ends. */
    private void toldWhatStands(String id) {
        Optional<Job> job = Optional.ofNullable(jobs.get(id));
        boolean hasSeveralEnds = history.has(id, What.ADDING_AGAIN) || Kind.NEWEST.isOf(id);
        for (Entry told : history.all(id, What.TOLD)) {
            boolean isGone = told.detail().equals(Entry.GONE);
            if (isGone
                    ? job.isPresent()
                    : !hasSeveralEnds && !job.filter(last -> isEnd(last, told)).isPresent()) {
                violations.add("told ends stand: " + told + ", in the end there is " + job);
            }
        }
    }

    /** A reader is told of the jobs that were made after it began to follow. */
    private void isTold(Entry reader, Job job) {
        String id = job.id().docId();
        boolean isLater = history.first(id, What.ADDING)
                .filter(adding -> adding.nanos() > reader.nanos())
                .isPresent();
        if (!isLater || job.phase() != JobPhase.FINISHED) {
            return;
        }
        Optional<Entry> last = history.all(id, What.TOLD).stream()
                .filter(told -> told.process().equals(reader.process()))
                .max(Comparator.comparingLong(Entry::nanos));
        if (last.filter(told -> isEnd(job, told)).isEmpty()) {
            violations.add("ends are told: the last that " + reader.process() + " was told is "
                    + last.map(Entry::toString).orElse("nothing") + ", the end is " + job);
        }
    }

    private static boolean isEnd(Job job, Entry told) {
        return told.detail().equals(end(job)) && told.fence() == job.fence();
    }

    /** {@return the end of a job, as a reader notes it: its status, and the claim that its result is of} */
    static String end(Job job) {
        return job.status()
                + Ending.claimOfResult(job).map(claim -> " " + claim.token()).orElse("");
    }

    /** {@return how many ends each reader was told} */
    static Map<String, Long> figures(History history) {
        return history.jobs(What.TOLD).stream()
                .flatMap(id -> history.all(id, What.TOLD).stream())
                .collect(Collectors.groupingBy(Entry::process, Collectors.counting()));
    }
}

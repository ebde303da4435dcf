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

/** Checks that each end reported to a reader is final, and that each reader is told each end. */
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
            Entry since = rules.since(reader);
            rules.jobs.values().forEach(job -> rules.isTold(since, job));
        }
        return rules.violations;
    }

    /** {@return the note since when a reader is told of all jobs: when it began to follow, or last missed changes} */
    private Entry since(Entry reader) {
        return history.all(Entry.NO_JOB, What.MISSED).stream()
                .filter(missed -> missed.process().equals(reader.process()) && missed.nanos() > reader.nanos())
                .max(Comparator.comparingLong(Entry::nanos))
                .orElse(reader);
    }

    /** Checks that reported ends are final. A job that is added again has several ends. No job is removed. */
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

    /** Checks that a reader was told the end of a job that was created after the given note. */
    private void isTold(Entry since, Job job) {
        String id = job.id().docId();
        if (!isLaterThan(since, id) || job.phase() != JobPhase.FINISHED) {
            return;
        }
        Optional<Entry> last = history.all(id, What.TOLD).stream()
                .filter(told -> told.process().equals(since.process()))
                .max(Comparator.comparingLong(Entry::nanos));
        if (last.filter(told -> isEnd(job, told)).isEmpty()) {
            violations.add("ends are told: the last that " + since.process() + " was told is "
                    + last.map(Entry::toString).orElse("nothing") + ", the end is " + job);
        }
    }

    /** Returns whether a job was created after a note. No creator notes the job of a changed document: its first run counts. */
    private boolean isLaterThan(Entry since, String id) {
        return history.first(id, What.ADDING)
                .or(() -> history.runs(id).stream().map(Run::begin).min(Comparator.comparingLong(Entry::nanos)))
                .filter(entry -> entry.nanos() > since.nanos())
                .isPresent();
    }

    private static boolean isEnd(Job job, Entry told) {
        return told.detail().equals(end(job)) && told.fence() == job.fence();
    }

    /** {@return the end of a job, as a reader notes it: its status, and the token of the claim in its result} */
    static String end(Job job) {
        return job.status()
                + Ending.claimOfResult(job).map(claim -> " " + claim.token()).orElse("");
    }

    /** {@return the number of ends that each reader was told} */
    static Map<String, Long> figures(History history) {
        return history.jobs(What.TOLD).stream()
                .flatMap(id -> history.all(id, What.TOLD).stream())
                .collect(Collectors.groupingBy(Entry::process, Collectors.counting()));
    }
}

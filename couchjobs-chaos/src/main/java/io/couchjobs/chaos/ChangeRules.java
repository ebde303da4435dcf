package io.couchjobs.chaos;

import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Checks that no change of a document was lost. Depending on the trigger, a job ran for the document's newest state, or a
 * separate job ran for each revision that is a leaf. No job was made from other documents, and none twice from the same revision.
 */
final class ChangeRules {
    private final Map<String, Job> jobs;
    private final List<String> violations = new ArrayList<>();

    private ChangeRules(Map<String, Job> jobs) {
        this.jobs = jobs;
    }

    static List<String> violations(Ending ending) {
        ChangeRules rules = new ChangeRules(ending.jobs());
        ending.changed().forEach(rules::check);
        rules.twice();
        rules.strangers(ending);
        return rules.violations;
    }

    private void check(Ending.Changed document) {
        if (document.id().startsWith(Editor.prefix(Kind.NEWEST))) {
            isRun(document, document.rev(), new JobId(Kind.NEWEST.type(), document.id()));
        } else {
            document.leaves().forEach(rev -> isRun(document, rev, Editor.jobOf(document.id(), rev)));
        }
    }

    private void isRun(Ending.Changed document, String rev, JobId id) {
        Optional<Job> job = Optional.ofNullable(jobs.get(id.docId()));
        Optional<String> ran =
                job.flatMap(Job::result).map(result -> result.path("rev").asText());
        boolean isDone = job.filter(end -> end.status() == JobStatus.SUCCESS).isPresent();
        if (!isDone || !ran.equals(Optional.of(rev))) {
            violations.add("no change is lost: " + document + " has revision " + rev + ", ran is " + ran + ": " + job);
        }
    }

    private void twice() {
        Set<String> revisions = new TreeSet<>();
        jobs.forEach((docId, job) -> {
            if (Kind.EACH.isOf(docId)) {
                String revision = origin(job, "id") + " " + origin(job, "rev");
                if (!revisions.add(revision)) {
                    violations.add("no change makes two jobs: " + revision + " made another one: " + job);
                }
            }
        });
    }

    private void strangers(Ending ending) {
        Set<String> saved = ending.changed().stream().map(Ending.Changed::id).collect(Collectors.toSet());
        jobs.forEach((docId, job) -> {
            if (Kind.isOfChange(docId) && !saved.contains(origin(job, "id"))) {
                violations.add("no strangers: nobody saved the document of " + job);
            }
        });
    }

    private static String origin(Job job, String field) {
        return job.document().path(Field.TRIGGER).path(field).asText();
    }

    static String figures(Ending ending) {
        Map<String, Job> jobs = ending.jobs();
        long saves = ending.changed().stream().mapToLong(Ending.Changed::saves).sum();
        long each = jobs.keySet().stream().filter(Kind.EACH::isOf).count();
        long newest = jobs.keySet().stream().filter(Kind.NEWEST::isOf).count();
        return ending.changed().size() + " with " + saves + " revisions, by which " + each
                + " jobs of one revision were made and " + newest + " of the newest; saved last by " + writers(ending);
    }

    private static Map<String, Long> writers(Ending ending) {
        return ending.changed().stream()
                .collect(Collectors.groupingBy(Ending.Changed::by, TreeMap::new, Collectors.counting()));
    }
}

package io.couchjobs.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.cluster.Cluster;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.Revision;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobState;
import io.couchjobs.job.JobStatus;
import io.couchjobs.simulation.Journal.Run;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Proves from the journal, and from what the copies have at the end, that a queue kept its promises. */
final class Checker {
    private final Journal journal;
    private final Cluster cluster;
    private final int nodes;

    Checker(Journal journal, Cluster cluster, int nodes) {
        this.journal = journal;
        this.cluster = cluster;
        this.nodes = nodes;
    }

    private Database copy(int node) {
        return cluster.store(node).get(Client.DATABASE);
    }

    private static List<String> jobs(Database copy) {
        List<String> ids = new ArrayList<>();
        var cursor = copy.live().cursor(JobId.PREFIX, null, false);
        while (cursor.hasNext()) {
            String id = cursor.next();
            if (id.startsWith(JobId.PREFIX)) {
                ids.add(id);
            }
        }
        return ids;
    }

    /** Documents that are no jobs, and have conflicts. */
    private static List<String> others(Database copy) {
        List<String> ids = new ArrayList<>();
        var cursor = copy.live().cursor(null, null, false);
        while (cursor.hasNext()) {
            String id = cursor.next();
            if (!id.startsWith(JobId.PREFIX) && live(copy, id).size() > 1) {
                ids.add(id);
            }
        }
        return ids;
    }

    private static List<Node> live(Database copy, String id) {
        return copy.tree(id).leaves().stream().filter(leaf -> !leaf.deleted()).toList();
    }

    /** Nothing is left to be done: all jobs have ended, there are no conflicts, and all copies are equal. */
    boolean isQuiet() {
        for (int node = 0; node < nodes; node++) {
            Database copy = copy(node);
            if (!winners(copy).equals(winners(copy(0))) || !others(copy).isEmpty()) {
                return false;
            }
            for (String id : jobs(copy)) {
                if (live(copy, id).size() != 1 || job(copy, id).state() != JobState.FINISHED) {
                    return false;
                }
            }
        }
        return true;
    }

    private static Map<String, String> winners(Database copy) {
        Map<String, String> winners = new TreeMap<>();
        jobs(copy)
                .forEach(id -> winners.put(id, copy.live(id).orElseThrow().rev().toString()));
        return winners;
    }

    private static Job job(Database copy, String id) {
        return Job.parse(copy.live(id).orElseThrow().json());
    }

    List<String> violations() {
        List<String> violations = new ArrayList<>();
        Map<JobId, List<Run>> runs = new HashMap<>();
        journal.runs().forEach(run -> runs.computeIfAbsent(run.job, id -> new ArrayList<>())
                .add(run));
        new TreeMap<>(byText(runs)).values().forEach(list -> {
            List<Run> owned =
                    list.stream().filter(run -> !journal.isRemovedDuring(run)).toList();
            fences(list, violations);
            owners(owned, violations);
            lateResults(owned, violations);
            secondRuns(list, violations);
        });
        notToRun(violations);
        rest(violations);
        lost(violations);
        return violations;
    }

    private static Map<String, List<Run>> byText(Map<JobId, List<Run>> runs) {
        Map<String, List<Run>> named = new HashMap<>();
        runs.forEach((id, list) -> named.put(id.toString(), list));
        return named;
    }

    private void fences(List<Run> runs, List<String> violations) {
        for (int i = 1; i < runs.size(); i++) {
            if (runs.get(i).fence <= runs.get(i - 1).fence) {
                violations.add("the fence does not grow: " + runs.get(i - 1) + ", then " + runs.get(i));
            }
        }
    }

    /** In the order in which they began, no run begins before those before are over. */
    private void owners(List<Run> runs, List<String> violations) {
        for (int i = 1; i < runs.size(); i++) {
            Run after = runs.get(i);
            runs.subList(0, i).stream()
                    .filter(before -> before.ownedUntil() > after.started)
                    .forEach(before -> violations.add("two owners: " + before + ", and " + after));
        }
    }

    private void lateResults(List<Run> runs, List<String> violations) {
        for (Run done : runs) {
            runs.stream()
                    .filter(later -> done.isDone() && later.fence > done.fence && later.started < done.worked)
                    .findFirst()
                    .ifPresent(later -> violations.add("a late result was accepted: " + done + ", after " + later));
        }
    }

    /**
     * Whoever inserts a job asks for one run that ends well. Who was cut off and declared dead may have had one that others knew
     * nothing of.
     */
    private void secondRuns(List<Run> runs, List<String> violations) {
        for (int i = 1; i < runs.size(); i++) {
            Run before = runs.get(i - 1);
            if (before.end == Journal.End.SUCCEEDED && journal.isOnlyInserted(before.job)) {
                violations.add("run again, and nobody asked for it: " + before + ", then " + runs.get(i));
            }
        }
    }

    /** What a creator was told holds. Whose owner was declared dead may have been run before that, and counts as run. */
    private void notToRun(List<String> violations) {
        for (Journal.Silence silence : journal.silences()) {
            journal.runs().stream()
                    .filter(run -> silence.isBrokenBy(run) && run.expirations == 0 && !isCreatedOnTombstone(run))
                    .forEach(run ->
                            violations.add("run though " + silence.why() + " at " + silence.from() + ": " + run));
        }
    }

    /** A creation that a frozen node had still to take care of creates the job anew when it thaws, as any creation would. */
    private boolean isCreatedOnTombstone(Run run) {
        Map<Revision, Node> nodes = new HashMap<>();
        copy(0).tree(run.job.docId()).nodes().forEach(node -> nodes.put(node.rev(), node));
        Optional<Node> node = nodes.values().stream()
                .filter(any -> any.rev().toString().equals(run.rev))
                .findFirst();
        while (node.isPresent() && !node.get().deleted()) {
            node = Optional.ofNullable(node.get().parent()).map(nodes::get);
        }
        return node.isPresent();
    }

    private void rest(List<String> violations) {
        for (int node = 0; node < nodes; node++) {
            Database copy = copy(node);
            if (!winners(copy).equals(winners(copy(0)))) {
                violations.add("the copies differ: " + winners(copy(0)) + ", " + winners(copy));
            }
            for (String id : others(copy)) {
                violations.add("a conflict is not resolved: " + id + " at node " + node);
            }
            for (String id : jobs(copy)) {
                rest(node, copy, id, violations);
            }
        }
    }

    private static void rest(int node, Database copy, String id, List<String> violations) {
        if (live(copy, id).size() != 1) {
            violations.add("a conflict is not resolved: " + id + " at node " + node + ": " + leaves(copy, id));
            return;
        }
        ObjectNode document = copy.live(id).orElseThrow().json();
        Job job = Job.parse(document);
        if (job.status().isLocked() != document.has("lock")) {
            violations.add("lock and status do not fit: " + document);
        }
        if (job.state() != JobState.FINISHED) {
            violations.add("not run to its end: " + document + " at node " + node);
        }
    }

    private static List<ObjectNode> leaves(Database copy, String id) {
        return copy.tree(id).leaves().stream()
                .flatMap(leaf -> copy.revision(id, leaf.rev()).stream())
                .map(doc -> doc.json())
                .toList();
    }

    /** What was added is there, unless it was removed; what succeeded was run, what was cancelled was cancelled by somebody. */
    private void lost(List<String> violations) {
        Set<String> tokens = new HashSet<>();
        journal.runs().forEach(run -> tokens.add(run.token));
        for (JobId id : journal.added().stream()
                .sorted(Comparator.comparing(JobId::toString))
                .toList()) {
            Optional<Job> job = copy(0).live(id.docId()).map(doc -> Job.parse(doc.json()));
            if (job.isEmpty()) {
                if (!journal.isRemoved(id)) {
                    violations.add("lost: " + id);
                }
            } else if (job.get().status() == JobStatus.SUCCESS) {
                String token = job.get().result().map(result -> result.asText()).orElse("");
                if (!tokens.contains(token)) {
                    violations.add("nobody ran: " + job.get());
                }
            } else if (job.get().status() == JobStatus.CANCELLED
                    && !journal.cancelled().contains(id)
                    && !journal.isRemoved(id)) {
                violations.add("nobody cancelled: " + job.get());
            }
        }
    }
}

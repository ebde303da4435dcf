package io.couchjobs.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.cluster.Cluster;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.Revision;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.schedule.Schedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What the copies of a simulated cluster have. */
final class Remains {
    private final Cluster cluster;
    private final int nodes;

    Remains(Cluster cluster, Plan plan) {
        this.cluster = cluster;
        this.nodes = plan.copies();
    }

    private Database copy(int node) {
        return cluster.store(node).get(Client.DATABASE);
    }

    private static List<String> jobs(Database copy) {
        List<String> ids = new ArrayList<>();
        var cursor = copy.live().cursor(DocIds.JOB, null, false);
        while (cursor.hasNext()) {
            String id = cursor.next();
            if (id.startsWith(DocIds.JOB)) {
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
            if (!id.startsWith(DocIds.JOB) && live(copy, id).size() > 1) {
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
                if (live(copy, id).size() != 1 || job(copy, id).phase() != JobPhase.FINISHED) {
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

    /** The job as readers see it at the end; one that is marked as removed is none. */
    Optional<Job> present(JobId id) {
        return document(id)
                .filter(document -> !document.path("removed").asBoolean())
                .map(document -> Job.parse(document));
    }

    /** All jobs as readers see them at the end. */
    Stream<Job> jobs() {
        return jobs(copy(0)).stream()
                .flatMap(id -> JobId.fromDocId(id).stream())
                .flatMap(id -> present(id).stream());
    }

    Optional<ObjectNode> document(JobId id) {
        return copy(0).live(id.docId()).map(doc -> doc.json());
    }

    /** {@return the times of the jobs that a schedule made, in order} */
    List<Instant> ticks() {
        return jobs(copy(0)).stream()
                .flatMap(id -> JobId.fromDocId(id).stream())
                .flatMap(id -> Schedule.tickOf(id).stream())
                .sorted()
                .toList();
    }

    /** {@return the schedules as each copy has them} */
    String schedules() {
        List<ObjectNode> documents = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            Database copy = copy(node);
            var ids = copy.live().cursor(DocIds.SCHEDULE, null, false);
            ids.forEachRemaining(id -> {
                if (id.startsWith(DocIds.SCHEDULE)) {
                    copy.live(id).ifPresent(doc -> documents.add(doc.json()));
                }
            });
        }
        return documents.toString();
    }

    private static Job job(Database copy, String id) {
        return Job.parse(copy.live(id).orElseThrow().json());
    }

    /** Whether a revision is another one, or was written after it. */
    boolean descends(JobId id, String rev, String from) {
        return ancestors(id, rev).anyMatch(node -> node.rev().toString().equals(from));
    }

    /** {@return the revision and those before it, the latest first} */
    private Stream<Node> ancestors(JobId id, String rev) {
        Map<Revision, Node> nodes = new HashMap<>();
        for (int node = 0; node < this.nodes; node++) {
            copy(node).tree(id.docId()).nodes().forEach(one -> nodes.merge(one.rev(), one, Remains::merged));
        }
        Optional<Node> first = nodes.values().stream()
                .filter(any -> any.rev().toString().equals(rev))
                .findFirst();
        return Stream.iterate(first, Optional::isPresent, node -> node.map(Node::parent)
                        .map(nodes::get))
                .flatMap(Optional::stream);
    }

    /** A copy that has heard of a revision only as an ancestor of another one does not know whether it was deleted. */
    private static Node merged(Node one, Node other) {
        return new Node(
                one.rev(),
                one.parent() == null ? other.parent() : one.parent(),
                one.deleted() || other.deleted(),
                one.body());
    }

    /** A creation that a frozen node had still to take care of creates the job anew when it thaws, as any creation would. */
    boolean isCreatedOnTombstone(JobId id, String rev) {
        return ancestors(id, rev).anyMatch(Node::deleted);
    }

    /** What is not as it must be when nothing is left to be done. */
    List<String> violations() {
        List<String> violations = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            Database copy = copy(node);
            if (!winners(copy).equals(winners(copy(0)))) {
                violations.add("the copies differ: " + winners(copy(0)) + ", " + winners(copy));
            }
            for (String id : others(copy)) {
                violations.add("a conflict is not resolved: " + id + " at node " + node);
            }
            for (String id : jobs(copy)) {
                unfinished(node, copy, id, violations);
            }
        }
        return violations;
    }

    private static void unfinished(int node, Database copy, String id, List<String> violations) {
        if (live(copy, id).size() != 1) {
            violations.add("a conflict is not resolved: " + id + " at node " + node + ": " + leaves(copy, id));
            return;
        }
        ObjectNode document = copy.live(id).orElseThrow().json();
        Job job = Job.parse(document);
        if (job.status().isLocked() != document.has("lock")) {
            violations.add("lock and status do not fit: " + document);
        }
        if (job.phase() != JobPhase.FINISHED) {
            violations.add("not run to its end: " + document + " at node " + node);
        }
    }

    private static List<ObjectNode> leaves(Database copy, String id) {
        return copy.tree(id).leaves().stream()
                .flatMap(leaf -> copy.revision(id, leaf.rev()).stream())
                .map(doc -> doc.json())
                .toList();
    }
}

package io.couchjobs.chaos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.chaos.Entry.What;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Journals and documents as somebody wants them. Times are small numbers. Not thread-safe. */
final class Forged {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final List<Entry> entries = new ArrayList<>();
    private final List<ObjectNode> documents = new ArrayList<>();
    private final Map<String, Map<JobStatus, Long>> counts = new HashMap<>();
    private final List<Ending.Changed> changed = new ArrayList<>();
    private boolean isCluster = true;

    /** A claim of a job. */
    record Claim(String job, long fence, String token) {}

    static Claim claim(String job, long fence) {
        return new Claim(job, fence, "token-" + job + "-" + fence);
    }

    Forged creator(long nanos, What what, String job, String detail) {
        entries.add(Entry.ofCreator(nanos, nanos, "creator", what, job, detail));
        return this;
    }

    Forged creator(long nanos, What what, String job) {
        return creator(nanos, what, job, "");
    }

    /** A job that is made and acknowledged. */
    Forged made(String job) {
        return creator(1, What.ADDING, job, "SHORT 0 ").creator(2, What.ADDED, job);
    }

    Forged run(long nanos, Claim claim, What what, String detail) {
        entries.add(new Entry(
                nanos, nanos, "worker" + claim.fence(), what, claim.job(), claim.token(), claim.fence(), detail));
        return this;
    }

    /** A run of the worker that notes no outcomes begins. */
    Forged unheardRun(long nanos, Claim claim) {
        entries.add(new Entry(nanos, nanos, "worker2-1", What.BEGIN, claim.job(), claim.token(), claim.fence(), ""));
        return this;
    }

    Forged run(long nanos, Claim claim, What what) {
        return run(nanos, claim, what, "");
    }

    /** What a reader notes that is about no job. */
    Forged reader(long nanos, What what) {
        entries.add(Entry.ofCreator(nanos, nanos, "reader", what, Entry.NO_JOB, ""));
        return this;
    }

    /** The end of a job that a reader was told. */
    Forged told(long nanos, Claim claim, String end) {
        entries.add(new Entry(nanos, nanos, "reader", What.TOLD, claim.job(), "", claim.fence(), end));
        return this;
    }

    /** A run from its begin to its outcome. */
    Forged run(long begin, Claim claim, String how, long end, String outcome) {
        return run(begin, claim, What.BEGIN)
                .run(begin + 1, claim, What.HELD)
                .run(end, claim, What.END, how)
                .run(end + 1, claim, What.OUTCOME, outcome);
    }

    /** A document in the end, which the index counts; in place of quotation marks there are apostrophes. */
    Forged document(String json) {
        try {
            ObjectNode document = (ObjectNode) MAPPER.readTree(json.replace('\'', '"'));
            documents.add(document);
            new Ending(List.of(document), Map.of(), List.of(), isCluster)
                    .jobs()
                    .values()
                    .forEach(job -> counts.computeIfAbsent(job.type(), type -> new HashMap<>())
                            .merge(job.status(), 1L, Long::sum));
            return this;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }

    /** A document of another database with its leaves, the winner first. */
    Forged changed(String id, String winner, String... others) {
        changed.add(new Ending.Changed(id, winner, List.of(others), "Java"));
        return this;
    }

    /** The job of a change, which a run with that revision ended. */
    Forged ofChange(String job, String document, String made, String ran) {
        Claim claim = claim(job, 1);
        return run(10, claim, "done", 20, "SUCCEEDED")
                .document("{'_id': '" + job
                        + "', 'status': 'success', 'fence': 1, 'trigger': {'name': 't', 'database': 'd', 'id': '"
                        + document + "', 'rev': '" + made + "'}, 'result': {'token': '" + claim.token()
                        + "', 'fence': 1, 'rev': '" + ran + "'}}");
    }

    /** The server is one node, which promises more than a cluster. */
    Forged oneNode() {
        isCluster = false;
        return this;
    }

    /** Forgets all documents. */
    Forged withoutDocuments() {
        documents.clear();
        counts.clear();
        return this;
    }

    /** A job that succeeded by a claim. */
    Forged success(Claim claim) {
        return success(claim, claim.fence());
    }

    Forged success(Claim claim, long fence) {
        return document("{'_id': '" + claim.job() + "', 'status': 'success', 'fence': " + fence
                + ", 'result': {'token': '" + claim.token() + "', 'fence': " + claim.fence() + "}}");
    }

    Forged count(String type, JobStatus status, long number) {
        counts.computeIfAbsent(type, any -> new HashMap<>()).put(status, number);
        return this;
    }

    List<String> violations() {
        return Checker.violations(new History(entries), new Ending(documents, counts, changed, isCluster));
    }
}

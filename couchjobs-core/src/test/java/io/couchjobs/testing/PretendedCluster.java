package io.couchjobs.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;

/**
 * Makes a single server look like a cluster that keeps three copies: it says so, and answers some writes as if no quorum had
 * confirmed them, whether it stored them or not. Its majority is always in reach: it confirms each probe by itself, for PouchDB
 * Server takes none twice without its revision. Notes what was written. Thread-safe.
 */
public class PretendedCluster implements Proxy.Detour {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String MAJORITY_PROBE = "_local/couchjobs-probe-";

    private final List<Plan> plans = new CopyOnWriteArrayList<>();
    private final List<ObjectNode> sent = new CopyOnWriteArrayList<>();
    private final List<Proxy.Request> requests = new CopyOnWriteArrayList<>();

    /** The next such documents are stored, and the answer is that no quorum confirmed them. */
    public void acceptStored(int times, Predicate<JsonNode> which) {
        plans.add(new Plan(new AtomicInteger(times), which, true));
    }

    /** The next such documents, alone in their requests, are not stored, and the answer is that no quorum confirmed them. */
    public void acceptInVain(int times, Predicate<JsonNode> which) {
        plans.add(new Plan(new AtomicInteger(times), which, false));
    }

    /** All documents that were sent in bulk. */
    public List<ObjectNode> sent() {
        return List.copyOf(sent);
    }

    /** Whether a withdrawal of such a claim was sent, whatever became of the job since. */
    public boolean sawWithdrawal(String reason) {
        return sent.stream()
                .map(doc -> doc.path("lock").path("withdrawn"))
                .anyMatch(withdrawn -> withdrawn.path("reason").asText().contains(reason) && withdrawn.has("at"));
    }

    /** How many claims were sent. */
    public long claims() {
        return sent.stream()
                .map(doc -> doc.path("lock"))
                .filter(lock -> lock.has("token") && !lock.has("withdrawn"))
                .count();
    }

    public boolean sawWithdrawalOf(String token) {
        return sent.stream()
                .map(doc -> doc.path("lock"))
                .anyMatch(lock -> lock.path("token").asText().equals(token) && lock.has("withdrawn"));
    }

    /** All requests but feeds, in the order of their arrival, since the last call. */
    public List<String> requests() {
        List<String> lines = requests.stream().map(Proxy.Request::toString).toList();
        requests.clear();
        return lines;
    }

    /** The requests that name the document, but feeds, in the order of their arrival. */
    public List<String> requestsAbout(String docId) {
        return requests.stream()
                .filter(request -> request.body().contains(docId)
                        || request.uri().getPath().contains(docId))
                .map(Proxy.Request::toString)
                .toList();
    }

    @Override
    public boolean goes(Proxy.Request request) {
        if (!request.isFeed()) {
            requests.add(request);
        }
        if (request.isBulkWrite()) {
            docs(request).forEach(doc -> sent.add((ObjectNode) doc));
        }
        return true;
    }

    @Override
    public Optional<String> answers(Proxy.Request request) {
        if (request.isWriteOf(MAJORITY_PROBE)) {
            String path = request.uri().getPath();
            return Optional.of(
                    "{\"ok\":true,\"id\":\"" + path.substring(path.indexOf(MAJORITY_PROBE)) + "\",\"rev\":\"0-1\"}");
        }
        if (!request.isBulkWrite() || docs(request).size() != 1) {
            return Optional.empty();
        }
        JsonNode doc = docs(request).get(0);
        return takes(doc, false)
                ? Optional.of("[{\"ok\":true,\"id\":\"%s\",\"rev\":\"9-f\",\"accepted\":true}]"
                        .formatted(doc.path("_id").asText()))
                : Optional.empty();
    }

    @Override
    public String rewrites(Proxy.Request request, String answer) {
        if (request.isBulkWrite()) {
            ArrayNode rows = (ArrayNode) parse(answer);
            for (int i = 0; i < rows.size(); i++) {
                if (rows.get(i).has("rev") && takes(docs(request).get(i), true)) {
                    ((ObjectNode) rows.get(i)).put("accepted", true);
                }
            }
            return rows.toString();
        }
        boolean isDatabase = request.method().equals("GET")
                && request.uri().getPath().replaceAll("/$", "").lastIndexOf('/') == 0
                && answer.contains("\"db_name\"");
        if (!isDatabase) {
            return answer;
        }
        ObjectNode info = (ObjectNode) parse(answer);
        info.putObject("cluster").put("n", 3).put("q", 2).put("w", 2).put("r", 2);
        return info.toString();
    }

    private boolean takes(JsonNode doc, boolean stored) {
        return plans.stream()
                .filter(plan -> plan.stored == stored && plan.which.test(doc))
                .anyMatch(plan -> plan.left.getAndUpdate(left -> Math.max(0, left - 1)) > 0);
    }

    private static List<JsonNode> docs(Proxy.Request request) {
        return StreamSupport.stream(parse(request.body()).path("docs").spliterator(), false)
                .toList();
    }

    private static JsonNode parse(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no JSON: " + json, e);
        }
    }

    private record Plan(AtomicInteger left, Predicate<JsonNode> which, boolean stored) {}
}

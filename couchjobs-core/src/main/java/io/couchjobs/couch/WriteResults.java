package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Json;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Parses the results of writes. Parsing is strict: a result that is assigned to the wrong document could make a worker run a
 * job that another worker owns.
 */
final class WriteResults {

    private static final Map<String, Integer> STATUS_OF = Map.of(
            "conflict", 409,
            "forbidden", 403,
            "unauthorized", 401,
            "bad_request", 400,
            "doc_validation", 400,
            "missing_stub", 412,
            "document_too_large", 413,
            "too_large", 413);

    private WriteResults() {}

    static List<WriteResult> ofBulk(Answer answer, List<String> ids) throws IOException {
        ArrayNode rows = answer.array();
        if (rows.size() != ids.size()) {
            throw answer.unusable("it has " + rows.size() + " results for " + ids.size() + " documents");
        }
        return IntStream.range(0, ids.size())
                .mapToObj(i -> ofRow(answer, rows.get(i), ids.get(i)))
                .toList();
    }

    static WriteResult ofPut(Answer answer, String id) throws IOException {
        return switch (answer.status()) {
            case 200, 201 -> // a deletion is answered by 200
                new WriteResult.Stored(id, rev(answer, resultOf(answer, id)));
            case 202 -> new WriteResult.Accepted(id, rev(answer, resultOf(answer, id)));
            case 409 -> {
                answer.drain();
                yield new WriteResult.Conflict(id);
            }
            case 400, 401, 403, 412, 413 -> refused(answer.failure(), id);
            default -> throw unexpected(answer);
        };
    }

    private static ObjectNode resultOf(Answer answer, String id) throws IOException {
        ObjectNode result = answer.object();
        if (!result.path("id").asText().equals(id)) {
            throw answer.unusable("it is about " + result.path("id") + " and not about \"" + id + "\"");
        }
        return result;
    }

    private static WriteResult ofRow(Answer answer, JsonNode row, String id) {
        if (!row.path("id").asText().equals(id)) {
            throw answer.unusable("a result is about " + row.path("id") + " where \"" + id + "\" was next");
        }
        if (!row.has("error")) {
            boolean accepted = row.path("accepted").asBoolean();
            String rev = rev(answer, row);
            return accepted ? new WriteResult.Accepted(id, rev) : new WriteResult.Stored(id, rev);
        }
        String error = row.path("error").isTextual() ? Json.text(row, "error") : Json.text(row, "name");
        int status = row.path("status").asInt(STATUS_OF.getOrDefault(error, 500));
        return status == 409
                ? new WriteResult.Conflict(id)
                : new WriteResult.Refused(id, status, error, Json.text(row, "reason"));
    }

    private static WriteResult refused(CouchException.Failure failure, String id) {
        if (failure.isAboutTheUser()) {
            throw CouchException.of(failure);
        }
        return new WriteResult.Refused(id, failure.status(), failure.error(), failure.reason());
    }

    private static String rev(Answer answer, JsonNode row) {
        return Json.optionalText(row, "rev").orElseThrow(() -> answer.unusable("it names no revision"));
    }

    private static CouchException unexpected(Answer answer) throws IOException {
        return answer.isSuccess()
                ? answer.unusable("status " + answer.status() + " says neither stored nor refused")
                : CouchException.of(answer.failure());
    }
}

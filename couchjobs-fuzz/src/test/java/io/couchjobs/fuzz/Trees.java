package io.couchjobs.fuzz;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.List;

/** Makes JSON of a fuzzer's bytes: mostly of the words that couchjobs and CouchDB know, in wrong places and kinds. */
public final class Trees {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int DEEPEST = 3;

    private static final List<String> FIELDS =
            List.of(("status scheduledTime data lock token worker since withdrawn at reason"
                            + " fence attempt maxRetries expirations errors kind message stack resubmit cancelRequested group priority"
                            + " class origin correlationId tracker tags after jobs onFailure progress percent times created"
                            + " traceparent tracestate site unknown timeout retryDelay maxRetryDelay retryJitter paused rate starts"
                            + " window retention failureRetention newest time classes type cron every from zone job enabled last runs"
                            + " missed overlap types started pid next lines text dropped number limit queue id rev ok error results"
                            + " rows total_rows offset value key doc docs last_seq seq changes deleted update_seq accepted name state"
                            + " config counts rejected maxRunning maxExpirations perGroup claimOn removedBy resolved by why result")
                    .split(" "));

    private static final List<String> WORDS =
            List.of(("waiting scheduled running stuck success failed cancelled crashed killed"
                            + " expired delete forever once all allow skip cancel run wait not_found conflict job:t:1 job:t:2 job: t 1 x"
                            + " 1-a 2-b 00000000-0000-4000-8000-000000000000 Europe/Berlin UTC w a b * <b> ../ %2F ' ; $(id)")
                    .split(" "));

    private static final List<JsonNode> NUMBERS = List.of(
            JSON.numberNode(0),
            JSON.numberNode(1),
            JSON.numberNode(-1),
            JSON.numberNode(50),
            JSON.numberNode(Integer.MAX_VALUE),
            JSON.numberNode(1L << 31),
            JSON.numberNode(Long.MAX_VALUE),
            JSON.numberNode(Long.MIN_VALUE),
            JSON.numberNode(8_640_000_000_000_000L),
            JSON.numberNode(8_640_000_000_000_001L),
            JSON.numberNode(-8_640_000_000_000_000L),
            JSON.numberNode(1.5),
            JSON.numberNode(1e3),
            JSON.numberNode(1e308),
            JSON.numberNode(-0.0),
            JSON.numberNode(BigInteger.TEN.pow(30)));

    private Trees() {}

    /** An object with some of the known fields. */
    public static ObjectNode object(FuzzedDataProvider data) {
        return object(data, DEEPEST);
    }

    /** Any JSON. */
    public static JsonNode value(FuzzedDataProvider data) {
        return value(data, DEEPEST);
    }

    /** What the text says; missing when it is no JSON. */
    public static JsonNode parsed(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException noJson) {
            return JSON.missingNode();
        }
    }

    private static ObjectNode object(FuzzedDataProvider data, int depth) {
        ObjectNode object = JSON.objectNode();
        for (int i = data.consumeInt(0, 8); i > 0; i--) {
            String field = data.consumeInt(0, 15) == 0 ? data.consumeString(12) : data.pickValue(FIELDS);
            object.set(field, value(data, depth - 1));
        }
        return object;
    }

    private static JsonNode value(FuzzedDataProvider data, int depth) {
        return switch (data.consumeInt(0, depth > 0 ? 8 : 5)) {
            case 0 -> JSON.textNode(data.consumeString(20));
            case 1 -> JSON.numberNode(data.consumeLong());
            case 2 -> data.consumeBoolean() ? JSON.nullNode() : JSON.booleanNode(data.consumeBoolean());
            case 3 -> data.pickValue(NUMBERS);
            case 4, 5 -> JSON.textNode(data.pickValue(WORDS));
            case 6 -> array(data, depth);
            default -> object(data, depth);
        };
    }

    private static ArrayNode array(FuzzedDataProvider data, int depth) {
        ArrayNode array = JSON.arrayNode();
        for (int i = data.consumeInt(0, 4); i > 0; i--) {
            array.add(value(data, depth - 1));
        }
        return array;
    }
}

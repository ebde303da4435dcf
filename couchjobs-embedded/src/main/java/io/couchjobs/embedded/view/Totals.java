package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Collation;
import io.couchjobs.embedded.protocol.Json;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The built-in reduce functions. */
final class Totals {
    private static final String NOT_SUMMABLE = "The _sum function requires that map values be numbers, arrays of"
            + " numbers, or objects. Objects cannot be mixed with other data structures. Objects can be arbitrarily"
            + " nested, provided that the values for all fields are themselves numbers, arrays of numbers, or objects.";

    private Totals() {}

    static final class Count implements Reducer.Total {
        private long count;

        @Override
        public void add(IndexRow row) {
            count++;
        }

        @Override
        public JsonNode result() {
            return LongNode.valueOf(count);
        }
    }

    /** Counts distinct keys exactly, whereas CouchDB estimates their number. */
    static final class Distinct implements Reducer.Total {
        private final Set<ByteBuffer> keys = new HashSet<>();

        @Override
        public void add(IndexRow row) {
            keys.add(ByteBuffer.wrap(Collation.key(Json.parse(row.key()))));
        }

        @Override
        public JsonNode result() {
            return LongNode.valueOf(keys.size());
        }
    }

    static final class Sum implements Reducer.Total {
        private @Nullable JsonNode trouble;
        private JsonNode sum = IntNode.valueOf(0);

        @Override
        public void add(IndexRow row) {
            try {
                sum = trouble == null ? plus(sum, Json.parse(row.value())) : sum;
            } catch (NotSummable e) {
                trouble = e.value;
            }
        }

        /** Returns the sum, or an error object if a value could not be added. Other rows of the answer are not affected. */
        @Override
        public JsonNode result() {
            if (trouble == null) {
                return sum;
            }
            ObjectNode error =
                    Json.object().put("error", "builtin_reduce_error").put("reason", NOT_SUMMABLE);
            return error.set("caused_by", trouble);
        }
    }

    /** Adds two values. Arrays and objects are added element by element; a number counts as an array of itself. */
    private static JsonNode plus(JsonNode left, JsonNode right) {
        if (left.isNumber() && right.isNumber()) {
            return plusNumber(left, right);
        }
        if (isZero(left) && right.isObject()) {
            return plusObject(Json.object(), right);
        }
        if (left instanceof ObjectNode object && right.isObject()) {
            return plusObject(object, right);
        }
        if ((left.isArray() || left.isNumber()) && (right.isArray() || right.isNumber())) {
            return plusArray(isZero(left) ? Json.array() : asArray(left), asArray(right));
        }
        throw new NotSummable(right);
    }

    private static boolean isZero(JsonNode value) {
        return value.isInt() && value.intValue() == 0;
    }

    static JsonNode plusNumber(JsonNode left, JsonNode right) {
        if (left.isIntegralNumber() && right.isIntegralNumber()) {
            return small(BigIntegerNode.valueOf(left.bigIntegerValue().add(right.bigIntegerValue())));
        }
        return DoubleNode.valueOf(left.doubleValue() + right.doubleValue());
    }

    static JsonNode square(JsonNode value) {
        return value.isIntegralNumber()
                ? small(BigIntegerNode.valueOf(value.bigIntegerValue().pow(2)))
                : DoubleNode.valueOf(value.doubleValue() * value.doubleValue());
    }

    private static JsonNode small(BigIntegerNode number) {
        return number.canConvertToLong() ? LongNode.valueOf(number.longValue()) : number;
    }

    private static ArrayNode asArray(JsonNode value) {
        return value instanceof ArrayNode array ? array : Json.array().add(value);
    }

    private static JsonNode plusArray(ArrayNode left, ArrayNode right) {
        ArrayNode sums = Json.array();
        for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
            if (i >= left.size() || i >= right.size()) {
                sums.add(i < left.size() ? left.get(i) : right.get(i));
            } else {
                sums.add(plus(left.get(i), right.get(i)));
            }
        }
        return sums;
    }

    private static JsonNode plusObject(ObjectNode left, JsonNode right) {
        ObjectNode sums = left.deepCopy();
        for (Map.Entry<String, JsonNode> member : right.properties()) {
            JsonNode before = sums.get(member.getKey());
            sums.set(member.getKey(), before == null ? member.getValue() : plus(before, member.getValue()));
        }
        return sums;
    }

    /** A value that {@code _sum} cannot add. */
    private static final class NotSummable extends RuntimeException {
        private final transient JsonNode value;

        NotSummable(JsonNode value) {
            super("not summable", null, false, false);
            this.value = value;
        }
    }
}

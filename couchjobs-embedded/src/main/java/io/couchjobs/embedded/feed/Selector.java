package io.couchjobs.embedded.feed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.couchjobs.embedded.protocol.Collation;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.util.Arrays;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A condition on a document, compiled from a Mango selector.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/api/database/find.html#selector-syntax">Selector syntax</a>
 */
public final class Selector {
    private Selector() {}

    public static Predicate<JsonNode> compile(JsonNode selector) {
        if (!selector.isObject()) {
            throw CouchError.badRequest("Selector must be a JSON object");
        }
        Predicate<JsonNode> all = doc -> true;
        for (Map.Entry<String, JsonNode> part : selector.properties()) {
            all = all.and(part(part.getKey(), part.getValue()));
        }
        return all;
    }

    private static Predicate<JsonNode> part(String name, JsonNode argument) {
        if (name.startsWith("$")) {
            return operator(name, argument);
        }
        String[] path = name.split("(?<!\\\\)\\.");
        Predicate<JsonNode> inner = condition(argument);
        return doc -> inner.test(at(doc, path));
    }

    private static JsonNode at(JsonNode doc, String[] path) {
        JsonNode value = doc;
        for (String name : path) {
            value = value.isObject() ? value.path(name.replace("\\.", ".")) : MissingNode.getInstance();
        }
        return value;
    }

    /** An object is a nested selector or operators, anything else is meant to be equal. */
    private static Predicate<JsonNode> condition(JsonNode argument) {
        return argument.isObject() && !argument.isEmpty() ? compile(argument) : equal(argument);
    }

    private static Predicate<JsonNode> operator(String name, JsonNode argument) {
        return switch (name) {
            case "$eq" -> equal(argument);
            case "$ne" -> present(equal(argument).negate());
            case "$gt" -> compared(argument, order -> order > 0);
            case "$gte" -> compared(argument, order -> order >= 0);
            case "$lt" -> compared(argument, order -> order < 0);
            case "$lte" -> compared(argument, order -> order <= 0);
            case "$in" -> in(argument);
            case "$nin" -> present(in(argument).negate());
            case "$exists" -> value -> !value.isMissingNode() == argument.asBoolean();
            case "$type" -> value -> typeOf(value).equals(argument.asText());
            case "$and" -> list(argument).reduce(value -> true, Predicate::and);
            case "$or" -> list(argument).reduce(value -> false, Predicate::or);
            case "$nor" -> list(argument).reduce(value -> false, Predicate::or).negate();
            case "$not" -> condition(argument).negate();
            default -> arrayOrText(name, argument);
        };
    }

    private static Predicate<JsonNode> arrayOrText(String name, JsonNode argument) {
        return switch (name) {
            case "$all" -> all(argument);
            case "$elemMatch" -> {
                Predicate<JsonNode> inner = condition(argument);
                yield value -> value.isArray() && elements(value).anyMatch(inner);
            }
            case "$allMatch" -> {
                Predicate<JsonNode> inner = condition(argument);
                yield value ->
                        value.isArray() && !value.isEmpty() && elements(value).allMatch(inner);
            }
            case "$size" -> value -> value.isArray() && value.size() == argument.asInt(-1);
            case "$mod" -> mod(argument);
            case "$regex" -> regex(argument);
            default -> throw CouchError.badRequest("Invalid operator: " + name);
        };
    }

    private static Predicate<JsonNode> present(Predicate<JsonNode> condition) {
        return value -> !value.isMissingNode() && condition.test(value);
    }

    private static Predicate<JsonNode> equal(JsonNode argument) {
        return compared(argument, order -> order == 0);
    }

    private static Predicate<JsonNode> compared(JsonNode argument, IntPredicate wanted) {
        byte[] key = Collation.key(argument);
        return present(value -> wanted.test(Arrays.compareUnsigned(Collation.key(value), key)));
    }

    private static Predicate<JsonNode> in(JsonNode argument) {
        requireArray("$in", argument);
        return elements(argument).map(Selector::equal).reduce(value -> false, Predicate::or);
    }

    private static Predicate<JsonNode> all(JsonNode argument) {
        requireArray("$all", argument);
        return value -> value.isArray()
                && elements(argument).map(Selector::equal).allMatch(wanted -> elements(value)
                        .anyMatch(wanted));
    }

    private static Predicate<JsonNode> mod(JsonNode argument) {
        requireArray("$mod", argument);
        long divisor = argument.path(0).asLong();
        if (divisor == 0) {
            throw CouchError.badRequest("Bad argument for operator $mod: " + Json.text(argument));
        }
        long remainder = argument.path(1).asLong();
        return value -> value.isIntegralNumber() && value.longValue() % divisor == remainder;
    }

    private static Predicate<JsonNode> regex(JsonNode argument) {
        try {
            Pattern pattern = Pattern.compile(argument.asText());
            return value ->
                    value.isTextual() && pattern.matcher(value.textValue()).find();
        } catch (PatternSyntaxException e) {
            throw CouchError.badRequest("Bad argument for operator $regex: " + Json.text(argument));
        }
    }

    private static Stream<Predicate<JsonNode>> list(JsonNode argument) {
        requireArray("combination", argument);
        return elements(argument).map(Selector::compile);
    }

    private static void requireArray(String operator, JsonNode argument) {
        if (!argument.isArray()) {
            throw CouchError.badRequest("Bad argument for operator " + operator + ": " + Json.text(argument));
        }
    }

    private static Stream<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static String typeOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case NULL -> "null";
            case BOOLEAN -> "boolean";
            case NUMBER -> "number";
            case STRING -> "string";
            case ARRAY -> "array";
            case OBJECT -> "object";
            case MISSING, BINARY, POJO -> "";
        };
    }
}

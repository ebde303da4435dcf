package io.couchjobs.embedded.feed;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.embedded.protocol.Collation;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Compiles a Mango selector to a condition on documents. As in CouchDB, a negation applies to the conditions on fields. A
 * document without a field meets neither a condition on the field nor the negated condition.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/api/database/find.html#selector-syntax">Selector syntax</a>
 */
public final class Selector {
    /** Fields are compared in the order of view keys; a document's {@code _id} is compared in the order of document ids. */
    private static final Selector OF_DOCUMENT = new Selector(Collation::key);

    private static final Selector OF_ID = new Selector(Collation::rawKey);
    private static final Selector OF_FIELD = new Selector(Collation::key);

    private final Function<JsonNode, byte[]> order;

    private Selector(Function<JsonNode, byte[]> order) {
        this.order = order;
    }

    public static Predicate<JsonNode> compile(JsonNode selector) {
        return OF_DOCUMENT.compile(selector, false);
    }

    private Predicate<JsonNode> compile(JsonNode selector, boolean not) {
        if (!selector.isObject()) {
            throw CouchError.badRequest("Selector error: expected a JSON object");
        }
        List<Predicate<JsonNode>> parts =
                selector.properties().stream().map(part -> part(part, not)).toList();
        return not && !parts.isEmpty() ? any(parts) : all(parts);
    }

    private static Predicate<JsonNode> all(List<Predicate<JsonNode>> parts) {
        return value -> parts.stream().allMatch(part -> part.test(value));
    }

    private static Predicate<JsonNode> any(List<Predicate<JsonNode>> parts) {
        return value -> parts.stream().anyMatch(part -> part.test(value));
    }

    private Predicate<JsonNode> part(Map.Entry<String, JsonNode> part, boolean not) {
        if (part.getKey().startsWith("$")) {
            return operator(part.getKey(), part.getValue(), not);
        }
        FieldPath path = new FieldPath(part.getKey());
        Selector ofField = this == OF_DOCUMENT && part.getKey().equals("_id") ? OF_ID : OF_FIELD;
        Predicate<JsonNode> inner = ofField.condition(part.getValue(), not);
        return doc -> inner.test(path.in(doc));
    }

    /** Compiles the condition on a field. An object is a nested selector or contains operators; any other value means equality. */
    private Predicate<JsonNode> condition(JsonNode argument, boolean not) {
        return argument.isObject() && !argument.isEmpty()
                ? compile(argument, not)
                : onField(compared(argument, sign -> sign == 0), not);
    }

    private Predicate<JsonNode> operator(String name, JsonNode argument, boolean not) {
        return switch (name) {
            case "$and" -> not ? any(list(name, argument, true)) : all(list(name, argument, false));
            case "$or", "$nor" -> {
                boolean none = name.equals("$nor") != not;
                List<Predicate<JsonNode>> parts = list(name, argument, none);
                yield none || parts.isEmpty() ? all(parts) : any(parts);
            }
            case "$not" -> compile(object(name, argument), !not);
            case "$exists" -> {
                boolean wanted = checked(name, argument, argument.isBoolean()).booleanValue();
                yield value -> !FieldPath.isBad(value) && value.isMissingNode() == (wanted == not);
            }
            default -> onField(test(name, argument), not);
        };
    }

    private static Predicate<JsonNode> onField(Predicate<JsonNode> test, boolean not) {
        return value -> !FieldPath.isBad(value) && !value.isMissingNode() && test.test(value) != not;
    }

    private Predicate<JsonNode> test(String name, JsonNode argument) {
        return switch (name) {
            case "$eq" -> compared(argument, sign -> sign == 0);
            case "$ne" -> compared(argument, sign -> sign != 0);
            case "$gt" -> compared(argument, sign -> sign > 0);
            case "$gte" -> compared(argument, sign -> sign >= 0);
            case "$lt" -> compared(argument, sign -> sign < 0);
            case "$lte" -> compared(argument, sign -> sign <= 0);
            case "$in" -> in(name, argument);
            case "$nin" -> in(name, argument).negate();
            case "$type" -> {
                String wanted = checked(name, argument, argument.isTextual()).textValue();
                yield value -> typeOf(value).equals(wanted);
            }
            case "$size" -> {
                boolean isSize = argument.isIntegralNumber() && argument.longValue() >= 0;
                long wanted = checked(name, argument, isSize).longValue();
                yield value -> value.isArray() && value.size() == wanted;
            }
            case "$mod" -> mod(argument);
            case "$regex" -> regex(argument);
            case "$beginsWith" -> {
                String beginning = text(name, argument);
                yield value -> value.isTextual() && value.textValue().startsWith(beginning);
            }
            default -> testElements(name, argument);
        };
    }

    private Predicate<JsonNode> testElements(String name, JsonNode argument) {
        switch (name) {
            case "$all" -> {
                List<JsonNode> wanted = array(name, argument).toList();
                return value -> value.isArray() && hasAll(value, wanted);
            }
            case "$elemMatch" -> {
                Predicate<JsonNode> inner = condition(object(name, argument), false);
                return value -> value.isArray() && elements(value).anyMatch(inner);
            }
            case "$allMatch" -> {
                Predicate<JsonNode> inner = condition(object(name, argument), false);
                return value ->
                        value.isArray() && !value.isEmpty() && elements(value).allMatch(inner);
            }
            case "$keyMapMatch" -> {
                Predicate<JsonNode> inner = condition(object(name, argument), false);
                return value -> value.isObject()
                        && value.properties().stream().anyMatch(one -> inner.test(TextNode.valueOf(one.getKey())));
            }
            default -> throw invalid(name);
        }
    }

    /** Returns whether a list has all elements. Unlike other operators, {@code $all} compares exactly: 1 does not equal 1.0. */
    private static boolean hasAll(JsonNode list, List<JsonNode> wanted) {
        if (wanted.size() == 1 && wanted.get(0).equals(list)) {
            return true;
        }
        return !wanted.isEmpty()
                && wanted.stream().allMatch(one -> elements(list).anyMatch(one::equals));
    }

    private Predicate<JsonNode> compared(JsonNode argument, IntPredicate wanted) {
        byte[] key = order.apply(argument);
        return value -> wanted.test(Arrays.compareUnsigned(order.apply(value), key));
    }

    /** Compiles {@code $in}. If the field is a list, its elements are tested and not the list itself. */
    private Predicate<JsonNode> in(String name, JsonNode argument) {
        Predicate<JsonNode> equal = any(array(name, argument)
                .map(one -> compared(one, sign -> sign == 0))
                .toList());
        return value -> value.isArray() ? elements(value).anyMatch(equal) : equal.test(value);
    }

    private List<Predicate<JsonNode>> list(String name, JsonNode argument, boolean not) {
        return array(name, argument).map(one -> condition(one, not)).toList();
    }

    private static Predicate<JsonNode> mod(JsonNode argument) {
        boolean isPair = argument.isArray() && argument.size() == 2;
        boolean isWhole =
                argument.path(0).isIntegralNumber() && argument.path(1).isIntegralNumber();
        JsonNode pair = checked("$mod", argument, isPair && isWhole);
        long divisor = pair.get(0).longValue();
        long remainder = pair.get(1).longValue();
        return value -> value.isIntegralNumber() && divisor != 0 && value.longValue() % divisor == remainder;
    }

    private static Predicate<JsonNode> regex(JsonNode argument) {
        String text = text("$regex", argument);
        try {
            Pattern pattern = Pattern.compile(text);
            return value ->
                    value.isTextual() && pattern.matcher(value.textValue()).find();
        } catch (PatternSyntaxException e) {
            throw badArgument("$regex", argument);
        }
    }

    private static Stream<JsonNode> array(String operator, JsonNode argument) {
        return elements(checked(operator, argument, argument.isArray()));
    }

    private static JsonNode object(String operator, JsonNode argument) {
        return checked(operator, argument, argument.isObject());
    }

    private static String text(String operator, JsonNode argument) {
        if (!argument.isTextual()) {
            throw invalid(operator);
        }
        return argument.textValue();
    }

    private static CouchError invalid(String operator) {
        return CouchError.badRequest("Invalid operator: " + operator);
    }

    private static JsonNode checked(String operator, JsonNode argument, boolean isGood) {
        if (!isGood) {
            throw badArgument(operator, argument);
        }
        return argument;
    }

    private static CouchError badArgument(String operator, JsonNode argument) {
        return CouchError.badRequest("Bad argument for operator " + operator + ": " + term(argument));
    }

    /** {@return a value as CouchDB's errors show it: as an Erlang term, in which a string is a list of byte values} */
    private static String term(JsonNode value) {
        if (value.isTextual()) {
            byte[] bytes = value.textValue().getBytes(StandardCharsets.UTF_8);
            return IntStream.range(0, bytes.length)
                    .mapToObj(i -> String.valueOf(bytes[i] & 0xff))
                    .collect(joining(",", "<<", ">>"));
        }
        if (value.isArray()) {
            return elements(value).map(Selector::term).collect(joining(",", "[", "]"));
        }
        if (value.isObject()) {
            return value.properties().stream()
                    .map(one -> "{" + term(TextNode.valueOf(one.getKey())) + "," + term(one.getValue()) + "}")
                    .collect(joining(",", "{[", "]}"));
        }
        return Json.text(value);
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

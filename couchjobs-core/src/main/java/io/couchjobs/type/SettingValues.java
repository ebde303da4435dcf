package io.couchjobs.type;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The values in a document of settings. People write settings too: an invalid value counts as not set. An invalid retention keeps
 * the jobs for ever.
 */
record SettingValues(ObjectNode document) {
    /** {@return a number from 0} */
    Optional<Long> number(String field) {
        return Optional.ofNullable(document.get(field))
                .filter(value -> value.isIntegralNumber() && value.canConvertToLong() && value.asLong() >= 0)
                .map(JsonNode::asLong);
    }

    /** {@return a number from 0 that fits an int} */
    Optional<Integer> count(String field) {
        return number(field).filter(value -> value <= Integer.MAX_VALUE).map(Math::toIntExact);
    }

    /** {@return a number from 0 to 1} */
    Optional<Double> share(String field) {
        return Optional.ofNullable(document.get(field))
                .filter(value -> value.isNumber() && value.asDouble() >= 0 && value.asDouble() <= 1)
                .map(JsonNode::asDouble);
    }

    /** {@return a text} */
    Optional<String> text(String field) {
        return Optional.ofNullable(document.get(field))
                .filter(JsonNode::isTextual)
                .map(JsonNode::textValue);
    }

    /** {@return a list of texts, in order and each once} */
    Optional<Set<String>> names(String field) {
        JsonNode list = document.path(field);
        Set<String> names = new TreeSet<>();
        list.forEach(name -> names.add(name.asText()));
        boolean isList = list.isArray() && list.valueStream().allMatch(JsonNode::isTextual);
        return isList ? Optional.of(Collections.unmodifiableSet(names)) : Optional.empty();
    }

    /** {@return how long jobs stay: for ever where the value is invalid; empty where nothing is set} */
    Optional<Retention> retention(String field) {
        return document.hasNonNull(field)
                ? Retention.parse(document.get(field)).or(() -> Optional.of(new Retention.Forever()))
                : Optional.empty();
    }

    /** {@return a few words for each value that is in the document though nothing could be read from its field} */
    List<String> problems(Map<String, Optional<?>> read) {
        return read.entrySet().stream()
                .filter(value ->
                        document.hasNonNull(value.getKey()) && value.getValue().isEmpty())
                .map(value -> value.getKey() + " cannot be " + document.get(value.getKey()))
                .toList();
    }
}

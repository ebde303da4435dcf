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
 * The values in a settings document. An invalid value counts as not set, because people edit settings too. An invalid retention
 * keeps jobs forever.
 */
record SettingValues(ObjectNode document) {
    /** {@return the number in a field, if it is 0 or more} */
    Optional<Long> number(String field) {
        return Optional.ofNullable(document.get(field))
                .filter(value -> value.isIntegralNumber() && value.canConvertToLong() && value.asLong() >= 0)
                .map(JsonNode::asLong);
    }

    /** {@return the number in a field, if it is 0 or more and fits an int} */
    Optional<Integer> count(String field) {
        return number(field).filter(value -> value <= Integer.MAX_VALUE).map(Math::toIntExact);
    }

    /** {@return the number in a field, if it is from 0 to 1} */
    Optional<Double> share(String field) {
        return Optional.ofNullable(document.get(field))
                .filter(value -> value.isNumber() && value.asDouble() >= 0 && value.asDouble() <= 1)
                .map(JsonNode::asDouble);
    }

    /** {@return the string in a field} */
    Optional<String> text(String field) {
        return Optional.ofNullable(document.get(field))
                .filter(JsonNode::isTextual)
                .map(JsonNode::textValue);
    }

    /** {@return the strings of the array in a field, sorted and without duplicates} */
    Optional<Set<String>> names(String field) {
        JsonNode list = document.path(field);
        Set<String> names = new TreeSet<>();
        list.forEach(name -> names.add(name.asText()));
        boolean isList = list.isArray() && list.valueStream().allMatch(JsonNode::isTextual);
        return isList ? Optional.of(Collections.unmodifiableSet(names)) : Optional.empty();
    }

    /** {@return the retention in a field: forever when the value is invalid; empty when the field is not set} */
    Optional<Retention> retention(String field) {
        return document.hasNonNull(field)
                ? Retention.parse(document.get(field)).or(() -> Optional.of(new Retention.Forever()))
                : Optional.empty();
    }

    /** {@return a short message for each field that is set but has an invalid value} */
    List<String> problems(Map<String, Optional<?>> read) {
        return read.entrySet().stream()
                .filter(value ->
                        document.hasNonNull(value.getKey()) && value.getValue().isEmpty())
                .map(value -> value.getKey() + " cannot be " + document.get(value.getKey()))
                .toList();
    }
}

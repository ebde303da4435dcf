package io.couchjobs.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A JSON value whose texts are {@link Template}s. Immutable and thread-safe.
 *
 * @param filling the function that makes the value for a change
 * @param texts all texts in the JSON value, at any depth
 */
record JsonTemplate(Function<SourceChange, JsonNode> filling, List<Template> texts) {
    private static JsonTemplate of(Collection<JsonTemplate> parts, Function<SourceChange, JsonNode> filling) {
        return new JsonTemplate(
                filling, parts.stream().flatMap(part -> part.texts.stream()).toList());
    }

    /**
     * Reads a template.
     *
     * @throws IllegalArgumentException when a text is a malformed template
     */
    static JsonTemplate parse(JsonNode json) {
        if (json.isTextual()) {
            Template text = Template.parse(json.textValue());
            return new JsonTemplate(text::value, List.of(text));
        } else if (json instanceof ObjectNode object) {
            return ofObject(object);
        } else if (json instanceof ArrayNode array) {
            return ofArray(array);
        }
        return new JsonTemplate(change -> json, List.of());
    }

    private static JsonTemplate ofObject(ObjectNode object) {
        Map<String, JsonTemplate> fields = new LinkedHashMap<>();
        object.properties().forEach(field -> fields.put(field.getKey(), parse(field.getValue())));
        return of(fields.values(), change -> {
            ObjectNode filled = JsonNodeFactory.instance.objectNode();
            fields.forEach((name, value) -> filled.set(name, value.fill(change)));
            return filled;
        });
    }

    private static JsonTemplate ofArray(ArrayNode array) {
        List<JsonTemplate> elements = new ArrayList<>();
        array.forEach(element -> elements.add(parse(element)));
        return of(elements, change -> {
            ArrayNode filled = JsonNodeFactory.instance.arrayNode();
            elements.forEach(element -> filled.add(element.fill(change)));
            return filled;
        });
    }

    JsonNode fill(SourceChange change) {
        return filling.apply(change);
    }
}

package io.couchjobs.engine.document;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The fields of a document, or of an object inside a document, as Java values. Reading a wrong value throws an
 * IllegalArgumentException that names the field and its value. A field that is missing or null reads as empty.
 *
 * @param json the object; it is not copied
 * @param path the prefix of field names in errors: empty for the document, such as {@code job.} for an object inside it
 */
public record CheckedFields(ObjectNode json, String path) {
    private static final int MOST_SHOWN = 60;
    private static final long LONGEST = Duration.ofDays(3650).toMillis();

    /** Refuses unknown fields: they are mistakes, or have a meaning in a later version only. */
    public void requireOnly(Set<String> known) {
        json.fieldNames().forEachRemaining(name -> {
            if (!name.startsWith("_") && !known.contains(name)) {
                throw new IllegalArgumentException("field " + path + name + " is not known; the fields are "
                        + String.join(", ", known.stream().sorted().toList()));
            }
        });
    }

    public boolean has(String field) {
        return json.hasNonNull(field);
    }

    public Optional<String> text(String field) {
        if (!has(field)) {
            return Optional.empty();
        } else if (!json.path(field).isTextual() || json.path(field).textValue().isEmpty()) {
            throw wrong(field, "a text that is not empty");
        }
        return Optional.of(json.path(field).textValue());
    }

    public String required(String field, String what) {
        return text(field)
                .orElseThrow(() -> new IllegalArgumentException("field " + path + field + " is missing: " + what));
    }

    public boolean flag(String field, boolean standard) {
        if (has(field) && !json.path(field).isBoolean()) {
            throw wrong(field, "a boolean");
        }
        return json.path(field).asBoolean(standard);
    }

    public Optional<Duration> duration(String field) {
        return number(field, 0, LONGEST).map(Duration::ofMillis);
    }

    public Optional<Long> number(String field, long least, long most) {
        return number(field, least, most, "an integer from " + least + " to " + most);
    }

    /** Reads a number. The error of a wrong value says what the field must be. */
    public Optional<Long> number(String field, long least, long most, String what) {
        JsonNode value = json.path(field);
        if (!has(field)) {
            return Optional.empty();
        } else if (!value.isNumber()
                || value.asDouble() != Math.rint(value.asDouble())
                || value.asDouble() < least
                || value.asDouble() > most) {
            throw wrong(field, what);
        }
        return Optional.of((long) value.asDouble());
    }

    public Optional<ObjectNode> object(String field) {
        if (has(field) && !json.path(field).isObject()) {
            throw wrong(field, "an object");
        }
        return has(field) ? Optional.of((ObjectNode) json.path(field)) : Optional.empty();
    }

    public Optional<CheckedFields> fields(String field) {
        return object(field).map(inner -> new CheckedFields(inner, path + field + "."));
    }

    public List<String> texts(String field) {
        List<String> texts = new ArrayList<>();
        JsonNode value = json.path(field);
        if (has(field) && !value.isArray()) {
            throw wrong(field, "an array of texts");
        }
        for (JsonNode text : value) {
            if (!text.isTextual() || text.textValue().isEmpty()) {
                throw wrong(field, "an array of texts that are not empty");
            }
            texts.add(text.textValue());
        }
        return List.copyOf(texts);
    }

    public Optional<JsonPointer> pointer(String field) {
        return text(field).map(text -> {
            if (!text.startsWith("/") || text.startsWith("/_")) {
                throw wrong(field, "a JSON Pointer such as /status, to no field that begins with an underscore");
            }
            return JsonPointer.compile(text);
        });
    }

    public <E extends Enum<E>> Optional<E> choice(String field, Class<E> type) {
        E[] all = type.getEnumConstants();
        return text(field).map(text -> Arrays.stream(all)
                .filter(choice -> lower(choice).equals(text))
                .findFirst()
                .orElseThrow(() -> wrong(
                        field,
                        "one of "
                                + String.join(
                                        ", ",
                                        Arrays.stream(all)
                                                .map(CheckedFields::lower)
                                                .toList()))));
    }

    public static String lower(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }

    /** {@return the value read from a field} The error of a wrong value names the field. */
    public <T> T in(String field, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException("field " + path + field + ": " + wrong.getMessage(), wrong);
        }
    }

    public IllegalArgumentException wrong(String field, String what) {
        return new IllegalArgumentException("field " + path + field + " must be " + what + ", not "
                + StoredText.of(json.path(field).toString(), MOST_SHOWN));
    }
}

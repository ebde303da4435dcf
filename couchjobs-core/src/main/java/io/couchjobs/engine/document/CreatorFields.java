package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields of a job document that its creator may set, each to one value. Not thread-safe. */
public final class CreatorFields {
    /** A job that is added again without one of these loses it. Without a site it stays where it is. */
    private static final List<String> REPLACED = List.of(
            Field.GROUP,
            Field.CLASS,
            Field.ORIGIN,
            Field.CORRELATION_ID,
            Field.TRACKER,
            Field.PRIORITY,
            Field.MAX_RETRIES);

    private final ObjectNode fields = JsonNodeFactory.instance.objectNode();

    /** Sets a field in place of its former value; null leaves it out. */
    public void set(String field, @Nullable JsonNode value) {
        fields.remove(field);
        if (value != null) {
            fields.set(field, value);
        }
    }

    /** Sets all fields that others have. */
    public void setAll(CreatorFields others) {
        fields.setAll(others.fields);
    }

    public FieldValues values() {
        return new FieldValues(fields);
    }

    /** Writes the fields into a job's document, and removes those that the job had from an earlier request. */
    public void writeTo(ObjectNode document) {
        document.remove(REPLACED);
        document.setAll(fields);
    }
}

package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.StoredText;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far a run has come. Immutable and thread-safe.
 *
 * @param percent 0 to 100; values outside are clamped
 * @param text the present step of the run, or null
 */
public record Progress(int percent, @Nullable String text) {
    /**
     * Clamps the percentage, and replaces what CouchDB cannot store in the text.
     *
     * @param percent 0 to 100
     * @param text the present step of the run, or null
     */
    public Progress {
        percent = Math.max(0, Math.min(100, percent));
        text = text == null ? null : StoredText.of(text);
    }

    static Progress of(JsonNode progress) {
        return new Progress(
                progress.path(Field.PERCENT).asInt(),
                progress.hasNonNull(Field.MESSAGE)
                        ? progress.path(Field.MESSAGE).asText()
                        : null);
    }

    /** {@return the present step of the run, if it named one} */
    public Optional<String> message() {
        return Optional.ofNullable(text);
    }
}

package io.couchjobs.cli.input;

import io.couchjobs.job.JobRequest;
import java.util.Optional;
import java.util.function.Function;

/** The field of a job's data that is also its id, so that the same file adds the same jobs. Immutable and thread-safe. */
public final class IdField {
    /** No field: a line may name an id; otherwise the id is random. */
    public static final IdField NONE = new IdField(Optional.empty());

    private final Optional<String> name;

    private IdField(Optional<String> name) {
        this.name = name;
    }

    /**
     * {@return the field with the given name}
     *
     * @param name the name
     */
    public static IdField of(String name) {
        return new IdField(Optional.of(name));
    }

    /**
     * Gives a job its id.
     *
     * @param data returns the text of a field of the job's data, by its name
     * @throws IllegalArgumentException when the data has no such field, or its value cannot be an id
     */
    void identify(JobRequest.Builder job, Function<String, Optional<String>> data) {
        name.ifPresent(field -> job.id(data.apply(field)
                .filter(id -> !id.isEmpty())
                .orElseThrow(() -> new IllegalArgumentException("data has no " + field + ", which is to be the id"))));
    }
}

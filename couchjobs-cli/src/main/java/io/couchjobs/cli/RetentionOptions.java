package io.couchjobs.cli;

import io.couchjobs.cli.input.Durations;
import io.couchjobs.type.Retention;
import io.couchjobs.type.TypeSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options for how long finished jobs of a type are kept: {@code D|N|delete|forever|default}. */
final class RetentionOptions {
    @Option(
            names = "--retention",
            paramLabel = "D|N|delete|forever",
            converter = Converter.class,
            description = "How long jobs that succeeded are kept: for a time, the N newest, not at all, for ever;"
                    + " default 30d.")
    private @Nullable OrDefault<Retention> succeeded;

    @Option(
            names = "--failure-retention",
            paramLabel = "D|N|delete|forever",
            converter = Converter.class,
            description =
                    "How long jobs that failed or were cancelled are kept; default 30d, or as --retention if that is"
                            + " longer.")
    private @Nullable OrDefault<Retention> failed;

    boolean isEmpty() {
        return succeeded == null && failed == null;
    }

    TypeSettings change(TypeSettings settings) {
        TypeSettings changed = succeeded == null ? settings : settings.withRetention(succeeded.value());
        return failed == null ? changed : changed.withFailureRetention(failed.value());
    }

    /** {@return a note for each number of jobs, because the number may have been meant as a time} */
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        addNote("--retention", succeeded, notes);
        addNote("--failure-retention", failed, notes);
        return notes;
    }

    private static void addNote(String option, @Nullable OrDefault<Retention> setting, List<String> notes) {
        if (setting != null && setting.value() instanceof Retention.Newest newest) {
            notes.add(option + " " + newest.jobs() + " keeps the " + newest.jobs()
                    + " newest jobs; for a time give a unit, such as " + newest.jobs() + "d");
        }
    }

    static String text(Retention retention) {
        if (retention instanceof Retention.For time) {
            return Durations.format(time.time());
        }
        return retention instanceof Retention.Newest newest
                ? newest.jobs() + " newest"
                : retention.toJson().asText();
    }

    /** Reads a retention; the error message names the text. */
    private static final class Converter implements ITypeConverter<OrDefault<Retention>> {
        @Override
        public OrDefault<Retention> convert(String text) {
            try {
                return new OrDefault<>(
                        switch (text) {
                            case "delete" -> new Retention.Delete();
                            case "forever" -> new Retention.Forever();
                            case "default" -> null;
                            default ->
                                text.matches("\\d{1,9}")
                                        ? new Retention.Newest(Integer.parseInt(text))
                                        : new Retention.For(Durations.parse(text));
                        });
            } catch (IllegalArgumentException wrong) {
                throw new TypeConversionException("not a retention: '" + text
                        + "' (give a time such as 7d, a number of jobs from 1, delete, forever or default)");
            }
        }
    }
}

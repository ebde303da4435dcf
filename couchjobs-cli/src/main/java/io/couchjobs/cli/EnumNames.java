package io.couchjobs.cli;

import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads and writes constants on the command line, in lower case. */
final class EnumNames {
    /** The labels in the order of the help. */
    private static final List<JobFilter.Label> LABELS = List.of(
            JobFilter.Label.GROUP,
            JobFilter.Label.CLASS,
            JobFilter.Label.ORIGIN,
            JobFilter.Label.TAG,
            JobFilter.Label.CORRELATION);

    private EnumNames() {}

    static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Returns a converter that reads a constant in any case. */
    static <E extends Enum<E>> ITypeConverter<E> oneOf(Class<E> type) {
        return oneOf(List.of(type.getEnumConstants()));
    }

    /** Reads a constant in any case. Throws a TypeConversionException that names all constants if there is no such constant. */
    static <E extends Enum<E>> E read(Class<E> type, String word) {
        return read(List.of(type.getEnumConstants()), word);
    }

    static ITypeConverter<JobFilter.Label> label() {
        return oneOf(LABELS);
    }

    private static <E extends Enum<E>> ITypeConverter<E> oneOf(List<E> constants) {
        return word -> read(constants, word);
    }

    private static <E extends Enum<E>> E read(List<E> constants, String word) {
        for (E constant : constants) {
            if (constant.name().equalsIgnoreCase(word)) {
                return constant;
            }
        }
        List<String> all = constants.stream().map(EnumNames::lowerCase).toList();
        throw new TypeConversionException("'" + word + "' is none of " + String.join(", ", all)
                + Nearest.question(word.toLowerCase(Locale.ROOT), all));
    }

    /** The words that can be typed for a status. */
    static final class Statuses extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        Statuses() {
            super(Arrays.stream(JobStatus.values()).map(JobStatus::json).toList());
        }
    }

    /** The words that can be typed for a label. */
    static final class Labels extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        Labels() {
            super(LABELS.stream().map(EnumNames::lowerCase).toList());
        }
    }

    /** The words that can be typed for a state to wait for. */
    static final class Targets extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        Targets() {
            super(List.of("pending", "finished"));
            addAll(new Statuses());
            add("removed");
        }
    }
}

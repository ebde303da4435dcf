package io.couchjobs.cli;

import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How constants are written and completed on the command line: in lower case. */
final class EnumNames {
    private EnumNames() {}

    static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Reads a constant in any case. */
    static <E extends Enum<E>> ITypeConverter<E> oneOf(Class<E> type) {
        return word -> {
            for (E constant : type.getEnumConstants()) {
                if (constant.name().equalsIgnoreCase(word)) {
                    return constant;
                }
            }
            List<String> all = Arrays.stream(type.getEnumConstants())
                    .map(EnumNames::lowerCase)
                    .toList();
            throw new TypeConversionException("'" + word + "' is none of " + String.join(", ", all)
                    + Nearest.question(word.toLowerCase(Locale.ROOT), all));
        };
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
            super(Arrays.stream(JobFilter.Label.values())
                    .map(EnumNames::lowerCase)
                    .toList());
        }
    }

    /** The words that can be typed for something to wait for. */
    static final class Targets extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        Targets() {
            super(List.of("pending", "finished"));
            addAll(new Statuses());
            add("removed");
        }
    }
}

package io.couchjobs.cli;

import io.couchjobs.cli.input.Durations;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A value of a setting, or the request to go back to its default.
 *
 * @param value the value, or null for the default
 * @param <T> the type of the value
 */
record OrDefault<T>(@Nullable T value) {
    /** The word that asks for the default. */
    private static final String DEFAULT = "default";
    /** The word that asks for no limit. */
    private static final String NONE = "none";

    T or(T otherwise) {
        return value == null ? otherwise : value;
    }

    /** Reads {@code default} or a DURATION. */
    static final class OfDuration implements ITypeConverter<OrDefault<Duration>> {
        @Override
        public OrDefault<Duration> convert(String text) {
            try {
                return new OrDefault<>(text.equals(DEFAULT) ? null : Durations.parse(text));
            } catch (IllegalArgumentException bad) {
                throw new TypeConversionException(bad.getMessage() + ", or default");
            }
        }
    }

    /** Reads {@code default} or names separated by commas. */
    static final class OfNames implements ITypeConverter<OrDefault<List<String>>> {
        @Override
        public OrDefault<List<String>> convert(String text) {
            return new OrDefault<>(text.equals(DEFAULT) ? null : List.of(text.split(",", -1)));
        }
    }

    /** Reads {@code default} or a whole number from 0. */
    static final class OfNumber implements ITypeConverter<OrDefault<Integer>> {
        @Override
        public OrDefault<Integer> convert(String text) {
            try {
                OrDefault<Integer> number = new OrDefault<>(text.equals(DEFAULT) ? null : Integer.valueOf(text));
                if (number.or(0) >= 0) {
                    return number;
                }
            } catch (NumberFormatException notANumber) {
                // refused below
            }
            throw new TypeConversionException(
                    "not a number from 0 to " + Integer.MAX_VALUE + ": '" + text + "', nor default");
        }
    }

    /** Reads {@code none} or a whole number from 0. By default, there is no limit. */
    static final class OfLimit implements ITypeConverter<OrDefault<Integer>> {
        @Override
        public OrDefault<Integer> convert(String text) {
            try {
                return text.equals(NONE) ? new OrDefault<>(null) : new OfNumber().convert(text);
            } catch (TypeConversionException bad) {
                throw new TypeConversionException(
                        "not a number from 0 to " + Integer.MAX_VALUE + ": '" + text + "', nor none");
            }
        }
    }
}

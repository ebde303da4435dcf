package io.couchjobs.cli;

import java.util.function.Function;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads whole numbers. The message for other text says that it is too large or not a whole number, and does not mention
 * {@code int}.
 */
final class WholeNumbers {
    private static final Pattern DIGITS = Pattern.compile("[+-]?\\d+");

    private WholeNumbers() {}

    static void register(CommandLine line) {
        line.registerConverter(int.class, whole(Integer::valueOf))
                .registerConverter(Integer.class, whole(Integer::valueOf))
                .registerConverter(long.class, whole(Long::valueOf))
                .registerConverter(Long.class, whole(Long::valueOf));
    }

    private static <N extends Number> ITypeConverter<N> whole(Function<String, N> number) {
        return text -> {
            try {
                return number.apply(text);
            } catch (NumberFormatException none) {
                boolean isTooLarge = DIGITS.matcher(text).matches();
                throw new TypeConversionException(
                        "'" + text + "' is " + (isTooLarge ? "too large" : "not a whole number"));
            }
        };
    }
}

package io.couchjobs.cli;

import io.couchjobs.cli.input.Durations;
import io.couchjobs.type.Rate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a rate, such as {@code 100/1m}, or {@code none}. */
final class RateConverter implements ITypeConverter<OrDefault<Rate>> {
    private static final Pattern RATE = Pattern.compile("(\\d{1,9})/(.+)");

    @Override
    public OrDefault<Rate> convert(String text) {
        if (text.equals("none") || text.equals("default")) {
            return new OrDefault<>(null);
        }
        Matcher rate = RATE.matcher(text);
        if (!rate.matches()) {
            throw new TypeConversionException("not a rate: '" + text + "' (such as 100/1m), nor none");
        }
        try {
            return new OrDefault<>(new Rate(Integer.parseInt(rate.group(1)), Durations.parse(rate.group(2))));
        } catch (IllegalArgumentException bad) {
            throw new TypeConversionException(String.valueOf(bad.getMessage()));
        }
    }
}

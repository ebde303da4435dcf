package io.couchjobs.cli;

import io.couchjobs.job.Strategy;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code H,L}, the counting scheme of fair turns. */
final class FairScheme implements ITypeConverter<Strategy> {
    private static final Pattern SCHEME = Pattern.compile("(\\d{1,9}),(\\d{1,9})");

    @Override
    public Strategy convert(String text) {
        Matcher scheme = SCHEME.matcher(text);
        if (!scheme.matches()) {
            throw new TypeConversionException("not two numbers such as 2,1: '" + text + "'");
        }
        try {
            return Strategy.fair(Integer.parseInt(scheme.group(1)), Integer.parseInt(scheme.group(2)));
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}

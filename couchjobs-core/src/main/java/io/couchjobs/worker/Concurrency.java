package io.couchjobs.worker;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses a concurrency: the number of jobs that run at once. */
final class Concurrency {
    private static final Pattern PER_CORE = Pattern.compile("cores(?:\\*(\\d{1,5}))?");

    private Concurrency() {}

    /** Parses a text such as {@code 8}, {@code cores} or {@code cores*4}. */
    static int parse(String text) {
        Matcher perCore = PER_CORE.matcher(text.strip());
        if (perCore.matches()) {
            int factor = perCore.group(1) == null ? 1 : Integer.parseInt(perCore.group(1));
            return factor * Runtime.getRuntime().availableProcessors();
        }
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("concurrency must be a number, cores or cores*N: \"" + text + "\"", e);
        }
    }
}

package io.couchjobs.cli.output;

import java.util.Locale;

/** The formats of results on standard output. */
public enum Format {
    /** Tables and lines for people; the default. */
    TABLE,
    /** One JSON value, indented. */
    JSON,
    /** One JSON value per line, one line per result. */
    NDJSON;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

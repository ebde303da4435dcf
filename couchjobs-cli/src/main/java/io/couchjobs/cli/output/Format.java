package io.couchjobs.cli.output;

import java.util.Locale;

/** The formats of results on standard output. */
public enum Format {
    /** Tables and lines for people; the default. */
    TABLE,
    /** One JSON value, indented. */
    JSON,
    /** One JSON value per line, one line per result. */
    NDJSON,
    /** The same values as YAML, a document per result. */
    YAML,
    /** The tables as comma-separated values. */
    CSV,
    /** The id of each result, one per line, for other commands. */
    ID;

    /** {@return whether the results are text for people, or the same as comma-separated values} */
    public boolean isTabular() {
        return this == TABLE || this == CSV;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

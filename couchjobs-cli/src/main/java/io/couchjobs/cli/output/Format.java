package io.couchjobs.cli.output;

/** What results look like on standard output. */
public enum Format {
    /** Tables and lines for people; the default. */
    TABLE,
    /** One JSON value, indented. */
    JSON,
    /** One JSON value per line, one line per result. */
    NDJSON
}

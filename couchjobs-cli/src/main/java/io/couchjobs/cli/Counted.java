package io.couchjobs.cli;

/** Writes a number of things for people. */
final class Counted {
    private Counted() {}

    /** {@return text such as {@code 1 job} or {@code 2 jobs}} */
    static String of(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }
}

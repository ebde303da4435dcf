package io.couchjobs.cli;

/** A number of things, for people. */
final class Counted {
    private Counted() {}

    /** {@return such as {@code 1 job} and {@code 2 jobs}} */
    static String of(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }
}

package io.couchjobs.cli;

/** The entry point of the command line. */
final class Main {
    private Main() {}
}

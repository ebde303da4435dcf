package io.couchjobs.cli;

/** The entry point of the command line. */
final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(Cli.run(Shell.ofThisProcess(), args));
    }
}

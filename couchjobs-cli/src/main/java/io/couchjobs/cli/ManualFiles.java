package io.couchjobs.cli;

/** Writes the man pages during the build. Unlike the command, it does not end the JVM, which is Maven's. */
public final class ManualFiles {
    private ManualFiles() {}

    /**
     * Writes the pages.
     *
     * @param args the folder
     */
    public static void main(String[] args) {
        int exitCode = Cli.run(Shell.ofThisProcess(), "manual", "--man", args[0]);
        if (exitCode != 0) {
            throw new IllegalStateException("the man pages could not be written");
        }
    }
}

package io.couchjobs.chaos;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine;

/** The main program. Runs one or more seeds, and ends with exit code 1 when a run broke a promise. */
final class Chaos {
    private Chaos() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Options options;
        try {
            options = Options.parse(List.of(arguments));
        } catch (CommandLine.ParameterException wrong) {
            System.err.println(wrong.getMessage());
            wrong.getCommandLine().usage(System.err);
            System.exit(2);
            return;
        }
        if (options.isHelp) {
            CommandLine.usage(options, System.out);
            return;
        }
        int failed = 0;
        long first = options.seed;
        for (int run = 0; run < options.runs; run++) {
            options.seed = first + run;
            failed += isKept(options) ? 0 : 1;
        }
        System.out.println(options.runs + " runs, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }

    private static boolean isKept(Options options) throws IOException, InterruptedException {
        Verdict verdict = new ChaosRun(options).run();
        System.out.println(verdict.figures());
        System.out.println("seed " + options.seed + ": " + verdict.violations().size() + " violations");
        verdict.violations().forEach(System.out::println);
        return verdict.violations().isEmpty();
    }
}

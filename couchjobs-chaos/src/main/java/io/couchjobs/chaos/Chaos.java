package io.couchjobs.chaos;

import java.io.IOException;
import java.util.List;

/** The command: runs seeds, and ends with 1 when one broke a promise. */
final class Chaos {
    private Chaos() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (List.of(arguments).contains("--help")) {
            System.out.print(Options.USAGE);
            return;
        }
        Options options;
        try {
            options = Options.parse(List.of(arguments));
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.err.print(Options.USAGE);
            System.exit(2);
            return;
        }
        int failed = 0;
        for (int run = 0; run < options.runs(); run++) {
            failed += isKept(options.withSeed(options.seed() + run)) ? 0 : 1;
        }
        System.out.println(options.runs() + " runs, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }

    private static boolean isKept(Options options) throws IOException, InterruptedException {
        Verdict verdict = new ChaosRun(options).run();
        System.out.println(verdict.figures());
        System.out.println(
                "seed " + options.seed() + ": " + verdict.violations().size() + " violations");
        verdict.violations().forEach(System.out::println);
        return verdict.violations().isEmpty();
    }
}

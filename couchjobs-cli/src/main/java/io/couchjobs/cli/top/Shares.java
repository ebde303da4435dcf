package io.couchjobs.cli.top;

/** How lists share the lines of a screen. Stateless. */
final class Shares {
    private Shares() {}

    /** Gives lines to the lists in turn, until there are none left or no list wants more. */
    static int[] of(int lines, int... wanted) {
        int[] given = new int[wanted.length];
        int left = lines;
        boolean more = true;
        while (left > 0 && more) {
            more = false;
            for (int i = 0; i < wanted.length && left > 0; i++) {
                if (given[i] < wanted[i]) {
                    given[i]++;
                    left--;
                    more = true;
                }
            }
        }
        return given;
    }

    /** The first line that is shown of a long list, so that the chosen one is shown. */
    static int first(int rows, int shown, int chosen) {
        return Math.max(0, Math.min(rows - shown, chosen - shown + 1));
    }
}

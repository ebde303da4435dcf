package io.couchjobs.cli.top;

/** Divides the lines of a screen among lists. Stateless. */
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

    /** Returns the first line of a long list to show, so that the chosen line is shown. */
    static int first(int rows, int shown, int chosen) {
        return Math.max(0, Math.min(rows - shown, chosen - shown + 1));
    }
}

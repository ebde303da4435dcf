package io.couchjobs.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Suggests the word that was meant when a word was mistyped. */
final class Nearest {
    private Nearest() {}

    /** {@return the question to append to a message, such as "; did you mean list?"; empty when no word is similar} */
    static String question(String typed, Collection<String> words) {
        return to(typed, words)
                .map(nearest -> "; did you mean " + nearest + "?")
                .orElse("");
    }

    /**
     * {@return the word with the fewest typing errors, if it begins with what was typed or has at most one error in three
     * characters}
     */
    static Optional<String> to(String typed, Collection<String> words) {
        return words.stream()
                .filter(word -> word.startsWith(typed) || errors(typed, word) <= Math.max(1, typed.length() / 3))
                .min(Comparator.<String>comparingInt(word -> errors(typed, word))
                        .thenComparing(word -> word));
    }

    /**
     * Counts the characters that were inserted, left out, replaced, or swapped with their neighbour (optimal string alignment).
     */
    private static int errors(String typed, String word) {
        int[][] errors = new int[typed.length() + 1][word.length() + 1];
        for (int i = 0; i <= typed.length(); i++) {
            for (int j = 0; j <= word.length(); j++) {
                errors[i][j] = i == 0 || j == 0 ? i + j : best(errors, typed, word, i, j);
            }
        }
        return errors[typed.length()][word.length()];
    }

    private static int best(int[][] errors, String typed, String word, int i, int j) {
        int replaced = errors[i - 1][j - 1] + (typed.charAt(i - 1) == word.charAt(j - 1) ? 0 : 1);
        int best = Math.min(replaced, Math.min(errors[i - 1][j], errors[i][j - 1]) + 1);
        boolean swapped = i > 1
                && j > 1
                && typed.charAt(i - 1) == word.charAt(j - 2)
                && typed.charAt(i - 2) == word.charAt(j - 1);
        return swapped ? Math.min(best, errors[i - 2][j - 2] + 1) : best;
    }
}

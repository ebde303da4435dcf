package io.couchjobs.engine.index;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Answer;
import java.util.function.IntFunction;

/** Repeats a read with fewer documents when the answer is too large to be held in memory. */
final class Fewer {
    private Fewer() {}

    /**
     * Reads as many documents as one answer may have.
     *
     * @param most the number that is wanted
     * @param read reads at most the given number; it is repeated with half as many when the answer is too large
     * @throws CouchException when an answer with only one document is too large, or the read fails otherwise
     */
    static <T> T ifTooLarge(int most, IntFunction<T> read) {
        for (int limit = most; ; limit /= 2) {
            try {
                return read.apply(limit);
            } catch (CouchException trouble) {
                if (!Answer.isTooLarge(trouble) || limit <= 1) {
                    throw trouble;
                }
            }
        }
    }
}

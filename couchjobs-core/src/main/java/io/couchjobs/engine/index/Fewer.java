package io.couchjobs.engine.index;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Answer;
import java.util.function.IntFunction;

/** Reads that ask for fewer documents when an answer is too large to be held in memory. */
final class Fewer {
    private Fewer() {}

    /**
     * Reads as many documents as one answer may have.
     *
     * @param most how many are wanted
     * @param read reads at most so many; it is repeated with half as many when the answer is too large
     * @throws CouchException when the answer has one document only and is too large, or of other trouble
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

package io.couchjobs;

/**
 * Something about a queue or its server that people should know. Immutable and thread-safe.
 *
 * @param name what was looked at, in a word
 * @param level how bad it is
 * @param finding what was found
 * @param consequence what comes of it; empty when all is well
 * @param remedy what to do; empty when all is well
 */
public record Problem(String name, Level level, String finding, String consequence, String remedy) {
    /** How bad something is. */
    public enum Level {
        /** As it should be. */
        OK,
        /** Something to know; nothing is broken. */
        NOTE,
        /** Something to be put right. */
        PROBLEM
    }
}

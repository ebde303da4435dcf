package io.couchjobs.interleavings;

/** What one player does, one call after the other. */
@FunctionalInterface
interface Script {
    void play() throws Exception;
}

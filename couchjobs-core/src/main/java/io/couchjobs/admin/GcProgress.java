package io.couchjobs.admin;

/**
 * How far a garbage collection has come. Immutable and thread-safe.
 *
 * @param step what it does, such as {@code "deleting finished jobs"}
 * @param done how many are done in this step; bytes of the file while compacting
 */
public record GcProgress(String step, long done) {}

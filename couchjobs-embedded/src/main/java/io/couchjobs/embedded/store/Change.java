package io.couchjobs.embedded.store;

/** A document's newest change. */
public record Change(long seq, String id) {}

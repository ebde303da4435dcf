package io.couchjobs.embedded.store;

/** The newest change of a document. */
public record Change(long seq, String id) {}

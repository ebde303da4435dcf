package io.couchjobs.embedded.view;

import org.jspecify.annotations.Nullable;

/** A row of an answer, key and value as JSON; a reduced row has no document. */
@SuppressWarnings("ArrayRecordComponent") // never compared as a value
public record ViewRow(@Nullable String id, byte[] key, byte[] value) {}

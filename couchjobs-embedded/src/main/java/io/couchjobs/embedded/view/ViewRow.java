package io.couchjobs.embedded.view;

import org.jspecify.annotations.Nullable;

/** A row of a query's result, with key and value as JSON. A reduced row has no document id. */
@SuppressWarnings("ArrayRecordComponent") // never compared as a value
public record ViewRow(@Nullable String id, byte[] key, byte[] value) {}

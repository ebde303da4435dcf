/** Databases: documents, the order of changes, durable writes. Knows nothing of HTTP or JavaScript. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.store;

/** Databases: documents, the order of changes, and durable writes. Does not depend on HTTP or JavaScript. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.store;

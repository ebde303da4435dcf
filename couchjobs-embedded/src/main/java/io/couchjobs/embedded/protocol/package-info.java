/** What everything above speaks: JSON, CouchDB's errors, its order of values. Knows nothing of databases. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.protocol;

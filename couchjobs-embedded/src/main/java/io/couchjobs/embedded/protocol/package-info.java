/** The basis of all other packages: JSON, CouchDB's errors, its order of values. It knows nothing of databases. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.protocol;

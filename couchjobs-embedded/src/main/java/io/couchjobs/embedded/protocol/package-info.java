/** The basis of all other packages: JSON, CouchDB's errors, and CouchDB's order of values. Does not depend on databases. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.protocol;

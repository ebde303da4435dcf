/** Sandboxed JavaScript, view indexes and queries, and document validation functions. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.view;

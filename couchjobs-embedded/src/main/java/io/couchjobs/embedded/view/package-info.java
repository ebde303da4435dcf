/** JavaScript in a sandbox, view indexes and their queries, document validation functions. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.view;

/** The one root of all exceptions of couchjobs. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.problem;

/** Revisions and revision trees: pure values, no I/O. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.tree;

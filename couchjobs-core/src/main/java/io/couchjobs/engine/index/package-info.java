/** Views and design documents: which jobs are due, what a list shows, and how an index is kept up to date. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.index;

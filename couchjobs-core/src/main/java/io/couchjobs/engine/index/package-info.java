/** Views and design documents: the due jobs, the lists, and the updates of the indexes. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.index;

/** Finds jobs with conflicting revisions, and resolves them. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.conflict;

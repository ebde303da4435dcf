/** Follows the changes of databases, and makes the jobs of triggers from them. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.trigger;

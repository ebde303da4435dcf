/** What creators and operators do to jobs: add, change, cancel, remove, restore. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.create;

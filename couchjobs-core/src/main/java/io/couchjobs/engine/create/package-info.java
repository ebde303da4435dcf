/** The operations of creators and operators on jobs: add, change, cancel, remove, restore. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.create;

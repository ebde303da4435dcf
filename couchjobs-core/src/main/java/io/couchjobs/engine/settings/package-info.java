/** The settings documents of job types, and the parts of a queue that other rooms share. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.settings;

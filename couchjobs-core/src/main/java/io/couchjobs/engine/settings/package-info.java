/** The settings documents of job types, and the parts of a queue that other packages share. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.settings;

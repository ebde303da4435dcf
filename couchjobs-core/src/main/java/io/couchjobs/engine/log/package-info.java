/** The log lines of runs: how they are stored, read and followed. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.log;

/** The benchmark: what the queue does on a server, beside what that server itself can do. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.bench;

/** The benchmark: the speed of the queue on a server, beside the speed of that server itself. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.bench;

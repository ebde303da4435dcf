/** The benchmark: the speed of the queue on a server, compared with the speed of that server itself. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.bench;

/** Time, randomness and threads, and the classes built on them: the server's clock, backoff, deadlines and wake-ups. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.time;

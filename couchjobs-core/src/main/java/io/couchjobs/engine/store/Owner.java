package io.couchjobs.engine.store;

import java.util.function.Predicate;

/**
 * A worker of this process, with the jobs that it owns. Thread-safe.
 *
 * @param worker the worker's id, which is in its locks
 * @param holds returns whether the worker holds the claim with a token, or has just made it
 */
public record Owner(String worker, Predicate<String> holds) {}

package io.couchjobs.engine.store;

import java.util.function.Predicate;

/**
 * A worker of this process, which knows the jobs that it owns. Thread-safe.
 *
 * @param worker its id, which its locks carry
 * @param holds whether it holds the claim of a token, or has just made it
 */
public record Owner(String worker, Predicate<String> holds) {}

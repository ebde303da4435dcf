package io.couchjobs.store;

import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A worker of this process, which knows what it owns. Thread-safe.
 *
 * @param worker its id, which its locks carry
 * @param holds whether it holds the claim of a token, or has just made it
 * @param majorityInReach whether CouchDB confirms a write at this moment; asked on clusters only
 */
public record Owner(String worker, Predicate<String> holds, BooleanSupplier majorityInReach) {
    /** How the {@code _id} of a worker's registration document begins, before the worker's id. */
    public static final String REGISTRATION = "worker:";
}

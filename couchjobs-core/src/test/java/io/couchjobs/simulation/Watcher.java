package io.couchjobs.simulation;

/** Sees what processes ask nodes, and may let it wait. All are called by the actor that asks. */
interface Watcher {
    /** A request is about to be sent. */
    default void sending(Exchange exchange) {}

    /** An answer has come, and the process does not know it yet. */
    default void answered(Exchange exchange, Answer answer) {}
}

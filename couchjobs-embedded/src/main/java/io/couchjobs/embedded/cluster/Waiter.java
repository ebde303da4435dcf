package io.couchjobs.embedded.cluster;

import java.util.function.Consumer;

/** Lets code that blocks ask questions that are answered on an agenda. */
public interface Waiter {
    /**
     * Asks, and waits for the answer.
     *
     * @param question is given the receiver of the answer; it is called on the agenda's thread, or as if it were
     * @return the answer
     */
    <T> T ask(Consumer<Consumer<T>> question) throws InterruptedException;
}

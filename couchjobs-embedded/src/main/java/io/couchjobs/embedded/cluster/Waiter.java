package io.couchjobs.embedded.cluster;

import java.util.function.Consumer;

/** Lets blocking code ask questions that are answered on an agenda. */
public interface Waiter {
    /**
     * Asks a question and waits for the answer.
     *
     * @param question is called with the receiver of the answer, never concurrently with a task of the agenda
     * @return the answer
     */
    <T> T ask(Consumer<Consumer<T>> question) throws InterruptedException;
}

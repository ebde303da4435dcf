package io.couchjobs.test;

import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Gives tests the queue of a program that a framework has started. {@link CouchJobsExtension} finds it by {@link java.util.ServiceLoader}. */
public interface TestQueueProvider {
    /**
     * Looks for the queue of a test.
     *
     * @param context the test
     * @return its queue, which the provider closes; empty when this framework started nothing for the test
     */
    Optional<TestQueue> find(ExtensionContext context);
}

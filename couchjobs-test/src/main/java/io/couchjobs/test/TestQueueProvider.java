package io.couchjobs.test;

import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Provides tests with the queue of an application. {@link CouchJobsExtension} finds it by {@link java.util.ServiceLoader}. */
public interface TestQueueProvider {
    /**
     * Finds the queue of a test.
     *
     * @param context the test
     * @return the queue, which the caller does not close; empty when the framework started no application with a queue for this
     *     test
     */
    Optional<TestQueue> find(ExtensionContext context);
}

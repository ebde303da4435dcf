package io.couchjobs.spring;

import io.couchjobs.worker.WorkerBuilder;

/**
 * Changes the application's worker, for example by interceptors. Beans of this type are called after the properties were applied.
 */
@FunctionalInterface
public interface WorkerCustomizer {
    /**
     * Changes the settings of the worker.
     *
     * @param worker the builder that starts the worker
     */
    void customize(WorkerBuilder worker);
}

package io.couchjobs.spring;

import io.couchjobs.worker.WorkerBuilder;

/** A bean of this type changes how the application's worker is started, after the properties: interceptors, turns, filters. */
@FunctionalInterface
public interface WorkerCustomizer {
    /**
     * Changes it.
     *
     * @param worker the builder that starts the worker
     */
    void customize(WorkerBuilder worker);
}

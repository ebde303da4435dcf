package io.couchjobs.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobData;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A handler as a worker knows it: how to make it, and what to bind the data to. */
record Handler<T>(Class<T> dataType, Supplier<? extends JobHandler<? super T>> factory) {
    @Nullable
    Object handle(ObjectNode data, JobContext context) throws Exception {
        T bound = JobData.bind(data, dataType);
        return factory.get().handle(bound, context);
    }
}

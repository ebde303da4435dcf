package io.couchjobs;

import io.couchjobs.worker.WorkerBuilder;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is added to a queue, in order; once it is open, what one of them throws hurts nobody. Immutable and thread-safe. */
record QueueExtensions(List<QueueExtension> all) {
    private static final Logger log = LoggerFactory.getLogger(QueueExtensions.class);

    void opened(JobQueue queue) {
        all.forEach(extension -> extension.opened(queue));
    }

    void worker(WorkerBuilder worker) {
        tell(extension -> extension.worker(worker));
    }

    void closed(JobQueue queue) {
        tell(extension -> extension.closed(queue));
    }

    private void tell(Consumer<QueueExtension> news) {
        for (QueueExtension extension : all) {
            try {
                news.accept(extension);
            } catch (RuntimeException | Error e) {
                log.error("an extension of the queue failed; nothing else is changed by that", e);
            }
        }
    }
}

package example;

import io.couchjobs.JobQueue;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

@ApplicationScoped
class Queue {
    @Produces
    @Singleton
    JobQueue open(@ConfigProperty(name = "couchjobs.url") String url) {
        return JobQueue.open(url);
    }

    void close(@Disposes JobQueue queue) {
        queue.close();
    }
}

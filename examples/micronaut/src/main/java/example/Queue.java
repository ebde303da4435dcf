package example;

import io.couchjobs.JobQueue;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Property;
import jakarta.inject.Singleton;

@Factory
class Queue {
    @Bean(preDestroy = "close")
    @Singleton
    JobQueue open(@Property(name = "couchjobs.url") String url) {
        return JobQueue.open(url);
    }
}

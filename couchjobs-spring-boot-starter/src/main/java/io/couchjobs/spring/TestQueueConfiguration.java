package io.couchjobs.spring;

import io.couchjobs.JobQueue;
import io.couchjobs.QueueExtension;
import io.couchjobs.test.TestQueue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Replaces the application's queue and worker by a {@link TestQueue}. */
@Configuration(proxyBeanMethods = false)
class TestQueueConfiguration {
    @Bean(destroyMethod = "close")
    TestQueue couchjobsTestQueue(
            ObjectProvider<QueueExtension> extensions, ObjectProvider<JobQueueCustomizer> customizers) {
        return TestQueue.start(builder -> {
            extensions.orderedStream().forEach(builder::extension);
            customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
            return builder;
        });
    }

    @Bean(destroyMethod = "")
    JobQueue jobQueue(TestQueue jobs) {
        return jobs.queue();
    }

    /** Gives the application's handlers to {@link TestQueue#drain}, which runs the jobs instead of a worker. */
    @Bean
    SmartInitializingSingleton couchjobsTestHandlers(
            TestQueue jobs, ConfigurableApplicationContext context, ObjectProvider<WorkerCustomizer> customizers) {
        return () -> {
            HandlerMethods methods = new HandlerMethods(context);
            methods.addTo(jobs::handler);
            customizers.orderedStream().forEach(customizer -> jobs.worker(customizer::customize));
            methods.schedules().forEach(jobs.queue().schedules()::put);
        };
    }
}

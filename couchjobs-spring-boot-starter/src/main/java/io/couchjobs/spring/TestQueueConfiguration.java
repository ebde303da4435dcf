package io.couchjobs.spring;

import io.couchjobs.JobQueue;
import io.couchjobs.QueueExtension;
import io.couchjobs.test.TestQueue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts a {@link TestQueue} in the place of the application's queue and worker. */
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

    /** {@link TestQueue#drain} runs the jobs that the application's worker would run. */
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

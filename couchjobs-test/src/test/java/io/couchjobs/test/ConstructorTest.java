package io.couchjobs.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import java.util.Map;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Test classes that have the queue as a parameter of their constructor. */
@CouchJobsTest
class ConstructorTest {
    private final JobQueue queue;

    ConstructorTest(JobQueue queue) {
        this.queue = queue;
    }

    @RepeatedTest(2)
    void the_constructor_and_the_method_of_a_test_get_the_same_queue_and_each_test_its_own(JobQueue ofTheMethod) {
        assertThat(queue).isSameAs(ofTheMethod);
        assertThat(queue.types().names()).isEmpty();
        queue.add("email", Map.of());
    }

    @Test
    void a_class_with_one_instance_for_all_tests_is_told_to_take_the_queue_in_its_methods() {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(OneInstance.class))
                                .build(),
                        listener);
        assertThat(listener.getSummary().getFailures()).singleElement().satisfies(failure -> assertThat(
                        failure.getException())
                .hasMessageContaining("Lifecycle.PER_CLASS")
                .hasMessageContaining("parameter of the test method"));
    }

    @CouchJobsTest
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class OneInstance {
        OneInstance(JobQueue queue) {
            assertThat(queue).isNotNull();
        }

        @Test
        void passes() {}
    }
}

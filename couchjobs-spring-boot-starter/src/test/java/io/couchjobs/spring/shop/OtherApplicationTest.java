package io.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.test.CouchJobsExtension;
import io.couchjobs.test.TestQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** An application without a queue. */
@ExtendWith({SpringExtension.class, CouchJobsExtension.class})
@ContextConfiguration(classes = OtherApplicationTest.Other.class)
class OtherApplicationTest {
    @Configuration(proxyBeanMethods = false)
    static class Other {}

    @Test
    void its_test_has_a_queue_of_its_own(TestQueue jobs) throws Exception {
        jobs.handler("email", (data, context) -> null);
        assertThat(jobs.drain()).isEmpty();
    }
}

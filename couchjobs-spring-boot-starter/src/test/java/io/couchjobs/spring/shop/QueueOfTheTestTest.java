package io.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobStatus;
import io.couchjobs.test.CouchJobsTest;
import io.couchjobs.test.TestQueue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;

/** What the test of the guide rests on. */
@CouchJobsTest
@SpringBootTest
class QueueOfTheTestTest {
    @Autowired
    private ApplicationContext around;

    @Test
    void the_application_has_the_queue_of_the_test(TestQueue jobs, JobQueue queue, @Autowired JobQueue injected) {
        assertThat(injected).isSameAs(queue).isSameAs(jobs.queue());
    }

    @Test
    void the_guide_quotes_the_test_with_its_imports() throws Exception {
        String guide = Files.readString(Path.of("../docs/spring-boot.md")).replaceAll("\\s", "");
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/spring/shop/SignUpTest.java"));
        assertThat(guide).contains(source.substring(source.indexOf("import ")).replaceAll("\\s", ""));
    }

    @Test
    void a_new_customer_is_welcomed(TestQueue jobs, @Autowired ShopApplication.SignUp signUp) throws Exception {
        register("ada@example.org", jobs, signUp);
    }

    private static void register(String to, TestQueue jobs, ShopApplication.SignUp signUp) throws Exception {
        signUp.register(to);
        jobs.assertEnqueued("email").withDataContaining(Map.of("to", to)).once();
        jobs.drain();
        jobs.assertEnqueued("email")
                .withDataContaining(Map.of("to", to))
                .withStatus(JobStatus.SUCCESS)
                .once();
    }

    @Nested
    class Inside {
        @Test
        void a_new_customer_is_welcomed(TestQueue jobs, @Autowired ShopApplication.SignUp signUp) throws Exception {
            register("bob@example.org", jobs, signUp);
        }

        @Test
        void it_has_the_queue_of_the_class_around_it(
                TestQueue jobs, @Autowired ApplicationContext context, @Autowired JobQueue injected) {
            assertThat(injected).isSameAs(jobs.queue());
            assertThat(context).isSameAs(around);
        }
    }
}

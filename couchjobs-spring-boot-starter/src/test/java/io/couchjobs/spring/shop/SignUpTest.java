package io.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobStatus;
import io.couchjobs.spring.shop.ShopApplication.SignUp;
import io.couchjobs.test.CouchJobsTest;
import io.couchjobs.test.TestQueue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The test of the guide, and what it rests on. */
@CouchJobsTest
@SpringBootTest
class SignUpTest {
    @Test
    void a_new_customer_is_welcomed(TestQueue jobs, @Autowired SignUp signUp) throws Exception {
        signUp.register("ada@example.org");
        jobs.assertEnqueued("email")
                .withDataContaining(Map.of("to", "ada@example.org"))
                .dueNow()
                .once();

        jobs.drain();
        jobs.assertEnqueued("email").withStatus(JobStatus.SUCCESS).once();
    }

    @Test
    void the_application_has_the_queue_of_the_test(TestQueue jobs, JobQueue queue, @Autowired JobQueue injected) {
        assertThat(injected).isSameAs(queue).isSameAs(jobs.queue());
    }

    @Test
    void the_guide_quotes_it() throws Exception {
        String guide = Files.readString(Path.of("../docs/spring-boot.md")).replaceAll("\\s", "");
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/spring/shop/SignUpTest.java"));
        String example = source.substring(
                source.indexOf("@CouchJobsTest\n"), source.indexOf("    @Test\n    void the_application"));
        assertThat(guide).contains(example.replaceAll("\\s", ""));
    }
}

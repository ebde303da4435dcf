package example;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.JobStatus;
import io.couchjobs.test.CouchJobsTest;
import io.couchjobs.test.TestQueue;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@CouchJobsTest
@SpringBootTest
class SignUpTest {
    @Test
    void a_new_customer_is_welcomed(TestQueue jobs, @Autowired ShopApplication.SignUp signUp) throws Exception {
        signUp.register("ada@example.org");
        jobs.drain();
        jobs.assertEnqueued("email").withStatus(JobStatus.SUCCESS).once();
    }

    @Test
    void jobs_are_counted(TestQueue jobs, @Autowired ShopApplication.SignUp signUp, @Autowired MeterRegistry registry) {
        signUp.register("bob@example.org");
        assertThat(registry.get("couchjobs.jobs.added").tag("type", "email").counter().count())
                .isPositive();
    }
}

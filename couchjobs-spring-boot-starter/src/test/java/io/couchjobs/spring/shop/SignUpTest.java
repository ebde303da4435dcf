package io.couchjobs.spring.shop;

import io.couchjobs.job.JobStatus;
import io.couchjobs.test.CouchJobsTest;
import io.couchjobs.test.TestQueue;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@CouchJobsTest
@SpringBootTest
class SignUpTest {
    @Test
    void a_new_customer_is_welcomed(TestQueue jobs, @Autowired ShopApplication.SignUp signUp) throws Exception {
        signUp.register("ada@example.org");
        jobs.assertEnqueued("email")
                .withDataContaining(Map.of("to", "ada@example.org"))
                .dueNow()
                .once();

        jobs.drain();
        jobs.assertEnqueued("email").withStatus(JobStatus.SUCCESS).once();
    }
}

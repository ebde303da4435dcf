package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.couchjobs.job.JobStatus;
import io.couchjobs.test.CouchJobsTest;
import io.couchjobs.test.TestQueue;
import java.util.Map;
import org.junit.jupiter.api.Test;

@CouchJobsTest
class ShopTest {
    @Test
    void a_new_customer_gets_a_mail(TestQueue jobs) throws Exception {
        Shop.register(jobs.queue(), "ada@example.org");
        jobs.assertEnqueued("email").withDataContaining(Map.of("to", "ada@example.org")).once();

        jobs.handler("email", Shop.Email.class, Shop::send);
        assertEquals(1, jobs.drain().size());
        jobs.assertEnqueued("email").withStatus(JobStatus.SUCCESS).once();
    }

    @Test
    void a_mail_without_an_address_is_not_retried(TestQueue jobs) throws Exception {
        Shop.register(jobs.queue(), "nobody");

        jobs.handler("email", Shop.Email.class, Shop::send);
        jobs.drain();
        jobs.assertEnqueued("email").withStatus(JobStatus.FAILED).once();
    }
}

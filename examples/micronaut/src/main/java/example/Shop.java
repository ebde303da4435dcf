package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.micronaut.context.ApplicationContext;
import java.time.Duration;
import java.util.Map;

/** Registers a customer and waits for the mail. A service calls Micronaut.run. */
public class Shop {
    public static void main(String[] arguments) throws Exception {
        try (ApplicationContext shop = ApplicationContext.run(Map.of("couchjobs.url", arguments[0]))) {
            JobQueue queue = shop.getBean(JobQueue.class);
            var added = queue.add(Mailer.EMAIL, new Mailer.Email("ada@example.org", "Welcome"));
            Job job = queue.awaitFinished(added.id(), Duration.ofMinutes(1)).orElseThrow();
            System.out.println(job.status() + ": " + job.result().orElseThrow().asText());
        }
    }
}

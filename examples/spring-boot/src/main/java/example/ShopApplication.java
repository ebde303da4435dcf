package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobType;
import io.couchjobs.spring.JobHandler;
import io.couchjobs.worker.JobContext;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Component;

@SpringBootApplication
public class ShopApplication {
    record Email(String to, String subject) {}

    static final JobType<Email> EMAIL = JobType.of("email", Email.class);

    @Component
    static class SignUp {
        private final JobQueue queue;

        SignUp(JobQueue queue) {
            this.queue = queue;
        }

        JobId register(String address) {
            return queue.add(EMAIL, new Email(address, "Welcome")).id();
        }
    }

    @Component
    static class Mailer {
        @JobHandler("email")
        String send(Email email, JobContext context) {
            context.log("sending " + email.subject());
            return "sent to " + email.to();
        }
    }

    /** Registers a customer and waits for the mail. A service only runs. */
    public static void main(String[] arguments) throws Exception {
        try (ConfigurableApplicationContext shop = SpringApplication.run(ShopApplication.class, arguments)) {
            JobId id = shop.getBean(SignUp.class).register("ada@example.org");
            Job job = shop.getBean(JobQueue.class).awaitFinished(id, Duration.ofMinutes(1)).orElseThrow();
            System.out.println(job.status() + ": " + job.result().orElseThrow().asText());
        }
    }
}

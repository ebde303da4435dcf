package io.couchjobs.spring.shop;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobType;
import io.couchjobs.spring.JobHandler;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.PermanentJobException;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
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
        Map<String, String> send(Email email, JobContext context) {
            if (!email.to().contains("@")) {
                throw new PermanentJobException("not an address: " + email.to());
            }
            context.log("sending " + email.subject());
            return Map.of("sentTo", email.to());
        }
    }

    public static void main(String[] args) {
        SpringApplication.run(ShopApplication.class, args);
    }
}

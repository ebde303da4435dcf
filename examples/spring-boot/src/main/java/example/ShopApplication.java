package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobType;
import io.couchjobs.spring.JobHandler;
import io.couchjobs.worker.JobContext;
import java.time.Duration;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
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

    /** Registers a customer when the application has started. */
    @Bean
    ApplicationRunner customer(SignUp signUp, JobQueue queue) {
        return arguments -> {
            JobId id = signUp.register("ada@example.org");
            Job job = queue.awaitFinished(id, Duration.ofMinutes(1)).orElseThrow();
            System.out.println(job.status() + ": " + job.result().orElseThrow().asText());
        };
    }

    /** Closes the application when it has started. A service goes on: leave out close(). */
    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments).close();
    }
}

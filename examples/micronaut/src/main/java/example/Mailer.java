package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import io.micronaut.context.annotation.Context;
import jakarta.annotation.PreDestroy;
import java.time.Duration;

@Context
class Mailer {
    record Email(String to, String subject) {}

    static final JobType<Email> EMAIL = JobType.of("email", Email.class);

    private final Worker worker;

    Mailer(JobQueue queue) {
        worker = queue.worker().handler(EMAIL, Mailer::send).start();
    }

    @PreDestroy
    void stop() {
        worker.close(Duration.ofSeconds(20));
    }

    private static String send(Email email, JobContext context) {
        context.log("sending " + email.subject());
        return "sent to " + email.to();
    }
}

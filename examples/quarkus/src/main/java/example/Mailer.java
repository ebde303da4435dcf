package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;

@Singleton
class Mailer {
    record Email(String to, String subject) {}

    static final JobType<Email> EMAIL = JobType.of("email", Email.class);

    private Worker worker;

    void start(@Observes StartupEvent event, JobQueue queue) {
        worker = queue.worker().handler(EMAIL, this::send).start();
    }

    void stop(@Observes ShutdownEvent event) {
        worker.close(Duration.ofSeconds(20));
    }

    private String send(Email email, JobContext context) {
        context.log("sending " + email.subject());
        return "sent to " + email.to();
    }
}

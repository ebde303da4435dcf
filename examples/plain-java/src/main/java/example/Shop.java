package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.time.Duration;

/** Adds a job, runs it by a worker, and waits for its end. */
public final class Shop {
    record Email(String to, String subject) {}

    static final JobType<Email> EMAIL = JobType.of("email", Email.class);

    private Shop() {}

    static JobId register(JobQueue queue, String address) {
        return queue.add(EMAIL, new Email(address, "Welcome")).id();
    }

    static String send(Email email, JobContext context) {
        if (!email.to().contains("@")) {
            throw new PermanentJobException("not an address: " + email.to());
        }
        context.log("sending " + email.subject());
        return "sent to " + email.to();
    }

    public static void main(String[] arguments) throws Exception {
        try (JobQueue queue = JobQueue.open(arguments[0]);
                Worker worker = queue.worker().concurrency(4).handler(EMAIL, Shop::send).start()) {
            JobId id = register(queue, "ada@example.org");
            Job job = queue.awaitFinished(id, Duration.ofMinutes(1)).orElseThrow();
            System.out.println(job.status() + ": " + job.result().orElseThrow().asText());
        }
    }
}

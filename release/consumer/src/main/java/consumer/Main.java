package consumer;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobType;
import java.net.URI;
import java.time.Duration;

/** Adds a job, runs it, and fails when its result is not the expected one. */
public final class Main {
    record Email(String to) {}

    private static final JobType<Email> EMAIL = JobType.of("email", Email.class);

    public static void main(String[] arguments) throws Exception {
        try (EmbeddedCouch server = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.open(URI.create(server.url() + "jobs").toString());
                var worker = queue.worker()
                        .handler(EMAIL, (email, context) -> "sent to " + email.to())
                        .start()) {
            var added = queue.add(EMAIL, new Email("ada@example.org"));
            Job ended = queue.awaitFinished(added.id(), Duration.ofMinutes(1)).orElseThrow();
            String result = ended.result().orElseThrow().asText();
            if (!result.equals("sent to ada@example.org")) {
                throw new IllegalStateException("the result is " + result);
            }
            System.out.println("a job was " + result);
        }
    }
}

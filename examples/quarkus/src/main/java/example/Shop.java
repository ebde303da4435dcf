package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.inject.Inject;
import java.time.Duration;

/** Registers a customer and waits for the mail. A service has no main class, or calls Quarkus.waitForExit() here. */
@QuarkusMain
class Shop implements QuarkusApplication {
    @Inject
    JobQueue queue;

    @Override
    public int run(String... arguments) throws Exception {
        var added = queue.add(Mailer.EMAIL, new Mailer.Email("ada@example.org", "Welcome"));
        Job job = queue.awaitFinished(added.id(), Duration.ofMinutes(1)).orElseThrow();
        System.out.println(job.status() + ": " + job.result().orElseThrow().asText());
        return 0;
    }
}

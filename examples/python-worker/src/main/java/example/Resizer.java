package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobType;
import java.time.Duration;

/** Adds jobs that a worker in Python runs. */
public final class Resizer {
    record Picture(String file, int width) {}

    static final JobType<Picture> RESIZE = JobType.of("resize", Picture.class);

    private Resizer() {}

    public static void main(String[] arguments) throws Exception {
        try (JobQueue queue = JobQueue.open(arguments[0])) {
            JobId id = queue.add(RESIZE, new Picture("ada.jpg", 320)).id();
            Job job = queue.awaitFinished(id, Duration.ofMinutes(1)).orElseThrow();
            System.out.println("Python says: " + job.result().orElseThrow().path("made").asText());
        }
    }
}

package example;

import io.couchjobs.JobArrays;
import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.ChunkHandler;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** A campaign of 100,000 e-mails in two hundred documents, sent a hundred at a time. */
public final class Campaign {
    record Mail(String to) {}

    static final JobType<Mail> MAIL = JobType.of("mail", Mail.class);
    static final JobId CAMPAIGN = new JobId("mail", "campaign-7");

    private Campaign() {}

    static void send(List<ChunkHandler.Item<Mail>> mails, JobContext context) {
        for (ChunkHandler.Item<Mail> mail : mails) {
            if (mail.data().to().startsWith("nobody")) {
                mail.fail(new PermanentJobException("no such address"));
            } else {
                mail.succeed("sent");
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<Mail> mails = IntStream.range(0, 100_000)
                .mapToObj(number -> new Mail((number == 500 ? "nobody" : "customer" + number) + "@example.org"))
                .toList();
        try (JobQueue queue = JobQueue.open(arguments[0]);
                Worker worker = queue.worker()
                        .concurrency(2)
                        .handler(MAIL, ChunkHandler.upTo(100, Campaign::send))
                        .start()) {
            queue.addArray(MAIL, CAMPAIGN.id(), mails);
            for (Job chunk : queue.arrays().chunks(CAMPAIGN).toList()) {
                queue.awaitFinished(chunk.id(), Duration.ofMinutes(1)).orElseThrow();
            }
            JobArrays.State state = queue.arrays().get(CAMPAIGN).orElseThrow();
            System.out.println(state.items() + " mails in " + state.chunks() + " documents: " + state.succeeded()
                    + " sent, " + state.failed() + " failed");
        }
    }
}

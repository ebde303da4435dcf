package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobType;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Claims jobs in a loop of its own, up to 50 at once, and ends each of them. */
public final class Indexer {
    record Page(String book, int number) {}

    static final JobType<Page> PAGE = JobType.of("page", Page.class);

    private int indexed;
    private int failed;

    private void index(JobQueue queue) throws InterruptedException {
        AcceptOptions options = AcceptOptions.of(PAGE).max(50).timeout(Duration.ofSeconds(2));
        for (List<ClaimedJob> claims = queue.accept(options); !claims.isEmpty(); claims = queue.accept(options)) {
            claims.forEach(this::end);
        }
    }

    private void end(ClaimedJob claim) {
        try {
            claim.finish(put(claim.data(PAGE)));
            indexed++;
        } catch (HaltException lost) {
            System.err.println("not ours any more: " + lost.getMessage());
        } catch (RuntimeException problem) {
            claim.fail(JobError.Kind.FAILED, problem.getMessage(), null, true);
            failed++;
        }
    }

    /** Stands for a search index. */
    private static String put(Page page) {
        if (page.number() == 13) {
            throw new IllegalArgumentException("there is no page 13");
        }
        return page.book() + "/" + page.number();
    }

    public static void main(String[] arguments) throws Exception {
        try (JobQueue queue = JobQueue.open(arguments[0])) {
            queue.addAll(
                    PAGE,
                    IntStream.rangeClosed(1, 100)
                            .mapToObj(number -> new Page("novel", number))
                            .toList());
            Indexer indexer = new Indexer();
            indexer.index(queue);
            System.out.println(indexer.indexed + " pages indexed, " + indexer.failed + " failed");
        }
    }
}

package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Twenty pages are printed, and the book is bound when all of them are done. */
public final class Printer {
    record Page(String book, int number) {}

    record Book(String title) {}

    static final JobType<Page> PAGE = JobType.of("page", Page.class);
    static final JobType<Book> BINDING = JobType.of("binding", Book.class);

    private Printer() {}

    static void print(JobQueue queue, String title) {
        List<JobRequest> pages = IntStream.rangeClosed(1, 20)
                .mapToObj(number -> JobRequest.builder(PAGE, new Page(title, number))
                        .id(title + "-" + number)
                        .correlationId(title)
                        .build())
                .toList();
        queue.addBatch(
                pages, JobRequest.builder(BINDING, new Book(title)).id(title).build());
    }

    static String bind(JobQueue queue, Book book) {
        JobFilter pages = JobFilter.all().type(PAGE).correlationId(book.title());
        long printed = queue.all(pages)
                .filter(page -> page.status() == JobStatus.SUCCESS)
                .count();
        return "a book of " + printed + " pages";
    }

    static String press(Page page, JobContext context) {
        return page.book() + ", page " + page.number();
    }

    public static void main(String[] arguments) throws Exception {
        try (JobQueue queue = JobQueue.open(arguments[0]);
                Worker worker = queue.worker()
                        .concurrency(4)
                        .handler(PAGE, Printer::press)
                        .handler(BINDING, (book, context) -> bind(queue, book))
                        .start()) {
            print(queue, "novel");
            Job bound = queue.awaitFinished("binding", "novel", Duration.ofMinutes(1)).orElseThrow();
            System.out.println(bound.result().orElseThrow().asText());
        }
    }
}

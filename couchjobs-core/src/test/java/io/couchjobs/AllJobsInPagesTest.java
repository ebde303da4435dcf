package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** All jobs, however many, are read page by page. */
@ServerTest
class AllJobsInPagesTest {
    @Test
    void an_iterator_reads_no_more_than_it_is_asked_for(TestDatabase database) {
        AtomicInteger pages = new AtomicInteger();
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue queue = TestQueue.open(proxy.door(database))) {
            queue.addAll(IntStream.range(0, 1_600)
                    .mapToObj(i -> JobRequest.of("email", Map.of("number", i)))
                    .toList());
            proxy.detour(new Proxy.Detour() {
                @Override
                public boolean goes(Proxy.Request request) {
                    if (request.uri().getPath().endsWith("/_view/status")) {
                        pages.incrementAndGet();
                    }
                    return true;
                }
            });
            JobFilter waiting = JobFilter.all().type("email").status(JobStatus.WAITING);
            assertThat(queue.all(waiting)).hasSize(1_600);
            int all = pages.getAndSet(0);
            assertThat(queue.all(waiting).iterator().next().type()).isEqualTo("email");
            assertThat(pages.get()).isLessThan(all);
        }
    }
}

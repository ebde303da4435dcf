package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SearchedIdsTest {
    private static final int PEOPLE = 10;

    @Test
    void a_search_by_several_people_at_the_same_time_asks_the_database_once() throws Exception {
        AtomicInteger questions = new AtomicInteger();
        try (EmbeddedCouch server = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.builder(server.url() + "jobs")
                        .renewLeases(false)
                        .open();
                Dashboard dashboard = Dashboard.of(queue).listen("127.0.0.1", 0)) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            Browser browser = new Browser(dashboard.url());
            server.faults().answer(1, request -> request.path().endsWith("/_all_docs") && isCounted(questions), 500);
            for (int i = 0; i < PEOPLE; i++) {
                assertThat(browser.json("jobs?id=1").path("jobs")).hasSize(1);
            }
        }
        assertThat(questions).hasValueLessThan(PEOPLE);
    }

    private static boolean isCounted(AtomicInteger questions) {
        questions.incrementAndGet();
        return false;
    }
}

package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobPage;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lists and pages show all jobs in one order, also while jobs change their status. */
@ServerTest
class ListsWhileJobsChangeTest {
    private Proxy proxy;
    private JobQueue queue;
    private JobQueue reader;
    private ClaimedJob claim;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        proxy = Proxy.before(database.server());
        reader = TestQueue.open(proxy.door(database));
    }

    @AfterEach
    void close() {
        proxy.close();
        reader.close();
        queue.close();
    }

    @Test
    void a_job_that_is_there_all_the_time_is_in_every_list_and_page_though_its_status_changes() throws Exception {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        claim = queue.accept(AcceptOptions.of("email")).get(0);
        proxy.detour(new Proxy.Detour() {
            @Override
            public boolean goes(Proxy.Request request) {
                if (request.uri().getPath().contains("/_view/")) {
                    changeStatus();
                }
                return true;
            }
        });
        for (int call = 0; call < 20; call++) {
            assertThat(reader.list(JobFilter.all(), 10))
                    .as("list, call " + call)
                    .hasSize(1);
            assertThat(reader.page(JobFilter.all(), null, 10).jobs())
                    .as("page, call " + call)
                    .hasSize(1);
        }
    }

    private synchronized void changeStatus() {
        try {
            if (claim == null) {
                claim = queue.accept(AcceptOptions.of("email")).get(0);
            } else {
                claim.release();
                claim = null;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void all_jobs_together_are_listed_by_their_creation_whatever_their_status_and_type() {
        TestQueue.assumeThatAnythingCanBeStored();
        put("email", "1", "waiting", "{'created':1000}");
        put("sms", "2", "success", "{'created':2000,'finished':9000}");
        put("email", "3", "failed", "{'created':3000,'finished':3500}");
        put("sms", "4", "waiting", "{'created':4000}");

        assertThat(ids(queue.list(JobFilter.all(), 10))).containsExactly("4", "3", "2", "1");
        assertThat(ids(queue.list(JobFilter.all(), 2))).containsExactly("4", "3");
        assertThat(pages(JobFilter.all())).containsExactly("4", "3", "2", "1");
        assertThat(ids(queue.list(JobFilter.all().type("email"), 10))).containsExactly("3", "1");
    }

    @ParameterizedTest
    @EnumSource(
            value = JobStatus.class,
            names = {"SUCCESS", "FAILED", "CANCELLED"})
    void finished_jobs_of_one_status_are_listed_by_their_ends(JobStatus status) {
        TestQueue.assumeThatAnythingCanBeStored();
        put("email", "old", status.json(), "{'created':1000,'finished':9000}");
        put("sms", "middle", status.json(), "{'created':3000,'finished':8000}");
        put("email", "new", status.json(), "{'created':5000,'finished':6000}");
        put("email", "says-little", status.json(), "{'created':500,'claimed':7000}");
        put("email", "other", "waiting", "{'created':5000}");

        List<String> latestFirst = List.of("old", "middle", "says-little", "new");
        assertThat(ids(queue.list(JobFilter.all().status(status), 10))).isEqualTo(latestFirst);
        assertThat(ids(queue.list(JobFilter.all().status(status), 1))).containsExactly("old");
        assertThat(pages(JobFilter.all().status(status))).isEqualTo(latestFirst);
    }

    @Test
    void jobs_that_wait_for_a_retry_are_listed_by_their_failures() {
        TestQueue.assumeThatAnythingCanBeStored();
        put("email", "old", "stuck", "{'created':1000,'failed':9000}");
        put("email", "new", "stuck", "{'created':5000,'failed':6000}");

        assertThat(ids(queue.list(JobFilter.all().status(JobStatus.STUCK), 10))).containsExactly("old", "new");
    }

    private List<String> pages(JobFilter filter) {
        List<String> ids = new ArrayList<>();
        JobPage page = queue.page(filter, null, 1);
        ids.addAll(ids(page.jobs()));
        while (page.end() != null) {
            page = queue.page(filter, page.end(), 1);
            ids.addAll(ids(page.jobs()));
        }
        return ids;
    }

    private void put(String type, String id, String status, String times) {
        ObjectNode job = Jobs.json("{'_id':'job:" + type + ":" + id + "','data':{},'times':" + times + "}");
        queue.database().put(job.put("status", status));
    }

    private static List<String> ids(List<Job> jobs) {
        return jobs.stream().map(job -> job.id().id()).toList();
    }
}

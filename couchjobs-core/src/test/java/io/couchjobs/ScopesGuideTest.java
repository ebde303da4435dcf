package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Scopes;
import io.couchjobs.scope.Submission;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The example of the guide on scopes. */
@ServerTest
class ScopesGuideTest {
    private static final Path GUIDE = Path.of("../docs/scopes.md");

    // The example of the guide.

    record Page(String url) {}

    static Scopes.Host serveIndexes(JobQueue queue) {
        return queue.scopes().serve(ScopeService.of("index", Page.class, (page, context) -> {
            Scope scope = Scope.ofJobType(context.id().type()).orElseThrow();
            return Map.of("indexed", page.url(), "in", scope.partition());
        }));
    }

    static Submission indexEverywhere(JobQueue queue, String url) {
        for (int partition = 0; partition < 4; partition++) {
            queue.scopes().start(Scope.of("index", partition), ScopeConfig.DEFAULTS.concurrency(2));
        }
        return queue.scopes().submit("index", JobRequest.of("index", new Page(url)), ending -> {
            if (ending.outcome() != Ending.Outcome.FINISHED) {
                System.err.println(ending.scope() + " " + ending.outcome() + ": " + ending.reason());
            }
        });
    }

    // End of the example.

    @Test
    void the_guide_quotes_the_example_that_runs() throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(GUIDE));
        assertThat(block.find()).isTrue();
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/ScopesGuideTest.java"));
        assertThat(withoutSpace(source)).contains(withoutSpace(block.group(1)));
    }

    @Test
    void the_example_runs_a_job_in_each_partition(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database);
                Scopes.Host host = serveIndexes(queue)) {
            Submission submission = indexEverywhere(queue, "https://example.org/");
            assertThat(submission.answers()).hasSize(4).containsValue(Submission.Answer.OK);
            assertThat(submission.isAccepted()).isTrue();
            for (Scope scope : submission.accepted()) {
                Job done = TestQueue.finished(queue, scope.jobType(), submission.id());
                assertThat(done.result().orElseThrow().path("in").asText()).isEqualTo(scope.partition());
            }
            assertThat(queue.scopes().find(submission.correlationId())).hasSize(4);
            BlockingQueue<Ending.Outcome> outcomes = new LinkedBlockingQueue<>();
            queue.scopes()
                    .submit(
                            Scope.of("index", 3),
                            JobRequest.of("index", new Page("https://example.org/")),
                            ending -> outcomes.add(ending.outcome()));
            assertThat(outcomes.poll(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(Ending.Outcome.FINISHED);
            assertThat(queue.scopes().stop(Scope.of("index", 3), Duration.ofSeconds(10)))
                    .isTrue();
            assertThat(host.toString()).contains("index");
        }
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s", "");
    }
}

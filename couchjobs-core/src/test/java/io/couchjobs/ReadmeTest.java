package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.worker.Worker;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

@ServerTest
class ReadmeTest {
    @Test
    void the_example_of_the_readme_runs(TestDatabase database) throws Exception {
        String url = withCredentials(database);
        record Email(String to, String subject) {}

        try (JobQueue queue = JobQueue.open(url);
                Worker worker = queue.worker()
                        .concurrency(4)
                        .handler("email", Email.class, (email, context) -> Map.of("sentTo", email.to()))
                        .start()) {
            AddResult added = queue.add("email", new Email("ada@example.org", "Hello"));
            Job job = queue.awaitFinished("email", added.id().id(), Duration.ofMinutes(1))
                    .orElseThrow();
            System.out.println(
                    worker.id() + ": " + job.status() + " " + job.result().orElseThrow());
            assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
        }
    }

    @Test
    void the_readme_quotes_the_example_that_runs() throws Exception {
        Matcher block =
                Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of("../README.md")));
        assertThat(block.find()).isTrue();
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/ReadmeTest.java"));
        String quoted = block.group(1).strip();
        // The example ends where the test begins to check; only the closing brace comes after.
        String example = quoted.substring(0, quoted.length() - 1);
        assertThat(withoutSpace(source)).contains(withoutSpace(example));
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s", "");
    }

    private static String withCredentials(TestDatabase database) {
        URI url = database.url();
        return database.user()
                .map(user -> url.getScheme() + "://" + user + ":"
                        + database.password().orElse("") + "@" + url.getRawAuthority() + url.getRawPath())
                .orElseGet(url::toString);
    }
}

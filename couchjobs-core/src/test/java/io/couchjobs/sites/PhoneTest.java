package io.couchjobs.sites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of the guide on sites: PouchDB, the client as npm has it, creates jobs offline. */
@ServerTest
class PhoneTest {
    private static final Path GUIDE = Path.of("../docs/sites.md");
    private static final Path PHONE = Path.of("src/test/resources/phone/phone.js");

    // The example of the guide.

    record Email(String to, String subject) {}

    static Worker sendEmails(JobQueue central) {
        return central.worker()
                .handler("email", Email.class, (email, context) -> Map.of("sentTo", email.to()))
                .start();
    }

    // End of the example.

    @Test
    void the_guide_quotes_the_example_that_runs() throws Exception {
        String guide = Files.readString(GUIDE);
        List<String> quoted = Pattern.compile("```(?:java|js)\n(.*?)```", Pattern.DOTALL)
                .matcher(guide)
                .results()
                .map(MatchResult::group)
                .map(block -> block.replaceAll("```(java|js)?", ""))
                .map(PhoneTest::withoutSpace)
                .toList();
        String sources = withoutSpace(
                Files.readString(PHONE) + Files.readString(Path.of("src/test/java/io/couchjobs/sites/PhoneTest.java")));
        assertThat(quoted).hasSize(2).allSatisfy(block -> assertThat(sources).contains(block));
    }

    @Test
    void a_phone_creates_jobs_offline_and_gets_their_results_when_it_is_back(TestDatabase database, @TempDir Path phone)
            throws Exception {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server has no selector for its feed");
        String packages = pouchdb();
        assertThat(node(packages, "create", phone.toString())).isEmpty();
        try (JobQueue central = TestQueue.open(database)) {
            assertThat(central.all("email")).as("the phone was offline").isEmpty();
            try (Worker worker = sendEmails(central)) {
                assertThat(worker.id()).isNotBlank();
                JsonNode heard = new ObjectMapper().readTree(node(packages, "sync", phone.toString(), url(database)));
                assertThat(heard.path("ended")
                                .path("job:email:1")
                                .path("sentTo")
                                .asText())
                        .isEqualTo("ada@example.org");
                assertThat(heard.path("ended")
                                .path("job:email:2")
                                .path("sentTo")
                                .asText())
                        .isEqualTo("bob@example.org");
                assertThat(heard.path("conflicts").asInt()).isZero();
            }
            Job cancelled = central.get("email", "3").orElseThrow();
            assertThat(cancelled.status()).isEqualTo(JobStatus.CANCELLED);
            assertThat(cancelled.fence()).as("nobody ever claimed it").isZero();
            assertThat(central.all("email").map(Job::attempt)).containsExactlyInAnyOrder(1, 1, 0);
        }
    }

    private static String url(TestDatabase database) {
        String login = database.user()
                .map(user -> user + ":" + database.password().orElse("") + "@")
                .orElse("");
        return URI.create(database.url().toString().replaceFirst("//", "//" + login))
                .toString();
    }

    /** The folder with PouchDB: a build installs nothing by itself. */
    private static String pouchdb() {
        String folder = System.getenv("COUCHJOBS_POUCHDB");
        assumeTrue(folder != null, "COUCHJOBS_POUCHDB does not name the folder that .ci/pouchdb-client prints");
        return folder;
    }

    private static String node(String packages, String... arguments) throws IOException, InterruptedException {
        ProcessBuilder node = new ProcessBuilder(
                Stream.concat(Stream.of("node", PHONE.toAbsolutePath().toString()), Arrays.stream(arguments))
                        .toList());
        node.environment().put("NODE_PATH", Path.of(packages, "node_modules").toString());
        Path printed = Files.createTempFile("phone", ".json");
        Path problems = Files.createTempFile("phone", ".txt");
        Process process = node.redirectOutput(printed.toFile())
                .redirectError(problems.toFile())
                .start();
        try {
            assertThat(process.waitFor(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("the phone ended: %s", Files.readString(problems))
                    .isTrue();
            assertThat(process.exitValue()).as(Files.readString(problems)).isZero();
            return Files.readString(printed);
        } finally {
            process.destroyForcibly();
            Files.delete(printed);
            Files.delete(problems);
        }
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s", "");
    }
}

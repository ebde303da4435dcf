package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Schemas;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the page on the document protocol. */
@ServerTest
class ProtocolPageTest {
    private static final Path PAGE = Path.of("../docs/protocol.md");

    @Test
    void the_shell_example_creates_a_job_claims_it_and_finishes_it(TestDatabase database, @TempDir Path folder)
            throws Exception {
        assumeTrue(isInstalled("sh") && isInstalled("curl"), "the example needs sh and curl");
        try (JobQueue queue = TestQueue.open(database)) {
            queue.operations().init();

            String said = run(shellExample(), database, folder);

            Job job = queue.get("email", "42").orElseThrow(() -> new AssertionError(said));
            assertThat(job.status()).as(said).isEqualTo(JobStatus.SUCCESS);
            assertThat(job.result().orElseThrow().path("sent").asBoolean()).isTrue();
            assertThat(job.times()).containsKeys("created", "claimed", "started", "updated", "finished");
            assertThat(queue.get("email", "41").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        }
    }

    @Test
    void each_document_of_the_page_fits_the_schema_of_its_kind_and_each_kind_has_an_example() throws IOException {
        List<ObjectNode> documents = new ArrayList<>();
        for (String block : blocks("json")) {
            new ObjectMapper()
                    .readerFor(ObjectNode.class)
                    .<ObjectNode>readValues(block)
                    .forEachRemaining(documents::add);
        }
        assertThat(documents)
                .allSatisfy(document -> assertThat(Schemas.problems(document)).isEmpty());
        List<String> shown = documents.stream().map(Schemas::kindOf).toList();
        List<String> bare = List.of("deleted", "local-probe");
        assertThat(shown)
                .containsAll(Schemas.kinds().stream()
                        .filter(kind -> !bare.contains(kind))
                        .toList());
    }

    @Test
    void the_schemas_are_shipped_beside_the_design_documents() {
        assertThat(Schemas.kinds()).isNotEmpty().allSatisfy(kind -> assertThat(
                        JobQueue.class.getResource("/io/couchjobs/design-docs/schema/" + kind + ".schema.json"))
                .isNotNull());
        assertThat(JobQueue.class.getResource("/io/couchjobs/design-docs/vectors"))
                .isNull();
    }

    private static String shellExample() throws IOException {
        List<String> blocks = blocks("sh");
        assertThat(blocks).hasSize(4);
        return blocks.stream().collect(Collectors.joining("\n"));
    }

    private static List<String> blocks(String language) throws IOException {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(PAGE))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    private static String run(String script, TestDatabase database, Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("tour.sh"), script);
        ProcessBuilder shell = new ProcessBuilder("sh", "-eu", file.toString()).redirectErrorStream(true);
        shell.environment().put("DB", urlWithCredentials(database));
        Process process = shell.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private static String urlWithCredentials(TestDatabase database) {
        URI url = database.url();
        return database.user()
                .map(user -> url.getScheme() + "://" + user + ":"
                        + database.password().orElse("") + "@" + url.getAuthority() + url.getPath())
                .orElseGet(url::toString);
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}

package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.LocalQueue;
import io.couchjobs.cli.input.ExportReader;
import io.couchjobs.cli.input.IdField;
import io.couchjobs.cli.input.JobReader;
import io.couchjobs.cli.input.Times;
import io.couchjobs.cli.output.Format;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.fuzz.Trees;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;

/** Files of jobs: each line becomes a job or is named with its number, and what is said to be stored is. */
class LinesFuzzTest {
    private static final Times TIMES = new Times(() -> Instant.EPOCH, ZoneId.of("UTC"));
    private static final List<String> IDS =
            List.of("job:t:1", "job:t:2", "job:t:3", "job:u:1", "job:t:", "job:", "type:t", "_design/x");

    @SuppressWarnings("NullAway.Init")
    private static JobQueue queue;

    @BeforeAll
    static void open() {
        queue = LocalQueue.open();
    }

    @FuzzTest
    @DictionaryFile(resourcePath = "/job.dict")
    void lines_become_jobs_or_are_named(FuzzedDataProvider data) {
        boolean export = data.consumeBoolean();
        JobReader.Format format = data.pickValue(JobReader.Format.values());
        byte[] file = file(data, export);
        StringWriter out = new StringWriter();
        Couchjobs root = root(out);
        try {
            InputStream in = new ByteArrayInputStream(file);
            ExitCode exitCode = export
                    ? new BulkImport(queue, root, JobFilter.all()).run(new ExportReader(in)::next)
                    : new BulkEnqueue(queue, root, false)
                            .run(format.open(in, () -> JobRequest.builder("t"), TIMES, IdField.NONE)::next);
            root.shell().out().flush();
            check(Trees.parsed(out.toString()), exitCode, file);
        } catch (IOException refused) {
            assertThat(refused).hasMessageContaining("not CSV");
            assertThat(format).isEqualTo(JobReader.Format.CSV);
        } finally {
            jobs().forEach(row -> LocalQueue.purge(queue, String.valueOf(row.id())));
        }
    }

    private static void check(JsonNode said, ExitCode exitCode, byte[] file) {
        assertThat(said.path("added").asInt(-1)).isEqualTo(jobs().size());
        assertThat(exitCode == ExitCode.DONE).isEqualTo(said.path("rejected").isEmpty());
        int lines = 1;
        for (byte b : file) {
            lines += b == '\n' || b == '\r' ? 1 : 0;
        }
        for (JsonNode rejected : said.path("rejected")) {
            assertThat(rejected.path("line").asInt()).isBetween(1, lines);
            assertThat(rejected.path("error").asText()).isNotBlank().isNotEqualTo("null");
        }
    }

    private static List<ViewResult.Row> jobs() {
        return queue.database()
                .view(ViewQuery.allDocs().startKey("job:").endKey("job:\uffff"))
                .rows();
    }

    private static byte[] file(FuzzedDataProvider data, boolean export) {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        for (int i = data.consumeInt(0, 4); i > 0; i--) {
            byte[] line;
            if (data.consumeBoolean()) {
                line = data.consumeBytes(60);
            } else {
                var object = Trees.object(data);
                if (export) {
                    object.put("_id", data.pickValue(IDS));
                } else {
                    object.retain(
                            "data", "id", "scheduledTime", "group", "class", "tags", "priority", "maxRetries", "site");
                }
                line = object.toString().getBytes(StandardCharsets.UTF_8);
            }
            file.writeBytes(line);
            file.writeBytes(data.pickValue(List.of("\n", "\r\n", "")).getBytes(StandardCharsets.UTF_8));
        }
        return file.toByteArray();
    }

    private static Couchjobs root(StringWriter out) {
        Couchjobs root = new Couchjobs(new Shell(
                InputStream.nullInputStream(),
                new PrintWriter(out),
                new PrintWriter(new StringWriter()),
                Map.of("HOME", "/nonexistent"),
                Path.of(""),
                Shell.Terminals.NONE,
                question -> Optional.empty()));
        root.options().output = Format.JSON;
        return root;
    }
}

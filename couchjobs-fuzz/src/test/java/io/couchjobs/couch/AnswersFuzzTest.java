package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.fuzz.Trees;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Whatever a server answers, the client makes sense of it or says which request had no usable answer. */
class AnswersFuzzTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final ObjectNode DOC = MAPPER.createObjectNode().put("_id", "a");
    private static final List<String> IDS = List.of("a", "b");
    private static final ViewQuery VIEW = ViewQuery.of("d", "v").key("k");
    private static final List<Integer> STATUSES = List.of(
            200, 200, 200, 200, 201, 202, 204, 206, 302, 400, 401, 403, 404, 405, 409, 412, 413, 429, 500, 503, 599);
    private static final List<String> HEADERS = List.of(
            "Content-Type", "Date", "Age", "Retry-After", "X-Couch-Request-ID", "Content-Length", "ETag", "Set-Cookie");
    private static final List<String> STARTS = List.of(
            "",
            "",
            "{\"rows\":[",
            "{\"results\":[",
            "{\"results\":[{\"rows\":[",
            "{\"rows\":[{\"id\":\"a\",\"key\":\"a\",\"doc\":",
            "{\"couchdb\":1,\"version\":",
            "{\"docs\":[{\"ok\":",
            "{\"results\":[{\"id\":\"a\",\"docs\":[{\"ok\":",
            "{\"id\":\"a\",\"rev\":",
            "[{\"id\":\"a\",\"rev\":",
            "[{\"ok\":",
            "[",
            "{\"seq\":5,\"id\":\"x\",\"changes\":",
            "{\"last_seq\":");
    private static final List<String> ENDS =
            List.of("", "", "\n", "]}", "]}]}", "}]}", "}", "}]", "]", "}]}]}", "],\"last_seq\":7}", ",");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final List<Consumer<CouchDatabase>> QUESTIONS = List.of(
            db -> db.get("a"),
            db -> db.get("a", "1-a"),
            db -> db.getWithConflicts("a"),
            db -> db.leaves("a"),
            db -> db.leavesWithHistories("a"),
            db -> db.leavesOfAll(IDS),
            db -> db.history("a", "1-a"),
            db -> assertThat(db.getAll(IDS)).hasSize(2),
            db -> assertThat(db.bulkDocs(List.of(DOC))).hasSize(1),
            db -> db.put(DOC.deepCopy()),
            db -> db.view(VIEW).rows().forEach(row -> assertThat(row.key()).isNotNull()),
            db -> assertThat(db.views(List.of(VIEW, VIEW))).hasSize(2),
            db -> db.currentSeq(),
            db -> db.purge(Map.of("a", List.of("1-a"))),
            db -> db.info(),
            db -> db.viewInfo("d"),
            db -> db.exists(),
            db -> db.createIfMissing(),
            db -> db.security(),
            db -> db.isCompacting(),
            db -> db.compact(),
            db -> db.server().info(),
            db -> db.server().databases());

    @FuzzTest
    @DictionaryFile(resourcePath = "/job.dict")
    void no_answer_breaks_the_client(FuzzedDataProvider data) {
        switch (data.consumeInt(0, 4)) {
            case 0 -> pushDesignDocuments(data);
            case 1 -> follow(data);
            default -> ask(data);
        }
    }

    private static void ask(FuzzedDataProvider data) {
        int question = data.consumeInt(0, QUESTIONS.size() - 1);
        Answers answers = new Answers(data);
        try (CouchServer server = WithoutNetwork.connect(answers)) {
            QUESTIONS.get(question).accept(server.database("jobs"));
            server.clockSkew(Instant.EPOCH);
        } catch (CouchException refused) {
            assertThat(refused.getMessage()).startsWith(refused.method() + " " + refused.path());
            assertThat(refused.path()).startsWith("/");
        }
        assertThat(answers.asked).isLessThan(10);
    }

    private static void follow(FuzzedDataProvider data) {
        ChangesRequest request = data.consumeBoolean() ? ChangesRequest.continuous() : ChangesRequest.normal();
        Answers answers = new Answers(data);
        try (CouchServer server = WithoutNetwork.connect(answers);
                ChangesFeed feed = server.database("jobs").changes(request.since("5"))) {
            Instant end = Instant.now().plus(PATIENCE);
            while (!feed.isEnded()) {
                feed.next(PATIENCE).ifPresent(change -> assertThat(change.id()).isNotEmpty());
                assertThat(Instant.now()).isBefore(end);
            }
            assertThat(feed.lastSeq()).isNotNull();
        } catch (CouchException broken) {
            assertThat(broken.getMessage()).contains(" /jobs/_changes");
        }
    }

    /** Ektorp carries these requests. */
    private static void pushDesignDocuments(FuzzedDataProvider data) {
        try (CouchServer server = WithoutNetwork.connect(new Answers(data));
                DesignDocuments designs = new DesignDocuments(server.database("jobs"))) {
            designs.push();
        } catch (CouchException refused) {
            assertThat(refused.getMessage()).startsWith(refused.method() + " /jobs/_design/");
        }
    }

    /** One answer, the same to every request, some of it cut off or followed by an error. */
    private static final class Answers implements WithoutNetwork.Server {
        private final int status;
        private final Map<String, List<String>> headers = new HashMap<>();
        private final boolean breaks;
        private final byte[] body;
        private int asked;

        Answers(FuzzedDataProvider data) {
            this.status = data.pickValue(STATUSES);
            for (int i = data.consumeInt(0, 3); i > 0; i--) {
                headers.put(data.pickValue(HEADERS), List.of(data.consumeAsciiString(40)));
            }
            this.breaks = data.consumeBoolean();
            this.body = body(data);
        }

        private static byte[] body(FuzzedDataProvider data) {
            if (data.consumeBoolean()) {
                return data.consumeRemainingAsBytes();
            }
            StringBuilder text = new StringBuilder();
            for (int i = data.consumeInt(0, 3); i > 0; i--) {
                text.append(data.pickValue(STARTS)).append(Trees.value(data)).append(data.pickValue(ENDS));
            }
            return text.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public WithoutNetwork.Reply answer(WithoutNetwork.Request request) {
            asked++;
            InputStream in = new ByteArrayInputStream(body);
            return new WithoutNetwork.Reply(status, headers, breaks ? new Breaking(in) : in);
        }
    }

    /** A connection that breaks where the body ends. */
    private static final class Breaking extends InputStream {
        private final InputStream in;

        Breaking(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            return orBroken(in.read());
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            return orBroken(in.read(bytes, from, length));
        }

        private static int orBroken(int read) throws IOException {
            if (read < 0) {
                throw new IOException("broken");
            }
            return read;
        }
    }
}

package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Json;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Answers in which something comes again and again, without end: the client stops reading before its memory is full. */
class HugeAnswersFuzzTest {
    /** The most that the client keeps of an answer, and what it may have read ahead. */
    private static final long MOST = (256L << 20) + (1L << 20);

    private static final List<Integer> STATUSES = List.of(200, 200, 200, 201, 202, 302, 401, 404, 409, 500, 503);
    private static final List<String> FIRST = List.of(
            "",
            "{\"rows\":[{}",
            "{\"rows\":[",
            "{\"results\":[{\"rows\":[{}",
            "{\"results\":[{\"id\":\"a\",\"docs\":[{\"ok\":{",
            "{\"_id\":\"a\",\"x\":\"",
            "{\"_id\":\"a\",\"x\":[1",
            "{\"_id\":\"a\"",
            "{\"id\":\"a\",\"rev\":\"1-a\"}",
            "{\"error\":\"x\",\"reason\":\"",
            "[{\"id\":\"a\",\"rev\":\"1-a\"}",
            "[",
            "{\"seq\":5,\"id\":\"x\",\"changes\":[]}\n",
            "{\"results\":[{\"seq\":5,\"id\":\"x\",\"changes\":[]}",
            "{\"last_seq\":");
    private static final List<String> AGAIN = List.of(
            " ",
            "\n",
            "[",
            "{\"a\":",
            "a",
            "\\u00e9",
            "1",
            ",1",
            ",{}",
            ",[]",
            ",\"a\"",
            ",{\"id\":\"a\",\"key\":1,\"value\":null}",
            ",{\"seq\":5,\"id\":\"x\",\"changes\":[{\"rev\":\"1-a\"}]}",
            "{\"seq\":5,\"id\":\"x\",\"changes\":[]}\n",
            "\u20ac",
            "0.1e9,");

    private static final List<Consumer<CouchDatabase>> QUESTIONS = List.of(
            db -> db.get("a"),
            db -> db.leaves("a"),
            db -> db.leavesOfAll(List.of("a", "b")),
            db -> db.getAll(List.of("a", "b")),
            db -> db.bulkDocs(List.of(Json.object().put("_id", "a"))),
            db -> db.put(Json.object().put("_id", "a")),
            db -> db.view(ViewQuery.of("d", "v")),
            db -> db.views(List.of(ViewQuery.of("d", "v"), ViewQuery.of("d", "v"))),
            db -> db.createIfMissing(),
            db -> db.info(),
            db -> db.server().info(),
            db -> db.server().databases());

    @FuzzTest
    @DictionaryFile(resourcePath = "/job.dict")
    void no_answer_is_read_for_ever(FuzzedDataProvider data) {
        Endless answer = new Endless(data);
        boolean feed = data.consumeInt(0, 3) == 0;
        try (CouchServer server = WithoutNetwork.connect(request -> answer.reply())) {
            if (feed) {
                follow(server.database("jobs"), data.consumeBoolean());
            } else {
                data.pickValue(QUESTIONS).accept(server.database("jobs"));
            }
        } catch (CouchException refused) {
            assertThat(refused.getMessage()).startsWith(refused.method() + " " + refused.path());
        }
        assertThat(answer.most()).isLessThan(MOST);
    }

    /** A feed may go on for ever; one change of it, or what is none, may not. */
    private static void follow(CouchDatabase database, boolean continuous) {
        ChangesRequest request = continuous ? ChangesRequest.continuous() : ChangesRequest.normal();
        try (ChangesFeed feed = database.changes(request)) {
            for (int i = 0; i < 100 && !feed.isEnded(); i++) {
                feed.next(Duration.ofSeconds(20))
                        .ifPresent(change -> assertThat(change.id()).isNotEmpty());
            }
        }
    }

    /** The same answer to each request: what comes first, and then the rest again and again. */
    private static final class Endless {
        private static final int BLOCK = 64 << 10;

        private final int status;
        private final byte[] first;
        private final byte[] block;
        private final AtomicLong most = new AtomicLong();

        Endless(FuzzedDataProvider data) {
            this.status = data.pickValue(STATUSES);
            this.first = text(data, FIRST).getBytes(StandardCharsets.UTF_8);
            String again = text(data, AGAIN);
            this.block = again.repeat(BLOCK / again.length() + 1).getBytes(StandardCharsets.UTF_8);
        }

        private static String text(FuzzedDataProvider data, List<String> known) {
            return data.pickValue(known) + (data.consumeBoolean() ? data.consumeString(30) : "");
        }

        WithoutNetwork.Reply reply() {
            InputStream body = new SequenceInputStream(new ByteArrayInputStream(first), new Repeating());
            return new WithoutNetwork.Reply(status, Map.of(), body);
        }

        /** How much of one answer was read. */
        long most() {
            return most.get();
        }

        private final class Repeating extends InputStream {
            private long read;

            @Override
            public int read() {
                byte[] one = new byte[1];
                read(one, 0, 1);
                return one[0] & 0xff;
            }

            @Override
            public int read(byte[] to, int from, int length) {
                int at = (int) (read % block.length);
                int count = Math.min(length, block.length - at);
                System.arraycopy(block, at, to, from, count);
                read += count;
                most.accumulateAndGet(read, Math::max);
                return count;
            }
        }
    }
}

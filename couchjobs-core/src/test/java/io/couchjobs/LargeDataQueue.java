package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A queue that attaches data of more than a hundred bytes, behind a proxy, for the tests of attached data. */
abstract class LargeDataQueue {
    /** So many bytes of JSON stay in the document here. */
    static final int LIMIT = 100;

    TestDatabase database;
    Proxy proxy;
    JobQueue queue;

    @BeforeEach
    void open(TestDatabase own) {
        database = own;
        proxy = Proxy.before(own.server());
        queue = TestQueue.builder(proxy.door(own)).largestInlineData(LIMIT).open();
    }

    @AfterEach
    void close() {
        queue.close();
        proxy.close();
    }

    ClaimedJob claim() throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
    }

    ObjectNode data(Job job) {
        return queue.withData(job).data();
    }

    List<ObjectNode> data(List<Job> jobs) {
        return queue.withData(jobs.stream()).map(Job::data).toList();
    }

    /** The only job, without its data. */
    Job listed() {
        return queue.list(JobFilter.all(), 10).get(0);
    }

    Job read(String id) {
        return queue.get("email", id).orElseThrow();
    }

    ObjectNode stored(String id) {
        return queue.database().get(new JobId("email", id).docId()).orElseThrow();
    }

    JsonNode stub(String id) {
        return stored(id).at("/_attachments/data.json");
    }

    void attachPicture(String id) {
        ObjectNode document = stored(id);
        document.withObject("/_attachments/picture.png")
                .put("content_type", "image/png")
                .put("data", "aGVsbG8=");
        queue.database().put(document);
    }

    /** A leaf as it is when couchjobs wrote it with that data. */
    ObjectNode attached(String leaf, ObjectNode data) {
        ObjectNode document = Jobs.json(leaf);
        document.set("data", data);
        ObjectNode written = AttachedData.attach(Job.parse(withoutHistory(document)), Optional.empty(), LIMIT)
                .toDocument();
        written.set("_revisions", document.get("_revisions"));
        return written;
    }

    static ObjectNode withoutHistory(ObjectNode document) {
        ObjectNode copy = document.deepCopy();
        copy.remove("_revisions");
        return copy;
    }

    static JobRequest request(String id, ObjectNode data) {
        return JobRequest.builder("email").id(id).data(data).build();
    }

    static ObjectNode large(char c) {
        return object().put("x", String.valueOf(c).repeat(LIMIT));
    }

    static ObjectNode small() {
        return object().put("n", 1);
    }

    static ObjectNode ofBytes(int bytes) {
        ObjectNode data = object().put("x", "y".repeat(bytes - "{\"x\":\"\"}".length()));
        assertThat(data.toString()).hasSize(bytes);
        return data;
    }

    static ObjectNode first(String bulk) {
        return (ObjectNode) Jobs.json(bulk).at("/docs/0");
    }

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** The requests that read what is attached. */
    static final class Reads implements Proxy.Detour {
        final List<Proxy.Request> all = new CopyOnWriteArrayList<>();

        @Override
        public boolean goes(Proxy.Request request) {
            if (isOne(request)) {
                all.add(request);
            }
            return true;
        }

        static boolean isOne(Proxy.Request request) {
            return String.valueOf(request.uri().getQuery()).contains("attachments=true")
                    || request.uri().getPath().endsWith("/data.json");
        }
    }
}

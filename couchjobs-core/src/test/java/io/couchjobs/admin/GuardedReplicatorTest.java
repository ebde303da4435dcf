package io.couchjobs.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.ServerTest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The guard judges what CouchDB's own replicator brings; other servers have none, and {@link GuardTest} plays its part. */
@ServerTest
@Timeout(120)
class GuardedReplicatorTest {

    @Test
    void a_producers_jobs_come_in_and_a_forged_claim_does_not(TestDatabase database) throws Exception {
        assumeTrue(database.serverName().contains("Apache") && database.user().isPresent());
        try (SecuredQueue secured = new SecuredQueue(database)) {
            CouchDatabase offline = secured.root().database().server().database(database.name() + "-offline");
            offline.createIfMissing();
            try {
                offline.put(Jobs.json("{'_id':'job:email:new','status':'waiting','scheduledTime':0,'data':{'n':1}}"));
                offline.put(Jobs.json("{'_id':'job:email:forged','status':'running','scheduledTime':0,'data':{},"
                        + "'fence':1,'attempt':1,'lock':{'token':'mine','worker':'me','since':0}}"));

                JsonNode history = replicate(
                        database, offline.name(), secured.replicatingAs(secured.user(QueueSecurity.Role.PRODUCER)));

                assertThat(history.path("docs_written").asInt()).isEqualTo(1);
                assertThat(history.path("doc_write_failures").asInt()).isEqualTo(1);
                JobQueue queue = secured.root();
                assertThat(queue.get("email", "new")).map(Job::status).contains(JobStatus.WAITING);
                assertThat(queue.get("email", "forged")).isEmpty();
            } finally {
                offline.delete();
            }
        }
    }

    /** What CouchDB says of a replication that runs as the server's administrator and writes as somebody else. */
    private static JsonNode replicate(TestDatabase source, String from, TestDatabase target)
            throws IOException, InterruptedException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode task = mapper.createObjectNode();
        task.set("source", side(source, from));
        task.set("target", side(target, target.name()));
        HttpRequest request = HttpRequest.newBuilder(URI.create(source.serverUrl() + "_replicate"))
                .header("Content-Type", "application/json")
                .header("Authorization", "Basic " + login(source))
                .POST(HttpRequest.BodyPublishers.ofString(task.toString()))
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return mapper.readTree(answer.body()).path("history").path(0);
    }

    private static ObjectNode side(TestDatabase server, String database) {
        ObjectNode side = Jobs.json("{'url':'" + server.serverUrl() + database + "'}");
        side.putObject("headers").put("Authorization", "Basic " + login(server));
        return side;
    }

    private static String login(TestDatabase server) {
        String login = server.user().orElseThrow() + ":" + server.password().orElseThrow();
        return Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
    }
}

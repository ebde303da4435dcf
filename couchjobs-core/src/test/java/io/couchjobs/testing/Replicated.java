package io.couchjobs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

/** Stores revisions as they are, as replication and the copies of a cluster do: so conflicts come about on any server. */
public final class Replicated {
    private Replicated() {}

    /** Documents with {@code _revisions}, in JSON with single quotes. */
    public static void into(TestDatabase where, String... documents) throws Exception {
        into(where, Stream.of(documents).map(Jobs::json).toArray(ObjectNode[]::new));
    }

    /** Documents with {@code _revisions}, or with a {@code _rev} that has nothing in common with what is there. */
    public static void into(TestDatabase where, ObjectNode... documents) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(where.url() + "/_bulk_docs"));
        where.user().ifPresent(user -> request.header("Authorization", "Basic " + encoded(user, where)));
        send(request, documents);
    }

    /** The same in a database where everybody may write. */
    public static void into(String url, ObjectNode... documents) throws IOException, InterruptedException {
        send(HttpRequest.newBuilder(URI.create(url + "/_bulk_docs")), documents);
    }

    private static void send(HttpRequest.Builder request, ObjectNode... documents)
            throws IOException, InterruptedException {
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("new_edits", false);
        body.putArray("docs").addAll(List.of(documents));
        request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body.toString()));
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.body()).contains("[]");
    }

    private static String encoded(String user, TestDatabase where) {
        String both = user + ":" + where.password().orElse("");
        return Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
    }

    /** A leaf of the job {@code email:1} on a common first revision. */
    public static String leaf(int generation, char hash, String fields) {
        return leaf("job:email:1", generation, hash, fields);
    }

    /** A leaf of a document on a common first revision. */
    public static String leaf(String docId, int generation, char hash, String fields) {
        StringBuilder ids = new StringBuilder("'" + String.valueOf(hash).repeat(32) + "'");
        for (int g = generation - 1; g > 1; g--) {
            ids.append(",'")
                    .append(hash)
                    .append(String.valueOf(g % 10).repeat(31))
                    .append("'");
        }
        ids.append(",'").append("f".repeat(32)).append("'");
        return "{'_id':'" + docId + "','_revisions':{'start':" + generation + ",'ids':[" + ids + "]}," + fields + "}";
    }

    /** The fields of a running job. */
    public static String owned(String worker, String token, int fence) {
        return "'status':'running','attempt':1,'data':{},'fence':" + fence + ",'lock':{'token':'" + token
                + "','worker':'" + worker + "','since':1}";
    }

    /** The fields of a job whose claim made no owner. */
    public static String withdrawn(String worker, String token, int fence) {
        return owned(worker, token, fence)
                .replace("'since':1}", "'since':1,'withdrawn':{'at':5,'reason':'no quorum confirmed the claim'}}");
    }
}

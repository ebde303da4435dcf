package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Stores revisions as they are, as replication and the copies of a cluster do: so conflicts come about on any server. */
public final class Replicated {
    private Replicated() {}

    /** The documents with {@code _revisions}, in JSON with single quotes. */
    public static void into(TestDatabase where, String... documents) throws Exception {
        String body = "{'new_edits':false,'docs':[" + String.join(",", documents) + "]}";
        String login = where.user().orElse("") + ":" + where.password().orElse("");
        HttpURLConnection request = (HttpURLConnection)
                URI.create(where.url() + "/_bulk_docs").toURL().openConnection();
        request.setDoOutput(true);
        request.setRequestProperty("Content-Type", "application/json");
        if (where.user().isPresent()) {
            byte[] bytes = login.getBytes(StandardCharsets.UTF_8);
            request.setRequestProperty(
                    "Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
        }
        request.getOutputStream().write(body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        assertThat(new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("[]");
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

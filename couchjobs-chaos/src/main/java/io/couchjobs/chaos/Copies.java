package io.couchjobs.chaos;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

/**
 * The copies of a database in a cluster. A node that lost its data may have an empty copy until the database is written again,
 * and a feed from that copy shows no changes meanwhile. An operator who replaces a node must synchronize the copies, as this
 * class does.
 */
final class Copies {
    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Copies() {}

    /**
     * Makes the nodes send each other the documents that their copies lack.
     *
     * @param node the URL of any node, with the credentials of an administrator
     * @return whether the node has started; false while it has not recovered from the last fault
     */
    static boolean synchronize(URI node, String database) throws InterruptedException {
        byte[] user = node.getUserInfo().getBytes(StandardCharsets.UTF_8);
        URI url = URI.create(
                node.getScheme() + "://" + node.getHost() + ":" + node.getPort() + "/" + database + "/_sync_shards");
        HttpRequest request = HttpRequest.newBuilder(url)
                .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(user))
                .header("Content-Type", "application/json")
                .timeout(PATIENCE)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            int status =
                    CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            return status == OK || status == ACCEPTED;
        } catch (IOException away) {
            return false;
        }
    }
}

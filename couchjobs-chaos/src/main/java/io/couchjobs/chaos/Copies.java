package io.couchjobs.chaos;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The copies that a cluster keeps of a database. A node that lost its data may keep an empty copy until the database is written again, and
 * a feed that was read from that copy shows nothing meanwhile. An operator who replaces a node does what this class does.
 */
final class Copies {
    private static final int OK = 200;
    private static final int ACCEPTED = 202;

    private Copies() {}

    /**
     * Has the nodes send each other what their copies lack.
     *
     * @param node the address of any node, with the credentials of an administrator
     */
    static void synchronize(URI node, String database) throws InterruptedException {
        byte[] user = node.getUserInfo().getBytes(StandardCharsets.UTF_8);
        URI url = URI.create(
                node.getScheme() + "://" + node.getHost() + ":" + node.getPort() + "/" + database + "/_sync_shards");
        HttpRequest request = HttpRequest.newBuilder(url)
                .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(user))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            int status = HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.discarding())
                    .statusCode();
            if (status != OK && status != ACCEPTED) {
                throw new IllegalStateException("POST " + url + ": " + status);
            }
        } catch (IOException away) {
            throw new IllegalStateException("POST " + url, away);
        }
    }
}

package io.couchjobs.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.Json;
import java.nio.file.Path;

/** The process that {@link CrashTest} kills: writes without end and prints each revision that was acknowledged. */
final class CrashingWriter {
    private static final int THREADS = 4;

    private CrashingWriter() {}

    public static void main(String[] args) throws Exception {
        EmbeddedCouch couch =
                EmbeddedCouch.builder().directory(Path.of(args[0])).start();
        new Client(couch.url()).send("PUT", "jobs");
        for (int n = 0; n < THREADS; n++) {
            String prefix = "t" + n + "-";
            new Thread(() -> write(new Client(couch.url()), prefix)).start();
        }
    }

    private static void write(Client client, String prefix) {
        try {
            for (int i = 0; ; i++) {
                String docs = "{\"docs\":[{\"_id\":\"%sa%d\"},{\"_id\":\"%sb%d\"}]}".formatted(prefix, i, prefix, i);
                for (JsonNode row :
                        Json.parse(client.send("POST", "jobs/_bulk_docs", docs).body())) {
                    print(row);
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static synchronized void print(JsonNode row) {
        System.out.println(row.path("id").asText() + " " + row.path("rev").asText());
        System.out.flush();
    }
}

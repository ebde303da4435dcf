package io.couchjobs.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A program that saves documents. A trigger must see them, whichever program saved them. Used by one thread at a time. */
interface SourceWriter extends AutoCloseable {
    /** Reads and writes documents. */
    ObjectMapper MAPPER = new ObjectMapper();

    /** The environment variable with the folder of an installed PouchDB. */
    String POUCHDB = "COUCHJOBS_POUCHDB";

    /**
     * Saves documents with one request.
     *
     * @return the new revisions, by document id, of the documents whose write the server confirmed
     * @throws IOException when the program fails
     */
    Map<String, String> save(CouchDatabase database, URI url, List<ObjectNode> documents) throws IOException;

    @Override
    default void close() {}

    /** {@return a writer of each kind: Java always, curl and PouchDB if they are installed} */
    static List<SourceWriter> all() {
        List<SourceWriter> all = new ArrayList<>(List.of(new OfJava()));
        if (Curl.isInstalled()) {
            all.add(new Curl());
        }
        if (System.getenv(POUCHDB) != null) {
            all.add(new Pouch());
        }
        return List.copyOf(all);
    }

    private static Map<String, String> revisions(JsonNode rows) {
        Map<String, String> revisions = new HashMap<>();
        rows.forEach(row -> {
            if (row.path("ok").asBoolean()) {
                revisions.put(row.path("id").asText(), row.path("rev").asText());
            }
        });
        return revisions;
    }

    /** The client of couchjobs. */
    final class OfJava implements SourceWriter {
        @Override
        public Map<String, String> save(CouchDatabase database, URI url, List<ObjectNode> documents) {
            Map<String, String> revisions = new HashMap<>();
            for (WriteResult written : database.bulkDocs(documents)) {
                if (written instanceof WriteResult.Stored stored) {
                    revisions.put(stored.id(), stored.rev());
                }
            }
            return revisions;
        }

        @Override
        public String toString() {
            return "Java";
        }
    }

    /** Runs a curl process per request. */
    final class Curl implements SourceWriter {
        private static final String SECONDS = "20";

        static boolean isInstalled() {
            try {
                return new ProcessBuilder("curl", "--version")
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start()
                                .waitFor()
                        == 0;
            } catch (IOException missing) {
                return false;
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        @Override
        public Map<String, String> save(CouchDatabase database, URI url, List<ObjectNode> documents)
                throws IOException {
            List<String> command = List.of(
                    "curl",
                    "--silent",
                    "--show-error",
                    "--max-time",
                    SECONDS,
                    "--header",
                    "Content-Type: application/json",
                    "--data-binary",
                    "@-",
                    url + "/_bulk_docs");
            Process curl = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (Writer body = curl.outputWriter(StandardCharsets.UTF_8)) {
                MAPPER.writeValue(body, Map.of("docs", documents));
            }
            try (InputStream answer = curl.getInputStream()) {
                return revisions(MAPPER.readTree(answer));
            }
        }

        @Override
        public String toString() {
            return "curl";
        }
    }

    /** Runs a Node.js process with PouchDB, which reads a request and prints its answer as a line each. */
    final class Pouch implements SourceWriter {
        private static final String PROGRAM = "pouch-writer.cjs";
        private final Process node;
        private final BufferedReader answers;

        Pouch() {
            try {
                Path program = Files.createTempFile("couchjobs-", PROGRAM);
                program.toFile().deleteOnExit();
                try (InputStream source =
                        Objects.requireNonNull(Pouch.class.getResourceAsStream("/" + PROGRAM), PROGRAM)) {
                    Files.write(program, source.readAllBytes());
                }
                this.node = new ProcessBuilder("node", program.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                this.answers = node.inputReader(StandardCharsets.UTF_8);
            } catch (IOException cannot) {
                throw new UncheckedIOException("cannot run PouchDB by node", cannot);
            }
        }

        @Override
        public Map<String, String> save(CouchDatabase database, URI url, List<ObjectNode> documents)
                throws IOException {
            Writer requests = node.outputWriter(StandardCharsets.UTF_8);
            requests.write(MAPPER.writeValueAsString(Map.of("url", url.toString(), "docs", documents)) + "\n");
            requests.flush();
            String answer = answers.readLine();
            if (answer == null) {
                throw new IOException("PouchDB's process has ended");
            }
            return revisions(MAPPER.readTree(answer));
        }

        @Override
        public void close() {
            node.destroy();
            try {
                boolean unused = node.waitFor(1, TimeUnit.SECONDS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public String toString() {
            return "PouchDB";
        }
    }
}

package io.couchjobs.testing;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import java.util.ArrayList;
import java.util.List;

/** Databases beside a queue's, on the same server; deleted at the end. */
public final class SourceDatabases implements AutoCloseable {
    private final TestDatabase beside;
    private final JobQueue queue;
    private final List<CouchDatabase> made = new ArrayList<>();

    public SourceDatabases(TestDatabase beside, JobQueue queue) {
        this.beside = beside;
        this.queue = queue;
    }

    /** The prefix of their names, which no other test has. */
    public String prefix() {
        return beside.name() + "-";
    }

    /** Skips a test that needs what PouchDB Server does not have, and says what that is. */
    public void assumeNotPouchDb(String lack) {
        assumeFalse(beside.serverName().contains("PouchDB"), "PouchDB Server " + lack);
    }

    public CouchDatabase create(String name) {
        CouchDatabase database = queue.database().server().database(prefix() + name);
        boolean unused = database.createIfMissing();
        made.add(database);
        return database;
    }

    /** Stores a document, and returns its revision. */
    public static String save(CouchDatabase database, String json) {
        WriteResult written = database.put(json(json));
        if (written instanceof WriteResult.Stored stored) {
            return stored.rev();
        }
        throw new AssertionError(written + " of " + json);
    }

    /** Changes a document, and returns its new revision. */
    public static String change(CouchDatabase database, String id, String field, String value) {
        ObjectNode document = database.get(id).orElseThrow().put(field, value);
        return save(database, document.toString());
    }

    public static void delete(CouchDatabase database, String id) {
        String unused = save(
                database,
                "{'_id':'" + id + "','_rev':'"
                        + database.get(id).orElseThrow().path("_rev").asText() + "','_deleted':true}");
    }

    public static ObjectNode json(String json) {
        try {
            return (ObjectNode) new JsonMapper().readTree(json.contains("\"") ? json : json.replace('\'', '"'));
        } catch (JsonProcessingException wrong) {
            throw new AssertionError(json, wrong);
        }
    }

    @Override
    public void close() {
        made.forEach(database -> {
            if (database.exists()) {
                database.delete();
            }
        });
    }
}

package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.store.DesignDocuments;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code init}: the database and its design documents. */
@Command(
        name = "init",
        description = "Create the database and its design documents, where they are missing.",
        footer = {"", "Examples:", "  couchjobs init", "  couchjobs init --url http://127.0.0.1:5984/jobs --user admin"
        })
final class InitCommand implements Callable<Integer> {
    @ParentCommand
    @SuppressWarnings("NullAway.Init")
    private Couchjobs root;

    @Override
    public Integer call() {
        try (Session session = Session.open(root);
                CouchServer server = CouchServer.connect(session.server())) {
            CouchDatabase database = server.database(session.url().name());
            boolean created = database.createIfMissing();
            List<String> pushed = new DesignDocuments(database).push();
            root.output()
                    .line(() -> text(database.name(), created, pushed), () -> json(database.name(), created, pushed));
            return ExitCode.DONE.number();
        }
    }

    private static String text(String name, boolean created, List<String> pushed) {
        String designs = pushed.isEmpty() ? "its design documents were there" : "stored " + String.join(", ", pushed);
        return "database " + name + " " + (created ? "created" : "was there") + "; " + designs;
    }

    private static ObjectNode json(String name, boolean created, List<String> pushed) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("database", name).put("databaseCreated", created);
        pushed.forEach(json.putArray("designDocumentsPushed")::add);
        return json;
    }
}

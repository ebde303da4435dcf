package io.couchjobs.embedded.http;

import io.couchjobs.embedded.protocol.CouchError;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Routes each request to the handler of its path. */
final class Router implements Routes {
    private static final Set<String> OF_SERVER_ADMINISTRATORS = Set.of("_purge", "_purged_infos_limit");

    private final Databases databases;
    private final Accounts accounts;
    private final Map<String, Handler> server = new HashMap<>();
    private final Map<String, DbHandler> database = new HashMap<>();

    Router(Databases databases, Accounts accounts) {
        this.databases = databases;
        this.accounts = accounts;
        new ServerHandler(databases.store()).register(server);
        server.put("_dbs_info", (call, user) -> DatabaseHandler.infos(call, databases, user));
        new SessionHandler(accounts).register(server);
        new BulkHandler().register(database);
        new AllDocsHandler().register(database);
        new RevsHandler().register(database);
        new SettingsHandler().register(database);
        database.put("_changes", new ChangesHandler());
        database.put("_local_docs", AllDocsHandler::localDocs);
    }

    @Override
    public void handle(Call call) throws IOException, InterruptedException {
        String first = call.segment(0);
        Handler handler = server.get(first);
        if (handler != null) {
            handler.handle(call, accounts.of(call));
            return;
        }
        NotBuilt.checkServer(call);
        User user = accounts.of(call);
        if (call.path().size() == 1) {
            DatabaseHandler.handle(call, databases, user);
            return;
        }
        if (OF_SERVER_ADMINISTRATORS.contains(call.segment(1))) {
            user.requireAdmin();
        }
        toDatabase(call, databases.open(first, user));
    }

    private void toDatabase(Call call, Db db) throws IOException, InterruptedException {
        String second = call.segment(1);
        DbHandler handler = database.get(second);
        if (handler != null) {
            handler.handle(call, db);
            return;
        }
        NotBuilt.checkDatabase(call);
        if (second.equals("_local")) {
            LocalHandler.handle(call, db);
        } else if (second.equals("_design")) {
            toDesign(call, db);
        } else if (isUnknown(second) && call.isRead()) {
            throw CouchError.missing();
        } else if (isUnknown(second)) {
            throw new CouchError(400, "illegal_docid", "Only reserved document ids may start with underscore.");
        } else {
            toDocument(call, db, second, 2);
        }
    }

    private static boolean isUnknown(String name) {
        return name.startsWith("_") && !name.startsWith("_design/") && !name.startsWith("_local/");
    }

    private static void toDesign(Call call, Db db) throws IOException {
        String id = "_design/" + call.segment(2);
        NotBuilt.checkDesign(call);
        switch (call.segment(3)) {
            case "_view" -> new ViewHandler(id).handle(call, db);
            case "_info" -> ViewHandler.info(call, db, id);
            default -> toDocument(call, db, id, 3);
        }
    }

    private static void toDocument(Call call, Db db, String id, int length) {
        if (call.path().size() == length) {
            new DocumentHandler(call, db, id).handle();
        } else {
            new AttachmentHandler(call, db, id, call.rest(length)).handle();
        }
    }
}

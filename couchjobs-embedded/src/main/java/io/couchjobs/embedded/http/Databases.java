package io.couchjobs.embedded.http;

import io.couchjobs.embedded.store.CouchStore;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.view.Validators;
import io.couchjobs.embedded.view.Views;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The databases of a server, each with its indexes and validation functions. Thread-safe. */
final class Databases {
    private record Parts(Views views, Validators validators) {}

    private final CouchStore store;
    private final Map<String, Parts> parts = new ConcurrentHashMap<>();

    Databases(CouchStore store) {
        this.store = store;
    }

    CouchStore store() {
        return store;
    }

    /** {@return a database; throws an error when the user may not read it} */
    Db open(String name, User user) {
        Database database = store.get(name);
        if (!user.isMemberOf(database.settings().security())) {
            throw user.refused(
                    "You are not " + (user.name() == null ? "authorized" : "allowed") + " to access this db.");
        }
        Parts own = parts.computeIfAbsent(
                database.uuid(), uuid -> new Parts(new Views(database), new Validators(database)));
        return new Db(database, own.views(), own.validators(), user);
    }

    void delete(String name) {
        parts.remove(store.get(name).uuid());
        store.delete(name);
    }
}

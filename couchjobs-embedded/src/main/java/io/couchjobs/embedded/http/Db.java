package io.couchjobs.embedded.http;

import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Gate;
import io.couchjobs.embedded.view.Validators;
import io.couchjobs.embedded.view.Views;

/** A database with its indexes and validation functions, and who is calling. */
record Db(Database database, Views views, Validators validators, User user) {
    Gate gate() {
        return validators.gate(user.context(database.name()));
    }

    /** Fails unless the user is an administrator of the server or of this database. */
    void requireAdmin() {
        if (!user.isAdminOf(database.settings().security())) {
            throw io.couchjobs.embedded.protocol.CouchError.unauthorized("You are not a db or server admin.");
        }
    }
}

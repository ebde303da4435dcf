package io.couchjobs.embedded.http;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.store.EditResult;
import io.couchjobs.embedded.store.Gate;
import io.couchjobs.embedded.view.Validators;
import io.couchjobs.embedded.view.Views;
import java.util.List;

/** A database with its indexes and validation functions, and the user of the request. */
record Db(Database database, Views views, Validators validators, User user) {
    /** Stores edits that the user's rights and the validation functions allow. */
    List<EditResult> write(List<Edit> edits) {
        database.requireStubs(edits);
        return database.write(allowed(edits), gate());
    }

    /** Stores replicated edits that the user's rights and the validation functions allow. */
    List<EditResult> replicate(List<Edit> edits) {
        database.requireReplicatedStubs(edits);
        return database.replicate(allowed(edits), gate());
    }

    private List<Edit> allowed(List<Edit> edits) {
        boolean users = database.name().equals(Accounts.USERS);
        return users ? edits.stream().map(Passwords::hidden).toList() : edits;
    }

    private Gate gate() {
        Gate functions = validators.gate(user.context(database.name()));
        return isAdmin()
                ? functions
                : (edit, old) -> {
                    if (edit.id().startsWith("_design/")) {
                        throw notAdmin();
                    }
                    functions.check(edit, old);
                };
    }

    /** Throws an error unless the user is an administrator of the server or of this database. */
    void requireAdmin() {
        if (!isAdmin()) {
            throw notAdmin();
        }
    }

    boolean isAdmin() {
        return user.isAdminOf(database.settings().security());
    }

    private CouchError notAdmin() {
        return user.refused("You are not a db or server admin.");
    }
}

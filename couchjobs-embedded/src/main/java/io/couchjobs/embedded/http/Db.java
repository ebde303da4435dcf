package io.couchjobs.embedded.http;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.store.EditResult;
import io.couchjobs.embedded.store.Gate;
import io.couchjobs.embedded.view.Validators;
import io.couchjobs.embedded.view.Views;
import java.util.List;

/** A database with its indexes and validation functions, and the user who is calling. */
record Db(Database database, Views views, Validators validators, User user) {
    /** Stores client writes, as far as the user may and the validation functions agree. */
    List<EditResult> write(List<Edit> edits) {
        database.requireStubs(edits);
        return database.write(allowed(edits), gate());
    }

    /** Stores replicated writes, under the same conditions. */
    List<EditResult> replicate(List<Edit> edits) {
        database.requireReplicatedStubs(edits);
        return database.replicate(allowed(edits), gate());
    }

    private List<Edit> allowed(List<Edit> edits) {
        if (edits.stream().anyMatch(edit -> edit.id().startsWith("_design/"))) {
            requireAdmin();
        }
        boolean users = database.name().equals(Accounts.USERS);
        return users ? edits.stream().map(Passwords::hidden).toList() : edits;
    }

    private Gate gate() {
        return validators.gate(user.context(database.name()));
    }

    /** Fails unless the user is an administrator of the server or of this database. */
    void requireAdmin() {
        if (!user.isAdminOf(database.settings().security())) {
            throw CouchError.unauthorized("You are not a db or server admin.");
        }
    }
}

package io.couchjobs.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.index.GuardDocument;
import java.util.List;
import java.util.Optional;

/** Has the guard believe that somebody else writes: so it can be asked without accounts, in any database. */
public final class PretendedUser {
    private static final String FUNCTION = "validate_doc_update";
    private static final List<String> USERS = List.of("peter", "ann", "bob", "nora", "root");
    private static final String ROLES =
            "[['couchjobs-producer'], ['couchjobs-worker'], ['couchjobs-worker'], [], ['_admin']]";

    private PretendedUser() {}

    /**
     * Each document names by {@link #name} who writes it. Peter is a producer, ann and bob are workers, nora has no role, and root
     * is an administrator.
     */
    public static void whoeverIsNamed(CouchDatabase database) {
        put(database, """
                var writer = newDoc.times && newDoc.times.writer || 0;
                user = {name: ['peter', 'ann', 'bob', 'nora', 'root'][writer], roles: %s[writer]};
                [newDoc, oldDoc].forEach(function (doc) { if (doc && doc.times) { delete doc.times.writer; } });
                """.formatted(ROLES));
    }

    /**
     * Any user is taken for a worker and producer, and for an administrator where settings are written, or documents that
     * were not there: those are how tests set their stage.
     */
    public static void everybodyWorks(CouchDatabase database) {
        put(database, """
                user = {name: userCtx.name, roles: !oldDoc || /^(type|schedule|scope):/.test(newDoc._id)
                  ? ['couchjobs-admin'] : ['couchjobs-producer', 'couchjobs-worker']};
                """);
    }

    /** Names the writer, which the guard does not see. */
    public static void name(String user, ObjectNode document) {
        document.withObject("/times").put("writer", USERS.indexOf(user));
    }

    private static void put(CouchDatabase database, String who) {
        ObjectNode guard = GuardDocument.toDocument();
        guard.put(FUNCTION, """
                function (newDoc, oldDoc, userCtx, secObj) {
                  var user;
                  %s
                  var guard = %s;
                  guard(newDoc, oldDoc, user, {});
                }""".formatted(who, guard.path(FUNCTION).asText()));
        Optional<ObjectNode> stored = database.get(GuardDocument.DOC_ID);
        stored.ifPresent(before -> guard.set("_rev", before.get("_rev")));
        if (stored.filter(before -> before.path(FUNCTION).equals(guard.path(FUNCTION)))
                .isEmpty()) {
            database.put(guard);
        }
    }
}

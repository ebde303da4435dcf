package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.store.Gate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code validate_doc_update} functions of a database, recompiled after a design document has changed. Thread-safe. */
public final class Validators {
    private final Database database;
    private List<Script> scripts = List.of();
    private long compiledAt = -1;

    public Validators(Database database) {
        this.database = database;
    }

    /** {@return a gate that calls all functions for a user's write} */
    public Gate gate(JsonNode user) {
        return (edit, old) -> check(edit, old, user);
    }

    private void check(Edit edit, @Nullable Doc old, JsonNode user) {
        if (edit.id().startsWith("_design/")) {
            if (!edit.deleted()) {
                DesignRules.check(edit.body());
            }
            return;
        }
        List<Script> current = current();
        if (current.isEmpty()) {
            return;
        }
        JsonNode newDoc = edit.json();
        JsonNode oldDoc = old == null ? NullNode.getInstance() : old.jsonWithHistory();
        for (Script script : current) {
            answer(script, newDoc, oldDoc, user);
        }
    }

    private void answer(Script script, JsonNode newDoc, JsonNode oldDoc, JsonNode user) {
        JsonNode verdict;
        try {
            verdict = script.validate(newDoc, oldDoc, user, database.settings().security());
        } catch (ScriptFailure e) {
            throw new CouchError(500, "unknown_error", String.valueOf(e.getMessage()));
        }
        if (verdict.has("forbidden")) {
            throw CouchError.forbidden(reason(verdict.get("forbidden")));
        }
        if (verdict.has("unauthorized")) {
            throw CouchError.unauthorized(reason(verdict.get("unauthorized")));
        }
        if (!verdict.isNull()) {
            throw new CouchError(
                    500, verdict.path("name").asText(), verdict.path("message").asText());
        }
    }

    private static String reason(JsonNode reason) {
        return reason.isTextual() ? reason.textValue() : reason.toString();
    }

    private synchronized List<Script> current() {
        long now = database.designSeq();
        if (compiledAt != now) {
            scripts = compile();
            compiledAt = now;
        }
        return scripts;
    }

    private List<Script> compile() {
        return database.designs()
                .filter(doc -> doc.body().path("validate_doc_update").isTextual())
                .map(doc -> new Script(
                        doc.id(),
                        doc.body(),
                        List.of(doc.body().path("validate_doc_update").textValue())))
                .toList();
    }
}

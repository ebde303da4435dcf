package io.couchjobs.embedded.http;

import io.couchjobs.embedded.protocol.CouchError;
import java.util.List;
import java.util.Set;

/**
 * The endpoints of CouchDB that this server does not have. They answer with an error instead of being taken for a document id or
 * a database name.
 */
final class NotBuilt {
    private static final Set<String> SERVER = Set.of(
            "_cluster_setup",
            "_nouveau_analyze",
            "_reload_query_servers",
            "_replicate",
            "_reshard",
            "_scheduler",
            "_search_analyze",
            "_utils",
            "favicon.ico");
    private static final Set<String> DATABASE = Set.of(
            "_auto_purge",
            "_explain",
            "_find",
            "_index",
            "_nouveau_cleanup",
            "_partition",
            "_purged_infos",
            "_search_cleanup",
            "_sync_shards",
            "_temp_view");
    private static final Set<String> DESIGN = Set.of(
            "_list",
            "_nouveau",
            "_nouveau_info",
            "_rewrite",
            "_search",
            "_search_disk_size",
            "_search_info",
            "_show",
            "_update");

    private NotBuilt() {}

    static void checkServer(Call call) {
        check(SERVER, "/", call.segment(0));
    }

    static void checkDatabase(Call call) {
        check(DATABASE, "/{db}/", call.segment(1));
    }

    static void checkDesign(Call call) {
        check(DESIGN, "/{db}/_design/{ddoc}/", call.segment(3));
    }

    private static void check(Set<String> missing, String where, String name) {
        if (missing.contains(name)) {
            throw error(where + name);
        }
    }

    /** Refuses to copy a document, and to accept one as a multipart body or a form. */
    static void checkDocument(Call call) {
        if (call.is("COPY")) {
            throw error("COPY of a document");
        }
        String type = call.header("Content-Type").orElse("");
        for (String kind : List.of("multipart/related", "multipart/form-data")) {
            if (type.startsWith(kind)) {
                throw error(call.method() + " with " + kind);
            }
        }
    }

    /** {@return the error for a request that CouchDB supports, but this server does not} */
    static CouchError error(String what) {
        return new CouchError(
                501,
                "not_implemented",
                "couchjobs-embedded is a server for development and tests, and does not have " + what
                        + ". docs/embedded.md lists what it does not have.");
    }
}

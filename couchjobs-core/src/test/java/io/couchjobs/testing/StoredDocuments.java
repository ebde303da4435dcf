package io.couchjobs.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** All that a database has: each revision of each document that is not compacted away, and its local documents. */
public final class StoredDocuments {
    private static final List<String> LOCAL = List.of(
            "_local/couchjobs-site",
            "_local/couchjobs-gc",
            "_local/couchjobs-probe-0",
            "_local/couchjobs-probe-1",
            "_local/couchjobs-probe-2",
            "_local/couchjobs-probe-3");

    private StoredDocuments() {}

    /** Without design documents, and without those of the given ids. */
    public static Set<ObjectNode> of(CouchDatabase database, Set<String> foreign) throws InterruptedException {
        Set<ObjectNode> all = new LinkedHashSet<>();
        for (Change change : changes(database)) {
            if (!change.id().startsWith("_design/") && !foreign.contains(change.id())) {
                change.revs().forEach(leaf -> database.history(change.id(), leaf)
                        .forEach(rev -> database.get(change.id(), rev).ifPresent(all::add)));
            }
        }
        LOCAL.stream().map(database::get).flatMap(Optional::stream).forEach(all::add);
        return all;
    }

    private static List<Change> changes(CouchDatabase database) throws InterruptedException {
        List<Change> changes = new ArrayList<>();
        try (ChangesFeed feed = database.changes(ChangesRequest.normal().styleAllDocs(true))) {
            while (!feed.isEnded()) {
                feed.next(Duration.ofSeconds(30)).ifPresent(changes::add);
            }
        }
        return changes;
    }
}

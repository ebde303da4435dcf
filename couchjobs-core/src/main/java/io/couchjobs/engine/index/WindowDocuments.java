package io.couchjobs.engine.index;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.Job;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Reads the jobs of many rows of an index by their ids: so the server opens them together, while a view that includes
 * documents opens each separately. Thread-safe.
 */
final class WindowDocuments {
    private final CouchDatabase database;

    WindowDocuments(CouchDatabase database) {
        this.database = database;
    }

    /** The jobs whose documents still have the revisions of the rows, in the order of the rows. */
    Stream<Job> jobs(List<ViewResult.Row> index) {
        List<String> ids = index.stream().map(row -> String.valueOf(row.id())).toList();
        List<Optional<ObjectNode>> documents = database.getAll(ids);
        return IntStream.range(0, ids.size()).boxed().flatMap(i -> {
            Optional<String> rev = Optional.of(index.get(i).value().asText());
            return documents
                    .get(i)
                    .flatMap(JobStore::jobOf)
                    .filter(job -> job.rev().equals(rev))
                    .stream();
        });
    }
}

package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.document.JsonLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The next rows of a feed that cannot be read with its documents. Each document was read by a separate request, up to the first
 * document that cannot be read. Immutable.
 *
 * @param readable the rows whose documents were read
 * @param failed the row whose document cannot be read; empty when all documents of these rows were read
 * @param seq the position after all these rows
 * @param problem why the document cannot be read
 */
record SingleRows(List<Change> readable, Optional<Change> failed, String seq, String problem) {
    private static final int MOST_ROWS = 50;
    /** The total size of documents after which no further documents are read. */
    private static final long MOST_CHARACTERS = 8_000_000;

    private static final Duration TICK = Duration.ofSeconds(1);

    /**
     * Reads the next rows.
     *
     * @param trouble the failure of the feed; thrown again unless a row is too large to be parsed, for example because of a number
     *     of 1,001 digits
     * @param request the request for the failed feed, from the next row on
     */
    static SingleRows after(
            CouchException trouble, CouchDatabase database, ChangesRequest request, BooleanSupplier goesOn) {
        List<Change> rows = Answer.isTooLarge(trouble) ? rows(database, request, goesOn) : List.of();
        if (rows.isEmpty()) {
            throw trouble;
        }
        List<Change> readable = new ArrayList<>();
        long room = MOST_CHARACTERS;
        for (Change row : rows) {
            try {
                Change whole = withDocument(database, row);
                readable.add(whole);
                room -= whole.doc() == null ? 0 : JsonLength.characters(whole.doc());
            } catch (CouchException cannot) {
                if (!Answer.isTooLarge(cannot)) {
                    throw cannot;
                }
                return new SingleRows(readable, Optional.of(row), row.seq(), String.valueOf(cannot.getMessage()));
            }
            if (room <= 0) {
                break;
            }
        }
        return new SingleRows(
                readable, Optional.empty(), readable.get(readable.size() - 1).seq(), "");
    }

    private static List<Change> rows(CouchDatabase database, ChangesRequest request, BooleanSupplier goesOn) {
        List<Change> rows = new ArrayList<>();
        try (ChangesFeed feed = database.changes(request.includeDocs(false).limit(MOST_ROWS))) {
            while (!feed.isEnded() && goesOn.getAsBoolean()) {
                feed.next(TICK).ifPresent(rows::add);
            }
        }
        return rows;
    }

    /** Reads the document of a row. If the server no longer has the revision, reads the newest one, which has its own row later. */
    private static Change withDocument(CouchDatabase database, Change row) {
        return new Change(
                row.seq(),
                row.id(),
                row.revs(),
                row.deleted(),
                database.get(row.id(), row.revs().get(0))
                        .or(() -> database.get(row.id()))
                        .orElse(null));
    }

    /** Returns the step past all these rows, after the readable ones were processed. The unreadable row fails. */
    Step step(Position position) {
        List<Step.Failure> failures = failed
                .map(row -> new Step.Failure(
                        SourceReader.change(position.database(), row), "it cannot be read: " + problem, false))
                .stream()
                .toList();
        return new Step(seq, failures.size(), 0, position.owed(), failures, Optional.empty());
    }
}

package io.couchjobs.couch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.LimitedInput;
import io.couchjobs.engine.time.Environment;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A feed that its own thread reads into a queue. {@link #next} waits for the queue, because a socket read that times out
 * would lose a half-read row. The queue is limited in rows and in bytes, so a slow consumer slows the server down.
 */
final class OpenFeed implements ChangesFeed {

    private static final Logger LOG = LoggerFactory.getLogger(OpenFeed.class);
    private static final int READ_AHEAD = 2_000;
    private static final int BYTES_AHEAD = 4 << 20;
    private static final long LONGEST_ROW = 16L << 20;

    /** A row from the reader, or the end of the feed with its position or its failure. */
    private record Item(
            @Nullable Change change,
            @Nullable String lastSeq,
            @Nullable CouchException failure) {
        static Item end(@Nullable String lastSeq, @Nullable CouchException failure) {
            return new Item(null, lastSeq, failure);
        }
    }

    private final Answer answer;
    private final Http http;
    private final ReadAhead<Item> items;
    private final Thread reader;
    private final ChangesRequest request;
    private final Environment environment;
    private volatile long lastSignOfLife;
    private volatile String lastSeq;
    private volatile boolean closed;
    private volatile @Nullable Item end;

    private OpenFeed(Answer answer, Http http, ChangesRequest request, Environment environment) {
        this.answer = answer;
        this.http = http;
        this.lastSeq = request.since();
        this.request = request;
        this.environment = environment;
        this.lastSignOfLife = environment.nanos();
        this.items = new ReadAhead<>(environment, READ_AHEAD, BYTES_AHEAD);
        this.reader = environment.thread("couch-feed" + answer.call().path(), this::read);
    }

    static ChangesFeed open(
            Http http, Call call, ChangesRequest request, Duration longestSilence, Environment environment) {
        Answer answer = http.openFeed(call, longestSilence);
        try {
            answer.read(Answer::requireSuccess);
        } catch (CouchException e) {
            answer.close();
            throw e;
        }
        OpenFeed feed = new OpenFeed(answer, http, request, environment);
        feed.reader.start();
        return feed;
    }

    @Override
    public Optional<Change> next(Duration atMost) {
        if (isEnded()) {
            return failOr(Optional.empty());
        }
        try {
            Optional<Item> item = items.poll(atMost);
            return item.isEmpty() || closed ? Optional.empty() : take(item.get());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    @Override
    public long lastSignOfLife() {
        return lastSignOfLife;
    }

    @Override
    public String lastSeq() {
        return lastSeq;
    }

    @Override
    public boolean isEnded() {
        return closed || end != null;
    }

    @Override
    public void abandon() {
        http.broke(answer, "its feed does not bring what there is");
        close();
    }

    @Override
    public void close() {
        closed = true;
        answer.close();
        items.close();
    }

    private Optional<Change> take(Item item) {
        Change change = item.change();
        if (change == null) {
            end = item;
            lastSeq = item.lastSeq() == null ? lastSeq : item.lastSeq();
            return failOr(Optional.empty());
        }
        lastSeq = change.seq();
        return Optional.of(change);
    }

    private Optional<Change> failOr(Optional<Change> nothing) {
        Item last = end;
        if (last != null && last.failure() != null && !closed) {
            throw last.failure();
        }
        return nothing;
    }

    private void read() {
        Item last;
        try {
            last = Item.end(answer.read(this::readRows), null);
        } catch (CouchException e) {
            if (!closed && !isOfARow(e)) {
                http.broke(answer, String.valueOf(e.getMessage()));
            }
            last = Item.end(null, http.isClosed() ? null : e);
        } catch (RuntimeException
                | Error e) { // the consumer must not wait forever, even when a row does not fit into memory
            last = Item.end(null, answer.unusable(String.valueOf(e.getMessage()), e));
        } finally {
            answer.close();
        }
        put(last, 0);
    }

    /** Returns whether a row is malformed or too large. Every other node would send the same row. */
    private static boolean isOfARow(CouchException e) {
        boolean isMalformed =
                e.getCause() instanceof JsonProcessingException && !(e instanceof CouchUnreachableException);
        return isMalformed || Answer.isTooLarge(e);
    }

    private String readRows(Answer feed) throws IOException {
        RowLimit input = new RowLimit(feed.body());
        try (JsonParser parser = Json.feedParser(input)) {
            // Closing the body would read its rest, which never ends while the feed is open.
            parser.disable(JsonParser.Feature.AUTO_CLOSE_SOURCE);
            ChangesParser changes = new ChangesParser(feed, parser, request);
            Optional<Change> row = changes.next();
            while (row.isPresent() && putRow(row.get(), input.takeCount())) {
                input.restart();
                row = changes.next();
            }
            return changes.lastSeq();
        }
    }

    private boolean putRow(Change row, long bytes) {
        return put(new Item(row, null, null), (int) Math.max(1, Math.min(bytes, BYTES_AHEAD)));
    }

    /** Adds an item, and ignores interrupts so that neither a row nor the end gets lost. Returns false when the feed was closed. */
    private boolean put(Item item, int bytes) {
        while (true) {
            try {
                return items.put(item, bytes);
            } catch (InterruptedException e) {
                LOG.debug(
                        "the reader of {} was interrupted, which ends it only when its feed is closed",
                        answer.call().path());
            }
        }
    }

    /** Records when bytes arrive, and limits the length of one row. */
    private final class RowLimit extends LimitedInput {
        private long uncounted;

        RowLimit(InputStream in) {
            super(in, LONGEST_ROW);
        }

        @Override
        public void count(int bytes) throws IOException {
            if (bytes > 0) {
                lastSignOfLife = environment.nanos();
                uncounted += bytes;
            }
            super.count(bytes);
        }

        /** Returns the number of bytes since the last row: about the size of this row, as the parser reads ahead. */
        long takeCount() {
            long count = uncounted;
            uncounted = 0;
            return count;
        }
    }
}

package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.JsonLength;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.trigger.SourceChange;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Follows one database for a trigger, in slices that each read the feed for a while. Used by one thread at a time.
 *
 * <p>The position is stored after all jobs of a step are confirmed, and before the next step. Changes that do not concern the
 * trigger move the position in memory only. To save writes, that position is stored after many such changes or some time.
 */
final class SourceFollower {
    /**
     * For a backlog, the server computes the position of every 20th change only, because computing a position takes longer than
     * reading a change. A change without its own position has the last position before it.
     */
    private static final int CHANGES_PER_POSITION = 20;

    /**
     * The maximum number of changes in a slice that does not wait for new changes, so that other databases get their turn. CouchDB
     * sends a change's position if the number of remaining changes, including this one, is a multiple of 20. This limit makes it
     * every 20th.
     */
    static final int LONGEST_SLICE = 500 * CHANGES_PER_POSITION - 1;

    private static final int MOST_UNSTORED = 2_000;
    /** A step ends with the document that exceeds this total size, to bound memory use. */
    private static final long MOST_CHARACTERS = 8_000_000;
    /** The maximum number of owed changes: the position's document holds them all. At this number, no more changes are taken. */
    private static final int MOST_OWED = 1_000;

    private static final Duration LONGEST_UNSTORED = Duration.ofSeconds(30);
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration LONGEST_FULL = Duration.ofSeconds(15);
    /** Not shorter, because each retry of a change that has no room in the queue reads the change and its document again. */
    private static final Duration SHORTEST_FULL = Duration.ofSeconds(1);
    /** The pause before reconnecting after the server has ended a feed. */
    private static final Duration AGAIN = Duration.ofMillis(250);

    private final CouchDatabase database;
    private final Positions positions;
    private final Taker taker;
    private final InstantSource clock;
    private final Environment environment;
    private final Backoff owedPauses;
    private final Backoff fullPauses;
    private Position position;
    private long owedSince;
    private Duration owedPause = Duration.ZERO;
    private String seq;
    private int unstored;
    private long unstoredSince;
    private boolean isAtEnd;
    private boolean isCaughtUp;
    private boolean hasReadAll;
    private long waitingSince;
    /** Whether changes wait for further changes to fill a batch. */
    private boolean isWaiting;

    private Optional<Duration> pause = Optional.empty();

    SourceFollower(FollowerTools tools, CouchDatabase database, Position position, Taker taker) {
        this.database = database;
        this.positions = tools.positions();
        this.taker = taker;
        this.clock = tools.clock();
        this.environment = tools.environment();
        this.position = position;
        this.seq = position.seq();
        this.owedPauses = new Backoff(environment, Duration.ofMillis(50), Duration.ofSeconds(2));
        this.fullPauses = new Backoff(environment, SHORTEST_FULL, LONGEST_FULL);
    }

    Position position() {
        return position;
    }

    /** Returns whether changes were waiting when the position was stored. */
    boolean isBehind() {
        return position.behindSince().isPresent() || !position.owed().isEmpty();
    }

    /** Returns whether the last slice left no change to process. */
    boolean hasTakenAll() {
        return hasReadAll && position.owed().isEmpty();
    }

    /**
     * Follows the database for a while.
     *
     * @param stays whether the slice may wait for new changes on its own connection
     * @param goesOn whether the database is still to be followed
     * @return the time until the next slice; empty when no slice is needed until the database changes
     */
    Optional<Duration> slice(BooleanSupplier stays, BooleanSupplier goesOn) {
        try {
            return follow(stays, goesOn);
        } catch (CouchException trouble) {
            ChangesRequest rest = taker.request(ChangesRequest.normal().since(seq));
            pass(SingleRows.after(trouble, database, rest, goesOn));
            return pause.or(() -> Optional.of(Duration.ZERO));
        }
    }

    private Optional<Duration> follow(BooleanSupplier stays, BooleanSupplier goesOn) {
        pause = Optional.empty();
        hasReadAll = false;
        DatabaseInfo info = database.info();
        if (position.isOfOther(info.created())) {
            moved(positions.move(position, position.restarted(Position.BEGINNING, info.created(), clock.instant())));
        }
        takeOwed();
        boolean stay = stays.getAsBoolean();
        boolean listens = stay && isCaughtUp;
        try (ChangesFeed feed = database.changes(request(listens))) {
            note(Optional.empty());
            int rows = read(feed, listens, () -> stay == stays.getAsBoolean() && goesOn.getAsBoolean());
            if (pause.isEmpty() && !listens && rows >= LONGEST_SLICE) {
                return Optional.of(Duration.ZERO);
            } else if (isWaiting && stay) {
                pause = Optional.of(Duration.ZERO);
            } else if (pause.isEmpty()) {
                isCaughtUp |= feed.isEnded();
                hasReadAll = isAtEnd && feed.isEnded();
                pause = Optional.of(listens ? AGAIN : Duration.ZERO).filter(any -> stay || !feed.isEnded());
            }
        }
        takeOwed();
        storeUnstored();
        if (unstored > 0 && pause.isEmpty()) {
            pause = Optional.of(LONGEST_UNSTORED);
        }
        return position.owed().isEmpty()
                ? pause
                : Optional.of(pause.filter(p -> p.compareTo(owedPause) < 0).orElse(owedPause));
    }

    /** Returns a request for the backlog, or, once the backlog was read, a request that waits for new changes. */
    private ChangesRequest request(boolean listens) {
        ChangesRequest feed = listens
                ? ChangesRequest.continuous()
                : ChangesRequest.normal()
                        .limit(LONGEST_SLICE)
                        .seqInterval(taker.needsEachPosition() ? 1 : CHANGES_PER_POSITION);
        return taker.request(feed.since(seq));
    }

    /** Processes rows of the feed. Returns the number of rows, including rows that do not concern the trigger. */
    private int read(ChangesFeed feed, boolean listens, BooleanSupplier goesOn) {
        int rows = 0;
        while (goesOn.getAsBoolean() && pause.isEmpty()) {
            if (position.owed().size() >= MOST_OWED) {
                pause = Optional.of(owedPause);
                return rows;
            }
            FeedPart part = collect(feed, listens, rows, goesOn);
            rows += part.rows();
            if (!part.changes().isEmpty()) {
                Duration wait = waitForOthers(part);
                if (!wait.isZero()) {
                    pause = Optional.of(wait);
                    isAtEnd = false;
                    isCaughtUp = true; // the next slice may wait on its own connection
                    return rows;
                }
                if (!take(part.changes(), part.seq())) {
                    pause = Optional.of(fullPauses.next());
                }
                passed(seq, part.isAtPosition() ? 0 : 1);
            } else if (feed.isEnded()) {
                passed(feed.lastSeq(), part.count());
                return rows;
            } else {
                passed(part.seq(), part.count());
            }
            takeOwed();
            storeUnstored();
        }
        return rows;
    }

    /**
     * Reads the available changes, or the changes that come within a second. When this slice has to end while changes wait for
     * further changes, those changes are left to the next slice.
     *
     * @param before the number of rows of this feed that were read before
     */
    private FeedPart collect(ChangesFeed feed, boolean listens, int before, BooleanSupplier goesOn) {
        List<Change> changes = new ArrayList<>();
        Taker.Size size = taker.size();
        String reached = seq;
        boolean isAtPosition = true;
        int rows = 0;
        int count = 0;
        long room = MOST_CHARACTERS;
        Optional<Change> next = feed.next(owedPause.isZero() || position.owed().isEmpty() ? TICK : owedPause);
        OtherChanges others = new OtherChanges(feed, listens, size.patience(), environment);
        while (next.isPresent()) {
            Change change = next.get();
            isAtPosition = !change.seq().equals(reached);
            reached = change.seq();
            rows++;
            count += change.id().startsWith(DocIds.FOLLOW) ? 0 : 1;
            if (taker.concerns(position, change)) {
                changes.add(change);
                room -= change.doc() == null ? 0 : JsonLength.characters(change.doc());
            }
            boolean isEnough = changes.size() >= size.most() || rows >= MOST_UNSTORED + size.most();
            if (room <= 0 || (isEnough && isAtPosition)) {
                break;
            }
            next = isAtPosition ? others.next(changes.size(), goesOn) : feed.next(TICK);
        }
        if (next.isEmpty() && !feed.isEnded() && !changes.isEmpty() && !goesOn.getAsBoolean()) {
            isAtEnd = false;
            // The next slice opens a new feed to read these changes again, because this feed does not repeat them.
            pause = Optional.of(Duration.ZERO);
            return FeedPart.none(seq);
        }
        boolean isCutOff = feed.isEnded() && before + rows >= LONGEST_SLICE;
        isAtEnd = next.isEmpty() && !isCutOff && (listens || feed.isEnded());
        boolean isAllOfIt = next.isEmpty() && feed.isEnded();
        boolean isShort = isAllOfIt && !isCutOff && changes.size() < size.most();
        return new FeedPart(
                changes, isAllOfIt ? feed.lastSeq() : reached, isAtPosition || isAllOfIt, isShort, rows, count);
    }

    /** Returns how long changes still wait to fill a batch. Nonzero only after the feed ended. */
    private Duration waitForOthers(FeedPart part) {
        if (!part.isShort()) {
            isWaiting = false;
            return Duration.ZERO;
        }
        long now = environment.nanos();
        waitingSince = isWaiting ? waitingSince : now;
        Duration left = taker.size().patience().minusNanos(now - waitingSince);
        isWaiting = !left.isNegative() && !left.isZero();
        return isWaiting ? left : Duration.ZERO;
    }

    private void passed(String to, int changes) {
        if (unstored == 0) {
            unstoredSince = environment.nanos();
        }
        seq = to;
        unstored += changes;
    }

    /**
     * Processes changes and moves the position to {@code to}. If some of the changes have to wait, moves it less far and returns
     * false. Returns false when some have to wait.
     */
    private boolean take(List<Change> changes, String to) {
        Step step = taker.take(position, changes);
        boolean isAll = step.changes() == changes.size();
        isAtEnd &= isAll;
        if (step.changes() > 0) {
            fullPauses.reset();
        }
        if (step.changes() > 0 || position.behindSince().isEmpty()) {
            move(isAll ? step.at(to) : step);
        }
        return isAll;
    }

    /** Passes a row that cannot be read. The rows before it are processed first; then the unreadable row is recorded as failed. */
    private void pass(SingleRows rows) {
        List<Change> changes = rows.readable().stream()
                .filter(change -> taker.concerns(position, change))
                .toList();
        isAtEnd = false;
        if (changes.isEmpty() || take(changes, changes.get(changes.size() - 1).seq())) {
            move(rows.step(position));
        } else {
            pause = Optional.of(fullPauses.next());
        }
    }

    private void move(Step step) {
        Instant now = clock.instant();
        Optional<Instant> behind =
                isAtEnd ? Optional.empty() : position.behindSince().or(() -> Optional.of(now));
        moved(positions.move(position, position.after(step, now).behind(behind)));
    }

    private void moved(Position to) {
        if (to.owed().size() > position.owed().size()) {
            owedPauses.reset();
            owedPause = taker.owesFirst() ? Duration.ZERO : owedPauses.next();
            owedSince = environment.nanos();
        }
        position = to;
        seq = to.seq();
        unstored = 0;
    }

    private void takeOwed() {
        List<SourceChange> owed = position.owed();
        if (owed.isEmpty() || environment.nanos() - owedSince < owedPause.toNanos()) {
            return;
        }
        Step step = taker.takeOwed(position, owed);
        owedPause = owedPauses.next();
        owedSince = environment.nanos();
        if (step.owed().size() < owed.size() || !step.failures().isEmpty()) {
            owedPauses.reset();
            move(step.at(unstored == 0 ? position.seq() : seq));
        }
    }

    private void storeUnstored() {
        boolean isOld = unstored > 0 && environment.nanos() - unstoredSince > LONGEST_UNSTORED.toNanos();
        boolean hasCaughtUp = isAtEnd && position.behindSince().isPresent();
        if (isOld || unstored >= MOST_UNSTORED || hasCaughtUp) {
            move(Step.none(seq, position.owed()));
        }
    }

    /** Stores the position, unless it was stored since a time. The stored time tells the next follower that no change was left. */
    void store(Instant since) {
        if (position.last().filter(last -> !last.isBefore(since)).isEmpty()) {
            move(Step.none(seq, position.owed()));
        }
    }

    /** Stores why the database cannot be followed; empty when it can be followed again. */
    void note(Optional<String> problem) {
        if (!position.problem().equals(problem)) {
            Optional<Instant> behind = position.behindSince().or(() -> problem.map(any -> clock.instant()));
            position = positions.move(position, position.withProblem(problem).behind(behind));
        }
    }
}

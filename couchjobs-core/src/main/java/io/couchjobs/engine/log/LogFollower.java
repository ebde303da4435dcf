package io.couchjobs.engine.log;

import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.Logs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a listener, in a lane of its own, each chunk of a log once. Thread-safe.
 *
 * <p>The feed only puts chunks aside. When the listener is so slow that too many chunks gather, they are dropped, and read
 * again from the database when the listener has caught up. So no chunk is missed, no other listener waits, and memory stays
 * bounded.
 */
final class LogFollower implements FeedListener, Logs.Following {
    private static final Logger log = LoggerFactory.getLogger(LogFollower.class);
    private static final int MOST = 100;
    private static final int MOST_TOLD = 10_000;
    /** The time after which the present chunks are read once more, because a copy of a cluster may be a moment behind. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final JobId job;
    private final JobLogs logs;
    private final Consumer<Logs.Chunk> listener;
    private final Environment environment;
    private final Lane lane;
    private final Alarm delivery;
    private final Backoff backoff;
    private final CompletableFuture<Void> toldAll = new CompletableFuture<>();
    private final List<Logs.Chunk> heard = new ArrayList<>();
    private boolean mustRead = true;
    private boolean finishing;
    private boolean closed;
    private Listening listening = () -> {};
    /** The chunks that the listener was told. Only the lane uses this field. */
    private final ToldChunks told = new ToldChunks(MOST_TOLD);

    private Logs.@Nullable Chunk last;

    /** The next step of the delivery. */
    private record Work(List<Logs.Chunk> chunks, boolean read, boolean last) {}

    LogFollower(JobId job, JobLogs logs, Consumer<Logs.Chunk> listener, Environment environment) {
        this.job = job;
        this.logs = logs;
        this.listener = listener;
        this.environment = environment;
        this.lane = environment.lane("couchjobs-log", 1);
        this.delivery = Alarm.immediate(lane, this::deliver);
        this.backoff = new Backoff(environment, Duration.ofMillis(100), Duration.ofSeconds(5));
    }

    /** Starts to listen. The present chunks are told first. */
    void start(Feed feed) {
        synchronized (this) {
            listening = feed.listen(this);
        }
        delivery.now();
        var unused = lane.schedule(AGAIN, this::gap);
    }

    @Override
    public void changed(FeedEvent event) {
        if (event.document() != null && !event.deleted() && event.docId().startsWith(LogDocuments.prefix(job))) {
            Logs.Chunk.of(event.document())
                    .filter(chunk -> chunk.job().equals(job))
                    .ifPresent(this::put);
        }
    }

    @Override
    public boolean needsDocument(FeedNotice notice) {
        return notice.docId().startsWith(LogDocuments.prefix(job));
    }

    @Override
    public synchronized void gap() {
        mustRead = true;
        delivery.now();
    }

    @Override
    public boolean finish(Duration longest) throws InterruptedException {
        synchronized (this) {
            mustRead = true;
            finishing = true;
        }
        lane.execute(this::deliver); // at once, even after a failure
        boolean isAllTold = environment.await(toldAll, longest);
        close();
        return isAllTold && lane.awaitEnd(longest);
    }

    @Override
    public synchronized void close() {
        closed = true;
        heard.clear();
        listening.close();
        lane.finish();
        toldAll.complete(null);
    }

    private synchronized void put(Logs.Chunk chunk) {
        if (closed || mustRead) {
            return; // the chunk is read anyway
        }
        heard.add(chunk);
        if (heard.size() > MOST) {
            heard.clear();
            mustRead = true;
        }
        delivery.now();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized Work next() {
        Work work = new Work(List.copyOf(heard), mustRead, finishing);
        heard.clear();
        mustRead = false;
        return work;
    }

    private void deliver() {
        Work work = next();
        boolean isInOrder = work.chunks.stream().allMatch(this::tellNext);
        if ((work.read || !isInOrder) && !isRead(work.read || last == null ? null : last.docId())) {
            return;
        }
        work.chunks.forEach(this::tell);
        if (work.last) {
            toldAll.complete(null);
        }
    }

    /** Reads the log and tells its chunks. Returns false when the log cannot be read now; then it is read later. */
    private boolean isRead(@Nullable String after) {
        try {
            logs.read(job, after).takeWhile(chunk -> !isClosed()).forEach(this::tell);
            backoff.reset();
            return true;
        } catch (RuntimeException e) {
            log.debug("the log of {} cannot be read now", job, e);
            synchronized (this) {
                mustRead = true;
            }
            delivery.notBefore(backoff.next());
            return false;
        }
    }

    /** Tells a chunk if it is the next one, and returns whether it is. The feed of a cluster may bring a later chunk first. */
    private boolean tellNext(Logs.Chunk chunk) {
        if (last != null && chunk.docId().compareTo(last.docId()) <= 0 && !told.contains(chunk)) {
            last = null; // the job was removed and added anew, so its log begins again
        }
        long expected = last != null && fence(last) == fence(chunk) ? last.number() + 1 : 1;
        if (chunk.number() > expected) {
            return false;
        }
        tell(chunk);
        return true;
    }

    private static long fence(Logs.Chunk chunk) {
        return chunk.lines().get(0).fence();
    }

    private void tell(Logs.Chunk chunk) {
        if (isClosed() || !told.add(chunk)) {
            return;
        }
        last = chunk;
        try {
            listener.accept(chunk);
        } catch (RuntimeException | Error e) {
            log.error("a listener failed on the log of {}; it will hear of later lines", job, e);
        }
        if (Thread.interrupted()) {
            log.debug("a listener left an interrupt behind, which means nothing here");
        }
    }
}

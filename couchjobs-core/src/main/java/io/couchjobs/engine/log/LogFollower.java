package io.couchjobs.engine.log;

import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.LogChunk;
import io.couchjobs.job.LogFollowing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a listener, on a thread of its own, of each chunk of a log once. Thread-safe.
 *
 * <p>The feed only puts chunks aside. When the listener is so slow that too many gather, they are dropped and read
 * again from the database when it has caught up. So no chunk is missed, no other listener waits, and memory stays
 * bounded.
 */
final class LogFollower implements Feed.Listener, LogFollowing {
    private static final Logger log = LoggerFactory.getLogger(LogFollower.class);
    private static final int MOST = 100;

    private final JobId job;
    private final JobLogs logs;
    private final Consumer<LogChunk> listener;
    private final Thread thread = new Thread(this::deliver, "couchjobs-log");
    private final List<LogChunk> heard = new ArrayList<>();
    private boolean mustRead = true;
    private boolean finishing;
    private boolean closed;
    private Listening listening = () -> {};
    /** Only the thread uses it. */
    private final Set<String> told = new HashSet<>();

    /** The next step. */
    private record Work(List<LogChunk> chunks, boolean read, boolean last) {}

    LogFollower(JobId job, JobLogs logs, Consumer<LogChunk> listener) {
        this.job = job;
        this.logs = logs;
        this.listener = listener;
        thread.setDaemon(true);
    }

    /** Listens from now on; the present chunks are told first. */
    void start(Feed feed) {
        synchronized (this) {
            listening = feed.listen(this);
        }
        thread.start();
    }

    @Override
    public void changed(FeedEvent event) {
        if (event.document() != null && !event.deleted() && event.docId().startsWith(LogDocuments.prefix(job))) {
            LogChunk.of(event.document())
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
        notifyAll();
    }

    @Override
    public boolean finish(Duration longest) throws InterruptedException {
        synchronized (this) {
            mustRead = true;
            finishing = true;
            notifyAll();
        }
        thread.join(Math.max(1, longest.toMillis()));
        boolean toldAll = !thread.isAlive();
        close();
        return toldAll;
    }

    @Override
    public synchronized void close() {
        closed = true;
        heard.clear();
        listening.close();
        notifyAll();
    }

    private synchronized void put(LogChunk chunk) {
        if (closed || mustRead) {
            return; // it is read anyway
        }
        heard.add(chunk);
        if (heard.size() > MOST) {
            heard.clear();
            mustRead = true;
        }
        notifyAll();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized Work next() throws InterruptedException {
        while (heard.isEmpty() && !mustRead && !closed) {
            wait();
        }
        Work work = new Work(List.copyOf(heard), mustRead, finishing || closed);
        heard.clear();
        mustRead = false;
        return work;
    }

    private void deliver() {
        Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
        boolean more = true;
        while (more) {
            try {
                more = deliverNext(backoff);
            } catch (InterruptedException e) {
                log.debug("a listener left an interrupt behind, which means nothing here");
            }
        }
    }

    /** False after the last. */
    private boolean deliverNext(Backoff backoff) throws InterruptedException {
        Work work = next();
        work.chunks.forEach(this::tell);
        try {
            if (work.read) {
                logs.read(job).takeWhile(chunk -> !isClosed()).forEach(this::tell);
            }
            backoff.reset();
            return !work.last;
        } catch (RuntimeException e) {
            log.debug("the log of {} cannot be read now", job, e);
            gap();
            backoff.pause();
            return !isClosed();
        }
    }

    private void tell(LogChunk chunk) {
        if (isClosed() || !told.add(chunk.docId())) {
            return;
        }
        try {
            listener.accept(chunk);
        } catch (RuntimeException | Error e) {
            log.error("a listener failed on the log of {}; it will hear of later lines", job, e);
        }
    }
}

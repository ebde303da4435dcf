package io.couchjobs.engine.due;

import io.couchjobs.couch.ViewQuery.Update;
import io.couchjobs.engine.due.share.Segments;
import io.couchjobs.engine.due.share.WorkerRanking;
import io.couchjobs.engine.index.DuePlace;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Site;
import io.couchjobs.job.Strategy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the index of due jobs, a window at a time. The first window is read from an up-to-date index. Each further
 * window begins where the last one ended, and does not wait for the server to update the index. It is read in the
 * background before the last one is used up. Windows grow while they are used up fast, as far as the size of the
 * documents allows. Thread-safe.
 *
 * <p>A stale index lacks jobs: when its end is reached, it is updated and read again from the start. The update costs
 * the server most just after very many runs, so it is put off until they are over, for at most five seconds.
 */
final class WindowReader {
    private static final Logger log = LoggerFactory.getLogger(WindowReader.class);
    static final int FIRST = 200;
    private static final int RANDOM_OF = 1024;
    private static final int STUCK = 200;
    /** The most rows of a shared window: rows without documents are cheap. */
    private static final int MOST_ROWS = 8_000;

    /** The number of claims for which jobs are read ahead. */
    private static final int AHEAD = 2;
    /** The interval between updates of the index while it lacks new jobs. */
    private static final Duration NEWS_EVERY = Duration.ofSeconds(10);
    /** The interval between updates while it lacks none. An index that is not updated gathers rows of jobs that are gone. */
    private static final Duration UP_TO_DATE_EVERY = Duration.ofSeconds(30);

    private static final Duration STUCK_EVERY = Duration.ofSeconds(10);

    private final JobIndex index;
    private final ServerClock clock;
    private final Environment environment;
    private final WorkerRanking ranking;
    private final Lane background;
    /** Guards the known jobs, and the set of jobs under way. */
    private final Object monitor;

    private final Set<String> underWay;

    /**
     * @param monitor guards the known jobs, and {@code underWay}
     * @param underWay the ids of the documents that are being claimed
     */
    WindowReader(
            JobIndex index,
            ServerClock clock,
            Environment environment,
            WorkerRanking ranking,
            Object monitor,
            Set<String> underWay) {
        this.index = index;
        this.clock = clock;
        this.environment = environment;
        this.ranking = ranking;
        this.background = environment.lane("couchjobs-index", 1);
        this.monitor = monitor;
        this.underWay = underWay;
    }

    /**
     * Reads the windows that are needed before jobs can be chosen.
     *
     * @param polite whether a read at the end of a line may be put off for a moment: see {@link RefreshTiming}
     */
    void refill(String line, KnownJobs stock, Instant until, AcceptOptions options, boolean polite) {
        CompletableFuture<Void> ahead;
        synchronized (monitor) {
            ahead = stock.paging().underWay();
            if (!mustRefill(stock, until, options.strategy())) {
                if (ahead == null && isLow(stock, until, options)) {
                    readAhead(line, stock, until, options);
                }
                return;
            }
        }
        if (ahead != null) {
            environment.join(ahead);
            synchronized (monitor) {
                if (!mustRefill(stock, until, options.strategy())) {
                    return;
                }
            }
        }
        if (!polite || isTimeToRead(line, stock, options)) {
            read(line, stock, until, options);
        }
    }

    private boolean isTimeToRead(String line, KnownJobs stock, AcceptOptions options) {
        synchronized (monitor) {
            long nanos = clock.nanos();
            return !isInLine(stock, options)
                    || !stock.backlog().isInDoubt()
                    || stock.endOfLine().isTimeToRead(nanos, ranking.idle(Site.typeOf(line), nanos));
        }
    }

    private static boolean mustRefill(KnownJobs stock, Instant until, Strategy strategy) {
        DueWindow backlog = stock.backlog();
        if (backlog.mustRefill(until)) {
            return true;
        }
        return switch (strategy.kind()) {
            case FIFO -> !stock.rules().takeAll() && backlog.isInDoubt();
            case FAIR -> backlog.isInDoubt();
            case RANDOM ->
                !backlog.knowsAllDue(until) && backlog.due(until, RANDOM_OF).size() < RANDOM_OF / 2;
        };
    }

    /** Returns whether the window will soon be used up, and the index has more jobs. */
    private boolean isLow(KnownJobs stock, Instant until, AcceptOptions options) {
        DueWindow backlog = stock.backlog();
        int enough = AHEAD * options.max();
        return isInLine(stock, options)
                && stock.paging().isGrown(options.max())
                && !stock.sharing().isBarren(clock.nanos())
                && !backlog.isInDoubt()
                && !backlog.knowsAllDue(until)
                && backlog.hasRoomFor(stock.paging().size(options.max()))
                && backlog.due(until, enough, job -> backlog.isOurs(job) || ranking.rank(job) == 0)
                                .size()
                        < enough;
    }

    private static boolean isShared(KnownJobs stock, AcceptOptions options) {
        return isInLine(stock, options)
                && stock.paging().isGrown(options.max())
                && !stock.sharing().isOver();
    }

    private static boolean isInLine(KnownJobs stock, AcceptOptions options) {
        return options.strategy().kind() == Strategy.Kind.FIFO && stock.rules().takeAll();
    }

    private void readAhead(String line, KnownJobs stock, Instant until, AcceptOptions options) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        stock.paging().underWay(done);
        background.execute(() -> {
            try {
                read(line, stock, until, options);
            } catch (RuntimeException trouble) {
                log.debug("the next window of {} cannot be read ahead: {}", line, trouble.toString());
            } finally {
                synchronized (monitor) {
                    stock.paging().underWay(null);
                }
                done.complete(null);
            }
        });
    }

    private void read(String line, KnownJobs stock, Instant until, AcceptOptions options) {
        long begun;
        Optional<DuePlace> from;
        Update update;
        boolean readsStuck;
        int size;
        boolean shared;
        UnaryOperator<List<JobId>> wanted;
        boolean random = options.strategy().kind() == Strategy.Kind.RANDOM;
        int workers = ranking.count(Site.typeOf(line));
        synchronized (monitor) {
            begun = stock.backlog().beginRefill();
            shared = workers > 1 && isShared(stock, options);
            boolean anew = random || (!shared && stock.sharing().hasPassedOthers());
            from = anew
                    ? Optional.empty()
                    : stock.backlog().dueHorizon(until).filter(last -> stock.paging()
                            .goesOn());
            Duration every = stock.endOfLine().isMore() ? NEWS_EVERY : UP_TO_DATE_EVERY;
            update = from.isEmpty() ? Update.TRUE : stock.paging().update(clock.nanos(), every.multipliedBy(workers));
            readsStuck = from.isEmpty() || stock.paging().isTimeForStuck(clock.nanos(), STUCK_EVERY);
            stock.endOfLine().reads(update);
            int jobs = stock.paging().size(options.max());
            int rows = shared ? Math.min(workers * jobs, MOST_ROWS) : jobs;
            size = random ? RANDOM_OF : rows;
            Segments stretches = stock.sharing().stretches(ranking, Site.typeOf(line), from.isPresent());
            wanted = shared ? stretches::of : UnaryOperator.identity();
        }
        try {
            JobIndex.Window due = index.pending(line, from, update, size, wanted);
            boolean asks = readsStuck && !due.complete(); // otherwise they are among the due jobs, or were read lately
            List<Job> stuck = asks ? stuck(line, from.isEmpty() ? Update.TRUE : Update.FALSE) : List.of();
            synchronized (monitor) {
                stock.backlog().refill(begun, free(due), free(stuck), from.isEmpty() && !shared);
                if (shared) {
                    stock.backlog().markOurs(due.jobs());
                    stock.sharing().readShare(due, size, clock.nanos());
                } else {
                    stock.sharing().readAll();
                }
                stock.paging().read(due, from, clock.nanos(), options.max(), workers);
                if (readsStuck) {
                    stock.paging().readStuck(clock.nanos());
                }
            }
            boolean mayLackOlder = readsStuck && from.isPresent();
            if (shared || mayLackOlder) {
                lookBehind(line, stock, options, mayLackOlder);
            }
        } finally {
            synchronized (monitor) {
                stock.backlog().endRefill();
            }
        }
    }

    private List<Job> stuck(String line, Update update) {
        return index.stuck(line, update, STUCK).jobs();
    }

    /**
     * Reads the start of the line once more, from an index that may be stale. There are jobs that other workers left
     * behind, and new jobs that belong before the known jobs.
     *
     * @param mayLackOlder whether new jobs are a reason to read
     */
    private void lookBehind(String line, KnownJobs stock, AcceptOptions options, boolean mayLackOlder) {
        int size;
        synchronized (monitor) {
            size = stock.paging().size(options.max());
            boolean isWorthIt =
                    stock.sharing().isFar() || (mayLackOlder && stock.backlog().mayLackOlder());
            if (!isWorthIt || !stock.backlog().hasRoomFor(size)) {
                return;
            }
        }
        JobIndex.Window left = index.pending(line, Optional.empty(), Update.FALSE, size, UnaryOperator.identity());
        synchronized (monitor) {
            stock.backlog().addBehind(free(left.jobs()));
            stock.sharing().lookedBehind();
        }
    }

    private JobIndex.Window free(JobIndex.Window window) {
        return new JobIndex.Window(free(window.jobs()), window.complete(), window.end());
    }

    private List<Job> free(List<Job> jobs) {
        return jobs.stream().filter(job -> !underWay.contains(job.id().docId())).toList();
    }
}

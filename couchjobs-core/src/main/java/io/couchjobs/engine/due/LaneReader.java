package io.couchjobs.engine.due;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.limit.Admission;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the indexes by lanes, a page at a time: see {@link Scan}. Thread-safe. */
final class LaneReader {
    private static final Logger log = LoggerFactory.getLogger(LaneReader.class);
    private static final int PAGE = 100;
    private static final int LARGE_PAGE = 500;

    private final JobIndex index;
    private final ServerClock clock;
    private final Admission admission;
    private final Function<String, KnownJobs> stocks;
    /** Guards the known jobs, and the set of jobs under way. */
    private final Object monitor;

    private final Set<String> underWay;

    LaneReader(
            JobIndex index,
            ServerClock clock,
            Admission admission,
            Function<String, KnownJobs> stocks,
            Object monitor,
            Set<String> underWay) {
        this.index = index;
        this.clock = clock;
        this.admission = admission;
        this.stocks = stocks;
        this.monitor = monitor;
        this.underWay = underWay;
    }

    /** Reads a page of an index by lanes. Applies the filters outside of the monitor. */
    void read(Chooser.Unread unread, Instant until) {
        long begun;
        Admission.Rules asked;
        synchronized (monitor) {
            KnownJobs stock = stocks.apply(unread.line());
            asked = stock.rules();
            begun = stock.scan(unread.order()).beginRead();
        }
        try {
            int size = asked.takeAll() ? PAGE : LARGE_PAGE;
            JobIndex.Page page = index.page(unread.order(), unread.line(), unread.from(), size);
            List<Job> wanted = page.jobs().stream()
                    .filter(job -> admission.admits(job, asked))
                    .toList();
            synchronized (monitor) {
                List<Job> free = wanted.stream()
                        .filter(job -> !underWay.contains(job.id().docId()))
                        .toList();
                stocks.apply(unread.line()).scan(unread.order()).read(begun, unread.from(), page, until, free);
            }
        } catch (CouchException trouble) {
            log.warn(
                    "the index {} cannot be asked, perhaps it is being built; for a minute only the oldest jobs of {} are"
                            + " looked at: {}",
                    unread.order().document(),
                    unread.line(),
                    trouble.getMessage());
            synchronized (monitor) {
                stocks.apply(unread.line()).isBroken(clock.nanos());
            }
        } finally {
            synchronized (monitor) {
                stocks.apply(unread.line()).scan(unread.order()).endRead();
            }
        }
    }
}

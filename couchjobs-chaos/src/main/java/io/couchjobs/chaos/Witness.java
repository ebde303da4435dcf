package io.couchjobs.chaos;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.HaltException;
import io.couchjobs.worker.JobContext;
import java.util.concurrent.ThreadLocalRandom;

/** Notes what a handler observes of its ownership. The time of a note is that before the observation. Not thread-safe. */
final class Witness {
    /** One observation in this many asks the database. */
    private static final int ASKS = 5;
    /** One handler in this many never asks, and continues unless it is interrupted. */
    private static final int ASKS_NOTHING = 3;
    /**
     * A handler should have been interrupted after this many observations without a lease. Counts observations instead of time,
     * because the process may be frozen.
     */
    private static final int PATIENCE = 25;
    /** The same number for a handler that owns its job, whose cancellation was requested. */
    private static final int PATIENCE_OF_OWNERS = 10;

    private final Journal journal;
    private final JobContext context;
    private final boolean stubborn;
    private final boolean asks = ThreadLocalRandom.current().nextInt(ASKS_NOTHING) > 0;
    private int inVain;

    Witness(Journal journal, JobContext context, boolean stubborn) {
        this.journal = journal;
        this.context = context;
        this.stubborn = stubborn;
    }

    void testify() {
        long now = System.nanoTime();
        boolean held = !context.isLeaseOver();
        if (held) {
            journal.note(now, What.HELD, context, "");
        }
        if (!held || context.job().isCancelRequested()) {
            inVain++;
        }
        if (inVain == (held ? PATIENCE_OF_OWNERS : PATIENCE) && !stubborn) {
            journal.note(now, What.UNTOLD, context, held ? "cancelled" : "lease is over");
        }
        if (asks && ThreadLocalRandom.current().nextInt(ASKS) == 0) {
            ask();
        }
    }

    private void ask() {
        long now = System.nanoTime();
        try {
            context.assertOwned();
            journal.note(now, What.ASSERTED, context, "");
        } catch (HaltException lost) {
            if (!stubborn) {
                throw lost;
            }
        } catch (CouchJobsException away) {
            System.err.println("cannot ask whether " + context.id() + " is owned: " + away.getMessage());
        }
    }
}

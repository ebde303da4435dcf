package io.couchjobs.engine.worker;

import io.couchjobs.job.Progress;
import io.couchjobs.worker.JobContext;
import java.util.Optional;

/** The questions and reports of a handler to its run. Thread-safe. */
interface RunControl {
    /** {@return why the handler is to stop; empty while it may go on} */
    Optional<JobContext.StopReason> stopReason();

    /** Tells how far the run has come. */
    void progress(Progress progress);

    /** Adds a line to the job's log. */
    void log(String line);

    /** Stops the handler if the job, as it was last read, is to be cancelled: the feed may not have told yet. */
    void heed();
}

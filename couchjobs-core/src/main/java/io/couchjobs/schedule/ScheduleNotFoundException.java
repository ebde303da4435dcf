package io.couchjobs.schedule;

import io.couchjobs.couch.config.CouchJobsException;

/** There is no schedule of that name. */
public final class ScheduleNotFoundException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * There is no such schedule.
     *
     * @param name the name that was asked for
     */
    public ScheduleNotFoundException(String name) {
        super("there is no schedule " + name);
    }
}

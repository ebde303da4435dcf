package io.couchjobs.trigger;

import io.couchjobs.couch.config.CouchJobsException;

/** There is no trigger of that name. */
public final class TriggerNotFoundException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * There is no such trigger.
     *
     * @param name the name that was asked for
     */
    public TriggerNotFoundException(String name) {
        super("there is no trigger " + name);
    }
}

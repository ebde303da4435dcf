package io.couchjobs.peers;

import java.net.URI;
import java.util.Locale;

/** What is measured. */
enum Candidate {
    RAW("raw: read, then two updates"),
    COUCHJOBS("couchjobs"),
    DB_SCHEDULER("db-scheduler"),
    JOBRUNR("JobRunr");

    private final String title;

    Candidate(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    String argument() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isOnCouch() {
        return this == RAW || this == COUCHJOBS;
    }

    /** An empty queue of this kind. */
    Peer open(String url) throws Exception {
        return switch (this) {
            case RAW -> new RawPeer(URI.create(url));
            case COUCHJOBS -> new CouchjobsPeer(URI.create(url));
            case DB_SCHEDULER -> new DbSchedulerPeer(url);
            case JOBRUNR -> new JobRunrPeer(url);
        };
    }
}

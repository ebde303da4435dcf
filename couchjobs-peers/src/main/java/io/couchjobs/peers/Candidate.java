package io.couchjobs.peers;

import java.net.URI;

/** The systems that are measured. */
enum Candidate {
    RAW("raw: read, then two updates"),
    COUCHJOBS("couchjobs"),
    ARRAY("couchjobs, items of an array"),
    DB_SCHEDULER("db-scheduler"),
    JOBRUNR("JobRunr");

    private final String title;

    Candidate(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    boolean isOnCouch() {
        return this == RAW || this == COUCHJOBS || this == ARRAY;
    }

    /** Returns whether jobs are also added one by one. */
    boolean addsSingleJobs() {
        return this != ARRAY;
    }

    /** Opens an empty queue of this kind. */
    Peer open(String url) throws Exception {
        return switch (this) {
            case RAW -> new RawPeer(URI.create(url));
            case COUCHJOBS -> new CouchjobsPeer(URI.create(url));
            case ARRAY -> new ArrayPeer(URI.create(url));
            case DB_SCHEDULER -> new DbSchedulerPeer(url);
            case JOBRUNR -> new JobRunrPeer(url);
        };
    }
}

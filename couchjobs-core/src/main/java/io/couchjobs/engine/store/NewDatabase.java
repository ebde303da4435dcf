package io.couchjobs.engine.store;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.Site;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the database of a queue. Stateless.
 *
 * <p>CouchDB keeps the ids of the last 1000 revisions of each document, and writes all of them with each change. Jobs have
 * about a dozen revisions. But documents that are written as long as the queue is used (workers, limits, rates) soon have
 * 1000, and then cost 57 KB per write. With {@value #REVISIONS} revisions a write costs 8 KB.
 *
 * <p>The ids distinguish a copy that is behind from one that diverged. So only a database without copies gets the lower
 * limit: a database on one node, and without the name of a site. If it gets copies later, a copy may miss more changes of a
 * job than the limit. The job then has two leaves for a moment, and the leaf with the greater fence wins.
 */
public final class NewDatabase {
    private static final Logger log = LoggerFactory.getLogger(NewDatabase.class);
    /** The number of revision ids that CouchDB keeps of each document. */
    private static final int REVISIONS = 100;

    private NewDatabase() {}

    /**
     * Creates the database if it does not exist, and returns whether this call created it. Idempotent; several processes may
     * call this at the same time.
     *
     * @param wanted whether a person asked for the database; false if it would be created only because a program was started
     * @throws io.couchjobs.couch.config.CouchJobsException if the node does not have the database, but its cluster may have
     *     it
     */
    public static boolean createIfMissing(CouchDatabase database, Site site, boolean wanted) {
        if (database.exists()) {
            return false;
        }
        MissingDatabase.requireNew(database, wanted);
        boolean created = database.createIfMissing();
        if (created && site.equals(Site.UNNAMED)) {
            rememberFewRevisions(database);
        }
        return created;
    }

    private static void rememberFewRevisions(CouchDatabase database) {
        try {
            if (!new Copies(database).areSeveral()) {
                database.putRevisionLimit(REVISIONS);
            }
        } catch (CouchException notHere) {
            log.debug("{} remembers as many revisions as ever: {}", database.name(), notHere.toString());
        }
    }
}

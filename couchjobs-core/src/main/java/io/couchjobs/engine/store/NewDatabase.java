package io.couchjobs.engine.store;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.Site;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the database of a queue. Stateless.
 *
 * <p>CouchDB remembers the names of the last 1000 revisions of each document, and writes them all whenever it changes.
 * Jobs have a dozen revisions. But documents that are written as long as the queue is used (workers, limits, rates)
 * soon have 1000, and then cost 57 KB per write; with {@value #REVISIONS} it is 8 KB.
 *
 * <p>The names distinguish a copy that is behind from one that diverged. So only a database without copies is given
 * fewer: on one node, and without the name of a site. It may get copies later, and one may miss more than that many
 * changes of a job. Then there are two leaves for a moment, and the one with the greater fence wins.
 */
public final class NewDatabase {
    private static final Logger log = LoggerFactory.getLogger(NewDatabase.class);
    /** How many revisions of a document are remembered. */
    private static final int REVISIONS = 100;

    private NewDatabase() {}

    /**
     * Creates the database where there is none. Idempotent; several processes may do it at the same time.
     *
     * @param wanted whether a person wants it there; else it would be created because a program was started
     * @throws io.couchjobs.couch.config.CouchJobsException when the node does not have it, and its cluster may
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

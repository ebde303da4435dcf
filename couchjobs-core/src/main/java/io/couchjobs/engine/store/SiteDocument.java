package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.job.Site;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The site of a database, in a {@code _local} document. Such documents are not replicated, so no database gets the name of
 * another one. Thread-safe.
 */
public final class SiteDocument {
    /** The document's id. */
    public static final String DOC_ID = DocIds.SITE;

    private static final String NAME = "site";
    private static final String HOME = "home";

    private final CouchDatabase database;

    /** Creates an instance for a database without I/O. */
    public SiteDocument(CouchDatabase database) {
        this.database = database;
    }

    /**
     * {@return the site of the database; {@link Site#UNNAMED} when it has no name, or does not exist}
     *
     * @throws IllegalArgumentException if the document has an invalid name
     */
    public Site read() {
        try {
            return database.get(DOC_ID).map(SiteDocument::site).orElse(Site.UNNAMED);
        } catch (CouchNotFoundException noDatabase) {
            return Site.UNNAMED;
        }
    }

    /**
     * Returns the site that a queue uses.
     *
     * @param override a name to use instead of the database's, or null
     * @return the database's own site, or the site with the other name
     */
    public Site readOr(@Nullable String override) {
        Site own = read();
        return override == null || override.equals(own.name()) ? own : Site.named(override);
    }

    /**
     * Sets the site of the database. Open queues keep the old name until they are opened again.
     *
     * @param site the site; {@link Site#UNNAMED} removes the name
     * @throws UnconfirmedException if no majority of the copies confirms the write
     * @throws CouchJobsException if another process writes another name at the same time
     */
    public void write(Site site) {
        // On a cluster the same name is written again: after an unconfirmed attempt, only one copy may have it.
        if (!new Copies(database).areSeveral() && read().equals(site)) {
            return;
        }
        ObjectNode next = JsonNodeFactory.instance.objectNode().put("_id", DOC_ID);
        database.get(DOC_ID).ifPresent(present -> next.set("_rev", present.get("_rev")));
        if (site.name() != null) {
            next.put(NAME, site.name()).put(HOME, site.home());
        }
        WriteResult written = WriteRefusedException.check(database.put(next));
        if (written instanceof WriteResult.Conflict) {
            Site present = read();
            if (!present.equals(site)) {
                throw new CouchJobsException("another process has named the database at the same time; its site is now "
                        + Objects.requireNonNullElse(present.name(), "one without a name"));
            }
        } else if (!(written instanceof WriteResult.Stored)) {
            throw new UnconfirmedException(DOC_ID);
        }
    }

    private static Site site(ObjectNode document) {
        return document.hasNonNull(NAME)
                ? new Site(document.path(NAME).asText(), document.path(HOME).asBoolean())
                : Site.UNNAMED;
    }
}

package io.couchjobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ConflictStats;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.IndexProgress;
import io.couchjobs.engine.conflict.ConflictWatch;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.NewDatabase;
import io.couchjobs.engine.store.SiteDocument;
import io.couchjobs.job.JobState;
import io.couchjobs.job.Site;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The questions of an operator about a database with jobs: its design documents, its conflicts, and documents in an old form. All
 * methods throw {@link io.couchjobs.couch.config.CouchException} when the database cannot be asked. Thread-safe.
 */
public final class Operations {
    private final DesignDocuments designs;
    private final JobIndex index;
    private final ConflictWatch conflicts;

    Operations(DesignDocuments designs, JobIndex index, ConflictWatch conflicts) {
        this.designs = designs;
        this.index = index;
        this.conflicts = conflicts;
    }

    /**
     * Creates a database and its design documents where they are missing, and names it. Idempotent; any number of processes may
     * do it at the same time.
     *
     * @param database the database
     * @param named the name that it gets among databases that replicate to each other; null to leave it as it is
     * @return what was missing
     */
    public static InitReport init(CouchDatabase database, @Nullable Site named) {
        boolean created = NewDatabase.createIfMissing(database, named == null ? Site.UNNAMED : named);
        List<String> pushed = new DesignDocuments(database).push();
        SiteDocument document = new SiteDocument(database);
        if (named != null) {
            document.write(named);
        }
        return new InitReport(created, pushed, named == null ? document.read() : named);
    }

    /**
     * The result of {@link #init}. Immutable and thread-safe.
     *
     * @param databaseCreated whether the database was created
     * @param designDocumentsPushed the names of the design documents that were stored
     * @param site the name of the database now
     */
    public record InitReport(boolean databaseCreated, List<String> designDocumentsPushed, Site site) {}

    /**
     * Counts the unfinished jobs that carry no site: only one database, the home, runs them.
     *
     * @param database the database
     * @return how many there are
     */
    public static long unfinishedWithoutSite(CouchDatabase database) {
        try (DesignDocuments designs = new DesignDocuments(database)) {
            return new JobIndex(designs)
                    .countsHere().values().stream()
                            .flatMap(byStatus -> byStatus.entrySet().stream())
                            .filter(count -> count.getKey().state() != JobState.FINISHED)
                            .mapToLong(Map.Entry::getValue)
                            .sum();
        }
    }

    /** {@return how the design documents stand: those of this version, and others that are there} */
    public List<DesignState> designs() {
        List<DesignState> states = new ArrayList<>();
        List<String> others = new ArrayList<>(designs.installed());
        for (DesignDocument wanted : DesignDocument.ALL) {
            others.remove(wanted.versionedName());
            states.add(stateOf(wanted));
        }
        for (DesignDocument onDemand : DesignDocument.ON_DEMAND) {
            if (others.remove(onDemand.versionedName())) {
                states.add(stateOf(onDemand));
            }
        }
        others.forEach(name -> states.add(new DesignState(name, DesignState.State.OTHER)));
        return states;
    }

    private DesignState stateOf(DesignDocument wanted) {
        Optional<ObjectNode> stored = designs.read(wanted.versionedName());
        DesignState.State state = stored.map(document -> {
                    document.remove("_rev");
                    return document.equals(wanted.toDocument()) ? DesignState.State.CURRENT : DesignState.State.CHANGED;
                })
                .orElse(DesignState.State.MISSING);
        return new DesignState(wanted.versionedName(), state);
    }

    /** {@return the names of the design documents of this version that were missing, and are stored now} */
    public List<String> pushDesigns() {
        return designs.push();
    }

    /** {@return which index is being built, and how far it is; empty when none is} */
    public Optional<IndexProgress> building() {
        return designs.building();
    }

    /** {@return the {@code _id}s of documents with conflicts, jobs and others, at most 1000} */
    public List<String> conflicts() {
        return conflicts.open();
    }

    /**
     * Resolves the conflict of a document now, as far as can be known. Workers do so by themselves.
     *
     * @param docId its {@code _id}
     * @return whether nothing is left to do
     */
    public boolean resolve(String docId) {
        return conflicts.resolve(docId);
    }

    /** {@return what this process did about conflicts since it started} */
    public ConflictStats conflictStats() {
        return conflicts.stats();
    }

    /** {@return the ids of pending jobs whose {@code scheduledTime} somebody wrote in seconds; a limited number of them} */
    public List<String> timesInSeconds() {
        return index.timesInSeconds();
    }
}

package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.core.JsonPointer;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.NamedDocuments;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.trigger.Trigger;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Predicate;

/** The objects that all followers of one queue share. Immutable and thread-safe. */
public record FollowerTools(
        QueueParts parts, Creator creator, AddRules rules, Sources sources, SharedDocuments documents) {
    /** Uses the documents of the queue's database. */
    public FollowerTools(QueueParts parts, Creator creator, AddRules rules, Sources sources) {
        this(parts, creator, rules, sources, new SharedDocuments(parts.store().database()));
    }

    CouchDatabase queue() {
        return parts.store().database();
    }

    Environment environment() {
        return parts.store().environment();
    }

    InstantSource clock() {
        return parts.clock();
    }

    NamedDocuments<Trigger> triggers() {
        return new NamedDocuments<>(documents, DocIds.TRIGGER, Trigger::docId, Trigger::parse);
    }

    /** Reads the trigger with a name; empty when there is none, or when its document is malformed. */
    Optional<Trigger> trigger(String name) {
        NamedDocuments<Trigger> triggers = triggers();
        return triggers.read(name).flatMap(triggers::parsed);
    }

    /** Returns whether the stored trigger still has the source and the connection of a trigger. */
    boolean isFollowed(Trigger trigger) {
        return trigger(trigger.name())
                .filter(present -> present.connection().equals(trigger.connection())
                        && present.source().equals(trigger.source()))
                .isPresent();
    }

    Positions positions() {
        return new Positions(documents);
    }

    Starts starts() {
        return new Starts(positions(), troubles(), clock(), this::isFollowed);
    }

    Troubles troubles() {
        return new Troubles(positions(), clock());
    }

    Taker jobTaker(Trigger trigger, CouchDatabase database, LoopGuard guard) {
        JobMaker maker = new JobMaker(parts.store(), creator, rules, clock());
        SourceReader reader = new SourceReader(trigger, database);
        return trigger.batch()
                .<Taker>map(batch -> new BatchTaker(trigger, batch, reader, maker, clock()))
                .orElseGet(() -> new JobTaker(
                        trigger,
                        reader,
                        maker,
                        new OutboxEntries(database, environment()),
                        guard,
                        clock(),
                        environment()));
    }

    /**
     * Returns which databases a trigger follows. A pattern leaves out the queue's own database, where each job would make another
     * job.
     */
    Predicate<String> follows(Trigger trigger) {
        boolean isOwnServer = trigger.connection().isEmpty();
        return database ->
                trigger.follows(database) && !(trigger.isPattern() && isOwnServer && database.equals(queue().name()));
    }

    Taker endTaker(Trigger trigger, JsonPointer place) {
        return new EndTaker(trigger, place, parts.store(), sources.server(trigger.connection()));
    }
}

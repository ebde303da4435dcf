package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.store.NamedDocuments;
import io.couchjobs.engine.store.SharedLeaf;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerStatus;
import io.couchjobs.trigger.Triggers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The triggers in the database of a queue. Thread-safe. */
public final class QueueTriggers implements Triggers {
    /** The type of the jobs that stand for triggers. The owner of such a job follows the trigger. */
    public static final String FOLLOWERS = Follower.TYPE;

    private static final Logger log = LoggerFactory.getLogger(QueueTriggers.class);
    private static final String NOW = "now";
    private static final Set<String> WORDS = Set.of(NOW, "beginning");

    private final FollowerTools tools;
    private final NamedDocuments<Trigger> triggers;
    private final Positions positions;
    private final Statuses statuses;

    public QueueTriggers(FollowerTools tools) {
        this.tools = tools;
        this.triggers = tools.triggers();
        this.positions = tools.positions();
        this.statuses = new Statuses(tools);
    }

    @Override
    public Trigger put(Trigger trigger) {
        refuseOwnPosition(trigger);
        boolean isInReach = tools.sources().has(trigger.connection());
        if (isInReach) {
            tryToFollow(trigger);
        }
        if (trigger.writeBack().isPresent()) {
            Position unused = tools.starts().position(trigger, Positions.ENDS, tools.queue(), false);
        }
        Trigger stored = stored(trigger);
        if (isInReach) {
            begin(trigger); // not earlier: the follower of the former connection would take the position back
        }
        return stored;
    }

    private Trigger stored(Trigger trigger) {
        return Trigger.parse(triggers.change(trigger.name(), present -> {
            ObjectNode next = trigger.toDocument();
            SharedLeaf.OF_ONE_REVISION.forEach(field -> {
                if (present.has(field)) {
                    next.set(field, present.get(field));
                }
            });
            if (present.hasNonNull(Field.ENABLED) && !next.has(Field.ENABLED)) {
                next.set(Field.ENABLED, present.get(Field.ENABLED));
            }
            return stamped(present, next);
        }));
    }

    /**
     * Keeps the trigger's site, or sets the own site in a new trigger. So a replicated trigger is followed only at the site where
     * it was created.
     */
    private ObjectNode stamped(ObjectNode present, ObjectNode next) {
        if (present.hasNonNull(Field.SITE)) {
            next.set(Field.SITE, present.get(Field.SITE));
        } else if (!present.has(Field.REV) && tools.parts().store().site().name() != null && !next.has(Field.SITE)) {
            next.put(Field.SITE, tools.parts().store().site().name());
        }
        return next;
    }

    /** Creates the positions of a new trigger, so that it starts at this moment. */
    private void begin(Trigger trigger) {
        CouchServer server = tools.sources().server(trigger.connection());
        try {
            if (trigger.isPattern()) {
                tools.starts().begin(trigger, server, names(trigger, server));
            } else {
                Position unused =
                        tools.starts().position(trigger, trigger.source(), server.database(trigger.source()), false);
            }
        } catch (Positions.MovedException another) {
            log.debug("trigger {} has another source or connection by now, which its follower begins", trigger.name());
        }
    }

    private Set<String> names(Trigger trigger, CouchServer server) {
        return trigger.isPattern()
                ? Databases.names(server, trigger, tools.follows(trigger))
                : Set.of(trigger.source());
    }

    /** Refuses a trigger that would follow its own position, because each change that it takes would cause another change. */
    private void refuseOwnPosition(Trigger trigger) {
        String queue = tools.queue().name();
        SourceChange own = new SourceChange(queue, Position.docId(trigger.name(), queue), "1-0", "0", false, null);
        boolean isOwnDatabase =
                trigger.connection().isEmpty() && trigger.source().equals(queue);
        if (isOwnDatabase
                && trigger.selector().isEmpty()
                && trigger.leftOut(own).isEmpty()) {
            throw new IllegalArgumentException(
                    "trigger " + trigger.name() + " would follow its own position in " + queue
                            + ", the database of the queue, and make a job of each write of it. Leave it out by prefixes or by a selector");
        }
    }

    /** Tries to read a source in the same way as the follower will. */
    private void tryToFollow(Trigger trigger) {
        CouchServer server = tools.sources().server(trigger.connection());
        try {
            for (String name : names(trigger, server).stream().limit(1).toList()) {
                DatabaseInfo info = server.database(name).info();
                tryToRead(trigger, server.database(name), Starts.seq(trigger.from(), info));
            }
        } catch (CouchException cannot) {
            if (cannot instanceof CouchUnreachableException || cannot.status() >= 500) {
                throw cannot; // the fault is not in the trigger
            }
            throw new IllegalArgumentException(
                    "trigger " + trigger.name() + " cannot follow " + trigger.source() + ": " + cannot.getMessage(),
                    cannot);
        }
    }

    private static void tryToRead(Trigger trigger, CouchDatabase database, String seq) {
        ChangesRequest one = ChangesRequest.normal().limit(1).since(seq);
        try (ChangesFeed feed =
                database.changes(trigger.selector().map(one::selector).orElse(one))) {
            Optional<Change> unused = feed.next(database.server().config().responseTimeout());
        }
    }

    @Override
    public Optional<Trigger> get(String name) {
        return triggers.read(name).map(Trigger::parse);
    }

    private Trigger existing(String name) {
        return get(name).orElseThrow(() -> NotFoundException.trigger(name));
    }

    @Override
    public List<Trigger> list() {
        return triggers.all();
    }

    @Override
    public Map<String, String> malformed() {
        return triggers.malformed();
    }

    @Override
    public TriggerStatus status(String name) {
        return statuses.of(existing(name));
    }

    @Override
    public List<TriggerStatus> statuses() {
        return list().stream().map(statuses::of).toList();
    }

    @Override
    public Trigger pause(String name) {
        return enable(name, false);
    }

    @Override
    public Trigger resume(String name) {
        return enable(name, true);
    }

    private Trigger enable(String name, boolean enabled) {
        return Trigger.parse(triggers.change(name, document -> {
            if (!document.has(Field.REV)) {
                throw NotFoundException.trigger(name);
            }
            return document.put(Field.ENABLED, enabled);
        }));
    }

    @Override
    public void remove(String name) {
        boolean isRemoved = triggers.remove(name);
        positions.remove(name); // an earlier attempt may have left some
        if (!isRemoved) {
            throw NotFoundException.trigger(name);
        }
    }

    @Override
    public Trigger.Plan test(String name, Optional<String> database, String docId) {
        Trigger trigger = existing(name);
        String from = database.orElse(trigger.source());
        if (!tools.follows(trigger).test(from) || from.contains("*")) {
            throw new IllegalArgumentException("trigger " + name + " follows " + trigger.source() + ", not \"" + from
                    + "\"; name the database of the document");
        }
        CouchDatabase source = tools.sources().server(trigger.connection()).database(from);
        ObjectNode document = source.get(docId).orElseThrow(() -> NotFoundException.document(docId, from));
        boolean isSelected = trigger.selector()
                .map(selector -> SourceReader.selects(source, docId, selector))
                .orElse(true);
        if (!isSelected) {
            return new Trigger.Plan(List.of(), List.of(), Optional.of("the selector does not select it"));
        }
        SourceChange change =
                new SourceChange(from, docId, document.path(Field.REV).asText(), "", false, document);
        return trigger.plan(change, "", tools.clock().instant());
    }

    @Override
    public void replay(String name, String from) {
        Trigger trigger = existing(name);
        CouchServer server = tools.sources().server(trigger.connection());
        if (trigger.isPattern() && !WORDS.contains(from)) {
            throw new IllegalArgumentException(
                    "trigger " + name + " follows a pattern, whose databases have positions of their own: "
                            + "replay it from beginning or from now, not from \"" + from + "\"");
        }
        if (!WORDS.contains(from)) {
            tryPosition(trigger, server.database(trigger.source()), from);
        }
        begin(trigger); // perhaps the trigger was never followed
        tools.troubles().replay(trigger, from);
        for (Position position : statuses.followed(trigger)) {
            if (position.isOfDatabase()) {
                seq(server.database(position.database()), from, trigger.isPattern())
                        .ifPresent(seq -> replay(position, from, seq));
            }
        }
    }

    /** Throws when the source refuses the position, because a follower could not continue from there. */
    private static void tryPosition(Trigger trigger, CouchDatabase source, String seq) {
        try {
            tryToRead(trigger, source, seq);
        } catch (CouchException cannot) {
            throw new IllegalArgumentException(
                    "trigger " + trigger.name() + " cannot be sent back to \"" + seq + "\": " + cannot.getMessage(),
                    cannot);
        }
    }

    /**
     * Moves a position. A replay from {@code now} only leaves changes out. It begins no new round, so ends that were written
     * earlier still count as the trigger's own writes.
     */
    private void replay(Position position, String from, String seq) {
        Position unused = positions.change(
                position,
                present -> from.equals(NOW)
                        ? present.movedTo(seq)
                        : present.replayed(seq, tools.clock().instant()));
    }

    /**
     * Returns the position to replay from; empty when the database was deleted and {@code mayBeGone} allows that. A database that
     * is created again is followed from its beginning anyway.
     */
    private static Optional<String> seq(CouchDatabase database, String from, boolean mayBeGone) {
        if (!from.equals(NOW)) {
            return Optional.of(from.equals("beginning") ? Position.BEGINNING : from);
        }
        try {
            return Optional.of(database.currentSeq());
        } catch (CouchNotFoundException gone) {
            if (mayBeGone) {
                return Optional.empty();
            }
            throw gone;
        }
    }

    @Override
    public List<TriggerStatus.Failure> errors(String name) {
        ObjectNode document = triggers.read(name).orElseThrow(() -> NotFoundException.trigger(name));
        return triggers.parsed(document).map(statuses::followed).orElseGet(() -> positions.readAll(name)).stream()
                .flatMap(position -> position.errors().stream())
                .toList();
    }

    @Override
    public int retryErrors(String name) {
        int count = 0;
        for (Position position : statuses.followed(existing(name))) {
            int errors = position.errors().size();
            if (errors > 0) {
                Position unused = positions.change(position, Position::retrying);
                count += errors;
            }
        }
        return count;
    }
}

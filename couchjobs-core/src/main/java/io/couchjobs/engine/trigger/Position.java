package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.JsonNumbers;
import io.couchjobs.engine.store.SharedLeaf;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The progress of a trigger in a database: the content of a document {@code follow:TRIGGER:DATABASE}. Immutable and thread-safe.
 *
 * <p>The document also keeps the owed changes, which the position has passed but which are not processed yet. They wait for the end
 * of a run, for the resolution of a conflict, or for a retry. The last failed changes are kept, too.
 */
final class Position {
    static final String BEGINNING = "0";
    private static final int MOST_ERRORS = 20;
    private static final String TRIGGER = "trigger";
    private static final String DATABASE = "database";
    private static final String CONNECTION = "connection";
    private static final String SOURCE = "source";
    private static final String SEQ = "seq";
    private static final String CREATED = "created";
    private static final String ROUND = "round";
    private static final String AT = "at";
    private static final String SINCE = "since";
    private static final String OWED = "owed";
    private static final String ERRORS = "errors";
    private static final String FAILED = "failed";
    private static final String PROBLEM = "problem";
    private static final String REASON = "reason";
    private static final String RETRYABLE = "retryable";
    private static final String RETRY = "retry";
    private static final String BEHIND = "behind";
    private static final String MINUTE = "minute";
    private static final String IN_MINUTE = "inMinute";
    private static final String BEFORE = "minuteBefore";
    private static final String WARNING = "warning";
    private static final String WARNED = "warned";
    private static final long MINUTE_MILLIS = 60_000;
    private static final Duration WARNING_LASTS = Duration.ofMinutes(5);

    private final ObjectNode document;

    Position(ObjectNode document) {
        this.document = document;
    }

    /** Returns the first position of a database, with the second in which the database was created; 0 if unknown. */
    static Position first(String trigger, String database, String seq, long created) {
        return new Position(JsonNodeFactory.instance
                .objectNode()
                .put("_id", docId(trigger, database))
                .put(TRIGGER, trigger)
                .put(DATABASE, database)
                .put(SEQ, seq)
                .put(CREATED, created));
    }

    static String docId(String trigger, String database) {
        return DocIds.FOLLOW + trigger + ":" + database;
    }

    String docId() {
        return document.path("_id").asText();
    }

    String rev() {
        return document.path("_rev").asText();
    }

    String database() {
        return document.path(DATABASE).asText();
    }

    /** Returns whether this is the position of a database, and not another document beside the positions. */
    boolean isOfDatabase() {
        return !database().startsWith("~");
    }

    /** Returns a copy that names the trigger's present connection, and, for a pattern's start, also the pattern. */
    Position of(Trigger trigger) {
        Position next = with(
                CONNECTION,
                JsonNodeFactory.instance.textNode(trigger.connection().orElse("")));
        if (database().equals(Positions.STARTED)) {
            next.document.put(SOURCE, trigger.source());
        }
        return next;
    }

    /** Returns whether this position was created for a trigger's connection and pattern. A missing name counts as a match. */
    boolean isOf(Trigger trigger) {
        String connection = trigger.connection().orElse("");
        return document.path(CONNECTION).asText(connection).equals(connection)
                && document.path(SOURCE).asText(trigger.source()).equals(trigger.source());
    }

    String seq() {
        return document.path(SEQ).asText(BEGINNING);
    }

    long round() {
        return document.path(ROUND).asLong();
    }

    /** Returns when the position last moved. */
    Optional<Instant> last() {
        return time(AT);
    }

    /** Returns when the following began; empty in positions of an earlier version of couchjobs. */
    Optional<Instant> since() {
        return time(SINCE);
    }

    Position since(Instant start) {
        return with(SINCE, JsonNodeFactory.instance.numberNode(start.toEpochMilli()));
    }

    /** Returns the time since which changes have been waiting, as known when the position was stored. */
    Optional<Instant> behindSince() {
        return time(BEHIND);
    }

    private Optional<Instant> time(String field) {
        return document.hasNonNull(field)
                ? Optional.of(Instant.ofEpochMilli(document.path(field).asLong()))
                : Optional.empty();
    }

    /** Returns a copy with another time since which changes have been waiting; empty when no change waits. */
    Position behind(Optional<Instant> since) {
        Position next = new Position(toDocument());
        since.ifPresentOrElse(
                time -> next.document.put(BEHIND, time.toEpochMilli()), () -> next.document.remove(BEHIND));
        return next;
    }

    /** Returns the number of changes that were taken in the last complete minute. */
    long perMinute(Instant now) {
        long passed = now.toEpochMilli() / MINUTE_MILLIS - document.path(MINUTE).asLong();
        return passed == 0 ? count(BEFORE) : passed == 1 ? count(IN_MINUTE) : 0;
    }

    private void countInMinute(int changes, Instant now) {
        long before = perMinute(now);
        long minute = now.toEpochMilli() / MINUTE_MILLIS;
        long inMinute = document.path(MINUTE).asLong() == minute ? count(IN_MINUTE) : 0;
        document.put(MINUTE, minute).put(IN_MINUTE, inMinute + changes).put(BEFORE, before);
    }

    long count(String of) {
        return document.path(of).asLong();
    }

    long failed() {
        return count(FAILED);
    }

    /** Returns why the database cannot be followed. */
    Optional<String> problem() {
        return Optional.ofNullable(document.path(PROBLEM).textValue());
    }

    /** Returns a warning for the user; empty when no step of the last five minutes had a warning. */
    Optional<String> warning(Instant now) {
        Instant warned = Instant.ofEpochMilli(document.path(WARNED).asLong());
        return Optional.ofNullable(document.path(WARNING).textValue())
                .filter(any -> warned.plus(WARNING_LASTS).isAfter(now));
    }

    ObjectNode toDocument() {
        return document.deepCopy();
    }

    /** Returns whether another process moved the position after {@code other} was read. */
    boolean isElsewhereThan(Position other) {
        return !seq().equals(other.seq())
                || round() != other.round()
                || !document.path(OWED).equals(other.document.path(OWED));
    }

    boolean saysTheSameAs(Position other) {
        ObjectNode mine = toDocument().without(SharedLeaf.OF_ONE_REVISION);
        return mine.equals(JsonNumbers::compare, other.toDocument().without(SharedLeaf.OF_ONE_REVISION));
    }

    /** Returns whether the database was deleted and created again since this position began. */
    boolean isOfOther(long created) {
        long known = document.path(CREATED).asLong();
        return known != 0 && created != 0 && known != created;
    }

    /** Returns the first position in a new database of that name, without the owed changes, which belong to other documents. */
    Position restarted(String seq, long created, Instant now) {
        Position next = replayed(seq, now).with(CREATED, JsonNodeFactory.instance.numberNode(created));
        next.document.remove(OWED);
        return next;
    }

    /** Returns a moved copy in the same round: changes before its position are left out, and no change makes a second job. */
    Position movedTo(String seq) {
        return with(SEQ, JsonNodeFactory.instance.textNode(seq));
    }

    /** Returns a copy in a new round, in which all changes make jobs once more, even those of a removed trigger of that name. */
    Position replayed(String seq, Instant now) {
        Position next = movedTo(seq);
        next.document.put(ROUND, Math.max(round() + 1, now.toEpochMilli()));
        return next;
    }

    Position withProblem(Optional<String> problem) {
        Position next = new Position(toDocument());
        problem.ifPresentOrElse(text -> next.document.put(PROBLEM, text), () -> next.document.remove(PROBLEM));
        return next;
    }

    private Position with(String field, JsonNode value) {
        Position next = new Position(toDocument());
        next.document.set(field, value);
        return next;
    }

    /** Returns the owed changes, without their documents. */
    List<SourceChange> owed() {
        return changes(document.path(OWED));
    }

    /** Returns the first owed changes, up to a maximum. Changes of a retry are not mixed with others. */
    List<SourceChange> firstOwed(int most) {
        JsonNode owed = document.path(OWED);
        int count = 0;
        while (count < Math.min(owed.size(), most) && retryOf(owed.path(count)) == retryOf(owed.path(0))) {
            count++;
        }
        return owed().subList(0, count);
    }

    private static int retryOf(JsonNode owed) {
        return owed.path(RETRY).asInt();
    }

    List<TriggerStatus.Failure> errors() {
        return document.path(ERRORS)
                .valueStream()
                .map(error -> new TriggerStatus.Failure(
                        database(),
                        error.path("id").asText(),
                        error.path("rev").asText(),
                        Instant.ofEpochMilli(error.path(AT).asLong()),
                        error.path(REASON).asText(),
                        error.path(RETRYABLE).asBoolean()))
                .toList();
    }

    /** Returns a copy that owes the failed changes again, kept apart from other changes, which may already have their job. */
    Position retrying() {
        Position next = new Position(toDocument());
        ArrayNode owed = next.document.withArray("/" + OWED);
        int retry = retryOf(owed.path(owed.size() - 1)) + 1;
        changes(document.path(ERRORS)).forEach(change -> owe(owed, json(change).put(RETRY, retry)));
        next.document.remove(ERRORS);
        return next;
    }

    private List<SourceChange> changes(JsonNode array) {
        return array.valueStream()
                .map(json -> new SourceChange(
                        database(),
                        json.path("id").asText(),
                        json.path("rev").asText(),
                        json.path(SEQ).asText(),
                        json.path("deleted").asBoolean(),
                        null))
                .toList();
    }

    /** Returns the position after a step. */
    Position after(Step step, Instant now) {
        Position next = new Position(toDocument());
        next.document.put(SEQ, step.seq()).put(AT, now.toEpochMilli());
        add(next, "changes", step.changes());
        add(next, "jobs", step.jobs());
        if (step.changes() > 0) {
            next.countInMinute(step.changes(), now);
        }
        add(next, FAILED, step.failures().size());
        ArrayNode owed = next.document.putArray(OWED);
        step.owed().forEach(change -> owe(owed, json(change)));
        document.path(OWED).valueStream().filter(before -> before.has(RETRY)).forEach(before -> same(owed, before)
                .ifPresent(entry -> entry.set(RETRY, before.get(RETRY))));
        if (owed.isEmpty()) {
            next.document.remove(OWED);
        }
        next.document.remove(PROBLEM);
        step.warning().ifPresent(warning -> next.document.put(WARNING, warning).put(WARNED, now.toEpochMilli()));
        step.failures().forEach(failure -> next.fail(failure, now));
        return next;
    }

    private static void add(Position next, String field, long more) {
        next.document.put(field, next.count(field) + more);
    }

    private static void owe(ArrayNode owed, ObjectNode change) {
        if (same(owed, change).isEmpty()) {
            owed.add(change);
        }
    }

    private static Optional<ObjectNode> same(ArrayNode owed, JsonNode change) {
        return owed.valueStream()
                .filter(entry -> entry.path("id").equals(change.path("id"))
                        && entry.path("rev").equals(change.path("rev")))
                .map(ObjectNode.class::cast)
                .findAny();
    }

    private void fail(Step.Failure failure, Instant now) {
        ArrayNode errors = document.withArray("/" + ERRORS);
        errors.add(json(failure.change())
                .put(AT, now.toEpochMilli())
                .put(REASON, failure.reason())
                .put(RETRYABLE, failure.retryable()));
        while (errors.size() > MOST_ERRORS) {
            errors.remove(0);
        }
    }

    private static ObjectNode json(SourceChange change) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("id", change.id())
                .put("rev", change.rev())
                .put(SEQ, change.seq())
                .put("deleted", change.deleted());
    }
}

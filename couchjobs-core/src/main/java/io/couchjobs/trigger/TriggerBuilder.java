package io.couchjobs.trigger;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.CheckedFields;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.JobType;
import io.couchjobs.job.MalformedDocumentException;
import java.time.Duration;
import java.time.ZoneId;

/**
 * Describes a {@link Trigger}. Not thread-safe. Required: {@link #source}, and either {@link #type(String)} or {@link #outbox}.
 *
 * <p>Templates are texts with places that a change fills: <code>{db}</code>, <code>{_id}</code>, <code>{_rev}</code>, <code>{seq}</code>,
 * <code>{deleted}</code>, <code>{doc}</code>, and <code>{/address/city}</code>, a JSON Pointer into the document. A change that cannot
 * fill a place goes to the trigger's errors; <code>{/nickname?}</code> is filled with null, or with nothing inside a text.
 */
public final class TriggerBuilder {
    private final ObjectNode document;
    private final ObjectNode job = JsonNodeFactory.instance.objectNode();

    TriggerBuilder(String name) {
        document = JsonNodeFactory.instance.objectNode().put(Field.ID, Trigger.docId(Trigger.checkName(name)));
    }

    /**
     * {@return this builder, with what is followed}
     *
     * @param database a database, or a pattern in which {@code *} stands for any characters; a pattern needs an administrator's account
     */
    public TriggerBuilder source(String database) {
        document.put("source", database);
        return this;
    }

    /**
     * {@return this builder, with the server of the source}
     *
     * @param name a connection of the processes that have workers ({@link io.couchjobs.JobQueueBuilder#connection}); default: the
     *     queue's own server, by the queue's own account
     */
    public TriggerBuilder connection(String name) {
        document.put("connection", name);
        return this;
    }

    /**
     * {@return this builder, for a trigger that takes only some documents} The server selects them.
     *
     * @param selector a Mango selector
     */
    public TriggerBuilder selector(ObjectNode selector) {
        document.set("selector", selector.deepCopy());
        return this;
    }

    /**
     * {@return this builder, for a trigger that takes only documents whose ids begin with one of these prefixes}
     *
     * @param prefixes such as {@code order:}
     */
    public TriggerBuilder prefixes(String... prefixes) {
        var all = document.putArray("prefixes");
        for (String prefix : prefixes) {
            all.add(prefix);
        }
        return this;
    }

    /**
     * {@return this builder, with a decision about deleted documents}
     *
     * @param deletions default {@link Trigger.Deletions#INCLUDE}
     */
    public TriggerBuilder deletions(Trigger.Deletions deletions) {
        return choice("deletions", deletions);
    }

    /** {@return this builder, for a trigger that takes design documents, too} */
    public TriggerBuilder designDocs() {
        document.put("designDocs", true);
        return this;
    }

    /**
     * {@return this builder, for a trigger that leaves out the changes that its own jobs make}
     *
     * @param pointer a JSON Pointer to the field into which the handler writes the trigger's name whenever it writes the document;
     *     every other writer of the document removes or changes it
     */
    public TriggerBuilder ignoreOwn(String pointer) {
        document.put("ignoreOwn", pointer);
        return this;
    }

    /**
     * {@return this builder, with the type of the jobs}
     *
     * @param type the type
     */
    public TriggerBuilder type(String type) {
        job.put("type", type);
        return this;
    }

    /**
     * {@return this builder, with the type of the jobs, and what the type says of them}
     *
     * @param type the type
     */
    public TriggerBuilder type(JobType<?> type) {
        type.priority().ifPresent(this::priority);
        type.maxRetries().ifPresent(this::maxRetries);
        return type(type.name());
    }

    /**
     * {@return this builder, with the ids of the jobs}
     *
     * @param template the id of a job; default: the trigger, the database and the document, and with {@link Trigger.Delivery#EVERY} the
     *     revision
     */
    public TriggerBuilder id(String template) {
        job.put("id", template);
        return this;
    }

    /**
     * {@return this builder, with the data of the jobs}
     *
     * @param template a JSON object whose texts are templates; a text that is nothing but one place becomes the value itself. Default: an
     *     object with {@code db}, {@code id}, {@code rev} and {@code deleted}
     */
    public TriggerBuilder data(ObjectNode template) {
        job.set("data", template.deepCopy());
        return this;
    }

    /** {@return this builder, with the document itself in the default data, as {@code doc}} */
    public TriggerBuilder includeDoc() {
        job.put("includeDoc", true);
        return this;
    }

    /**
     * {@return this builder, with the groups of the jobs}
     *
     * @param template the group of a job
     */
    public TriggerBuilder group(String template) {
        job.put("group", template);
        return this;
    }

    /**
     * {@return this builder, with the priority of the jobs}
     *
     * @param priority 0 (least) to 99
     */
    public TriggerBuilder priority(int priority) {
        job.put("priority", priority);
        return this;
    }

    /**
     * {@return this builder, with the number of retries that follow the first run}
     *
     * @param retries 0 or more
     */
    public TriggerBuilder maxRetries(int retries) {
        job.put("maxRetries", retries);
        return this;
    }

    /**
     * {@return this builder, for a trigger that makes the jobs that stand in the documents; see {@link Outbox}}
     *
     * @param entries what becomes of an entry whose job was made
     */
    public TriggerBuilder outbox(Outbox.Entries entries) {
        return choice("outbox", entries);
    }

    /**
     * {@return this builder, with a decision between the newest state of each document and all of its revisions}
     *
     * @param delivery default {@link Trigger.Delivery#LATEST}
     */
    public TriggerBuilder deliver(Trigger.Delivery delivery) {
        return choice("deliver", delivery);
    }

    /**
     * {@return this builder, with the position where the trigger starts} A database that is created later is always followed
     * from its beginning.
     *
     * @param position {@code now} (the default), {@code beginning}, or a position of the source's feed
     */
    public TriggerBuilder from(String position) {
        document.put("from", position);
        return this;
    }

    /**
     * {@return this builder, with a time that each job waits after its change}
     *
     * @param delay how long
     */
    public TriggerBuilder delay(Duration delay) {
        document.put("delay", delay.toMillis());
        return this;
    }

    /**
     * {@return this builder, for a trigger whose jobs wait, each until its document has not changed for a while} A document
     * that never rests makes no job.
     *
     * @param rest how long
     */
    public TriggerBuilder debounce(Duration rest) {
        document.put("debounce", rest.toMillis());
        return this;
    }

    /**
     * {@return this builder, for a trigger that makes one job of several changes} Its data has {@code db} and
     * {@code changes}, an array.
     *
     * @param size how many at most, 1 to 1,000
     * @param wait how long the first one waits for others
     */
    public TriggerBuilder batch(int size, Duration wait) {
        document.putObject("batch").put("size", size).put("wait", wait.toMillis());
        return this;
    }

    /**
     * {@return this builder, for a trigger that catches up with the changes at certain times only}
     *
     * @param cron the times, such as {@code 0 2 * * *}
     * @param zone whose clocks
     */
    public TriggerBuilder cron(String cron, ZoneId zone) {
        document.put("cron", cron).put("zone", zone.getId());
        return this;
    }

    /**
     * {@return this builder, for a trigger that writes the end of each job into the document that it was made from, as an
     * object with {@code status}, {@code job}, {@code at}, and {@code result} or {@code error}}
     *
     * @param pointer a JSON Pointer to the field, such as {@code /status}
     */
    public TriggerBuilder writeBack(String pointer) {
        document.put("writeBack", pointer);
        return this;
    }

    /** {@return this builder, for a trigger that waits until it is resumed} */
    public TriggerBuilder paused() {
        document.put(Field.ENABLED, false);
        return this;
    }

    /**
     * Checks all of it.
     *
     * @return the trigger, which is stored by {@link Triggers#put}
     * @throws MalformedDocumentException naming the field that is wrong, and its value
     */
    public Trigger build() {
        ObjectNode whole = document.deepCopy();
        if (!job.isEmpty()) {
            whole.set("job", job.deepCopy());
        }
        return Trigger.parse(whole);
    }

    private TriggerBuilder choice(String field, Enum<?> choice) {
        document.put(field, CheckedFields.lower(choice));
        return this;
    }
}

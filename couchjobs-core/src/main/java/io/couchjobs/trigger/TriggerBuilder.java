package io.couchjobs.trigger;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
     * Names what is followed.
     *
     * @param database a database, or a pattern in which {@code *} stands for any characters; a pattern needs an administrator's account
     * @return this
     */
    public TriggerBuilder source(String database) {
        document.put("source", database);
        return this;
    }

    /**
     * Names the server of the source.
     *
     * @param name a connection of the processes that have workers ({@link io.couchjobs.JobQueueBuilder#connection}); default: the
     *     queue's own server, by the queue's own account
     * @return this
     */
    public TriggerBuilder connection(String name) {
        document.put("connection", name);
        return this;
    }

    /**
     * Takes only some documents. The server selects them.
     *
     * @param selector a Mango selector
     * @return this
     */
    public TriggerBuilder selector(ObjectNode selector) {
        document.set("selector", selector.deepCopy());
        return this;
    }

    /**
     * Takes only documents whose ids begin in one of some ways.
     *
     * @param prefixes such as {@code order:}
     * @return this
     */
    public TriggerBuilder prefixes(String... prefixes) {
        var all = document.putArray("prefixes");
        for (String prefix : prefixes) {
            all.add(prefix);
        }
        return this;
    }

    /**
     * Decides about deleted documents.
     *
     * @param deletions default {@link Trigger.Deletions#INCLUDE}
     * @return this
     */
    public TriggerBuilder deletions(Trigger.Deletions deletions) {
        return choice("deletions", deletions);
    }

    /**
     * Takes design documents, too.
     *
     * @return this
     */
    public TriggerBuilder designDocs() {
        document.put("designDocs", true);
        return this;
    }

    /**
     * Leaves out the changes that the trigger's own jobs make.
     *
     * @param pointer a JSON Pointer to the field into which the handler writes the trigger's name whenever it writes the document;
     *     every other writer of the document removes or changes it
     * @return this
     */
    public TriggerBuilder ignoreOwn(String pointer) {
        document.put("ignoreOwn", pointer);
        return this;
    }

    /**
     * Names the type of the jobs.
     *
     * @param type the type
     * @return this
     */
    public TriggerBuilder type(String type) {
        job.put("type", type);
        return this;
    }

    /**
     * Names the type of the jobs, and takes over what the type says of them.
     *
     * @param type the type
     * @return this
     */
    public TriggerBuilder type(JobType<?> type) {
        type.priority().ifPresent(this::priority);
        type.maxRetries().ifPresent(this::maxRetries);
        return type(type.name());
    }

    /**
     * Names the jobs.
     *
     * @param template the id of a job; default: the trigger, the database and the document, and with {@link Trigger.Delivery#EVERY} the
     *     revision
     * @return this
     */
    public TriggerBuilder id(String template) {
        job.put("id", template);
        return this;
    }

    /**
     * Makes the data of the jobs.
     *
     * @param template a JSON object whose texts are templates; a text that is nothing but one place becomes the value itself. Default: an
     *     object with {@code db}, {@code id}, {@code rev} and {@code deleted}
     * @return this
     */
    public TriggerBuilder data(ObjectNode template) {
        job.set("data", template.deepCopy());
        return this;
    }

    /**
     * Adds the document itself to the default data, as {@code doc}.
     *
     * @return this
     */
    public TriggerBuilder includeDoc() {
        job.put("includeDoc", true);
        return this;
    }

    /**
     * Puts the jobs into groups.
     *
     * @param template the group of a job
     * @return this
     */
    public TriggerBuilder group(String template) {
        job.put("group", template);
        return this;
    }

    /**
     * Sets the priority of the jobs.
     *
     * @param priority 0 (least) to 99
     * @return this
     */
    public TriggerBuilder priority(int priority) {
        job.put("priority", priority);
        return this;
    }

    /**
     * Sets how many retries follow the first run.
     *
     * @param retries 0 or more
     * @return this
     */
    public TriggerBuilder maxRetries(int retries) {
        job.put("maxRetries", retries);
        return this;
    }

    /**
     * Makes the jobs that stand in the documents; see {@link Outbox}.
     *
     * @param entries what becomes of an entry whose job was made
     * @return this
     */
    public TriggerBuilder outbox(Outbox.Entries entries) {
        return choice("outbox", entries);
    }

    /**
     * Decides between the newest state of each document and all of its revisions.
     *
     * @param delivery default {@link Trigger.Delivery#LATEST}
     * @return this
     */
    public TriggerBuilder deliver(Trigger.Delivery delivery) {
        return choice("deliver", delivery);
    }

    /**
     * Decides where it starts. A database that is created later is always followed from its beginning.
     *
     * @param position {@code now} (the default), {@code beginning}, or a position of the source's feed
     * @return this
     */
    public TriggerBuilder from(String position) {
        document.put("from", position);
        return this;
    }

    /**
     * Lets each job wait after its change.
     *
     * @param delay how long
     * @return this
     */
    public TriggerBuilder delay(Duration delay) {
        document.put("delay", delay.toMillis());
        return this;
    }

    /**
     * Lets each job wait until its document has not changed for a while. A document that never rests makes no job.
     *
     * @param rest how long
     * @return this
     */
    public TriggerBuilder debounce(Duration rest) {
        document.put("debounce", rest.toMillis());
        return this;
    }

    /**
     * Makes one job of several changes. Its data has {@code db} and {@code changes}, an array.
     *
     * @param size how many at most, 1 to 1,000
     * @param wait how long the first one waits for others
     * @return this
     */
    public TriggerBuilder batch(int size, Duration wait) {
        document.putObject("batch").put("size", size).put("wait", wait.toMillis());
        return this;
    }

    /**
     * Catches up with the changes at certain times only.
     *
     * @param cron the times, such as {@code 0 2 * * *}
     * @param zone whose clocks
     * @return this
     */
    public TriggerBuilder cron(String cron, ZoneId zone) {
        document.put("cron", cron).put("zone", zone.getId());
        return this;
    }

    /**
     * Writes the end of each job into the document that it was made from, as an object with {@code status}, {@code job}, {@code at}, and
     * {@code result} or {@code error}.
     *
     * @param pointer a JSON Pointer to the field, such as {@code /status}
     * @return this
     */
    public TriggerBuilder writeBack(String pointer) {
        document.put("writeBack", pointer);
        return this;
    }

    /**
     * Makes the trigger wait until it is resumed.
     *
     * @return this
     */
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
        document.put(field, TriggerFields.lower(choice));
        return this;
    }
}

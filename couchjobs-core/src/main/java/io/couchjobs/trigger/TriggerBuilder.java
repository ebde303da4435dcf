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
 * Builds a {@link Trigger}. Required are {@link #source}, and either {@link #type(String)} or {@link #outbox}. Not thread-safe.
 *
 * <p>Templates are texts with placeholders that are replaced by values of the change: <code>{db}</code>, <code>{_id}</code>,
 * <code>{_rev}</code>, <code>{seq}</code>, <code>{deleted}</code>, <code>{doc}</code>, and <code>{/address/city}</code>, a JSON
 * Pointer into the document. A change without a value for a placeholder is recorded in the trigger's errors. The placeholder
 * <code>{/nickname?}</code> is optional: without a value it becomes null, or nothing inside a text.
 */
public final class TriggerBuilder {
    private final ObjectNode document;
    private final ObjectNode job = JsonNodeFactory.instance.objectNode();

    TriggerBuilder(String name) {
        document = JsonNodeFactory.instance.objectNode().put(Field.ID, Trigger.docId(Trigger.checkName(name)));
    }

    /**
     * Sets the database or databases to follow.
     *
     * @param database a database, or a pattern in which {@code *} stands for any characters; a pattern needs an administrator's
     *     account
     * @return this builder
     */
    public TriggerBuilder source(String database) {
        document.put("source", database);
        return this;
    }

    /**
     * Sets the connection to the server of the source.
     *
     * @param name the name of a connection that the processes with workers know ({@link io.couchjobs.JobQueueBuilder#connection});
     *     default: the queue's own server and account
     * @return this builder
     */
    public TriggerBuilder connection(String name) {
        document.put("connection", name);
        return this;
    }

    /**
     * Takes only changes of documents that match a selector. The server applies the selector.
     *
     * @param selector a Mango selector
     * @return this builder
     */
    public TriggerBuilder selector(ObjectNode selector) {
        document.set("selector", selector.deepCopy());
        return this;
    }

    /**
     * Takes only changes of documents whose ids begin with one of these prefixes.
     *
     * @param prefixes the prefixes, such as {@code order:}
     * @return this builder
     */
    public TriggerBuilder prefixes(String... prefixes) {
        var all = document.putArray("prefixes");
        for (String prefix : prefixes) {
            all.add(prefix);
        }
        return this;
    }

    /**
     * Sets how the trigger treats deletions of documents.
     *
     * @param deletions the treatment; default {@link Trigger.Deletions#INCLUDE}
     * @return this builder
     */
    public TriggerBuilder deletions(Trigger.Deletions deletions) {
        return choice("deletions", deletions);
    }

    /**
     * Takes changes of design documents, too, which are left out by default.
     *
     * @return this builder
     */
    public TriggerBuilder designDocs() {
        document.put("designDocs", true);
        return this;
    }

    /**
     * Leaves out the changes that the trigger's own jobs make.
     *
     * @param pointer a JSON Pointer to the field into which the handler writes the trigger's name whenever it writes the document;
     *     all other writers of the document must remove or change this field
     * @return this builder
     */
    public TriggerBuilder ignoreOwn(String pointer) {
        document.put("ignoreOwn", pointer);
        return this;
    }

    /**
     * Sets the type of the jobs.
     *
     * @param type the type
     * @return this builder
     */
    public TriggerBuilder type(String type) {
        job.put("type", type);
        return this;
    }

    /**
     * Sets the type of the jobs, and the priority and the maximum number of retries that the type defines.
     *
     * @param type the type
     * @return this builder
     */
    public TriggerBuilder type(JobType<?> type) {
        type.priority().ifPresent(this::priority);
        type.maxRetries().ifPresent(this::maxRetries);
        return type(type.name());
    }

    /**
     * Sets the template for the ids of the jobs.
     *
     * @param template the id of a job; default: an id made from the trigger, the database and the document, and with {@link
     *     Trigger.Delivery#EVERY} the revision
     * @return this builder
     */
    public TriggerBuilder id(String template) {
        job.put("id", template);
        return this;
    }

    /**
     * Sets the template for the data of the jobs.
     *
     * @param template a JSON object whose texts are templates; a text that is a single placeholder becomes the JSON value itself.
     *     Default: an object with {@code db}, {@code id}, {@code rev} and {@code deleted}
     * @return this builder
     */
    public TriggerBuilder data(ObjectNode template) {
        job.set("data", template.deepCopy());
        return this;
    }

    /**
     * Adds the document itself to the default data, as {@code doc}.
     *
     * @return this builder
     */
    public TriggerBuilder includeDoc() {
        job.put("includeDoc", true);
        return this;
    }

    /**
     * Sets the template for the groups of the jobs.
     *
     * @param template the group of a job
     * @return this builder
     */
    public TriggerBuilder group(String template) {
        job.put("group", template);
        return this;
    }

    /**
     * Sets the priority of the jobs.
     *
     * @param priority 0 (lowest) to 99
     * @return this builder
     */
    public TriggerBuilder priority(int priority) {
        job.put("priority", priority);
        return this;
    }

    /**
     * Sets the maximum number of retries after the first run.
     *
     * @param retries 0 or more
     * @return this builder
     */
    public TriggerBuilder maxRetries(int retries) {
        job.put("maxRetries", retries);
        return this;
    }

    /**
     * Makes the jobs that the documents contain; see {@link Outbox}.
     *
     * @param entries what the trigger does with an entry whose job was made
     * @return this builder
     */
    public TriggerBuilder outbox(Outbox.Entries entries) {
        return choice("outbox", entries);
    }

    /**
     * Sets whether the trigger makes one job per document or one job per revision.
     *
     * @param delivery the choice; default {@link Trigger.Delivery#LATEST}
     * @return this builder
     */
    public TriggerBuilder deliver(Trigger.Delivery delivery) {
        return choice("deliver", delivery);
    }

    /**
     * Sets the position where the trigger starts. A database that is created later is always followed from its beginning.
     *
     * @param position {@code now} (the default), {@code beginning}, or a position of the source's feed
     * @return this builder
     */
    public TriggerBuilder from(String position) {
        document.put("from", position);
        return this;
    }

    /**
     * Sets how long each job waits after its change.
     *
     * @param delay the time to wait
     * @return this builder
     */
    public TriggerBuilder delay(Duration delay) {
        document.put("delay", delay.toMillis());
        return this;
    }

    /**
     * Lets each job wait until its document has not changed for a while. While a document keeps changing, its job does not run.
     *
     * @param rest how long the document must stay unchanged
     * @return this builder
     */
    public TriggerBuilder debounce(Duration rest) {
        document.put("debounce", rest.toMillis());
        return this;
    }

    /**
     * Makes one job from several changes. The job's data has the fields {@code db} and {@code changes}, an array.
     *
     * @param size the maximum number of changes in a job, 1 to 1,000
     * @param wait how long the first change waits for further changes
     * @return this builder
     */
    public TriggerBuilder batch(int size, Duration wait) {
        document.putObject("batch").put("size", size).put("wait", wait.toMillis());
        return this;
    }

    /**
     * Catches up with the changes at certain times only.
     *
     * @param cron the times, such as {@code 0 2 * * *}
     * @param zone the time zone of these times
     * @return this builder
     */
    public TriggerBuilder cron(String cron, ZoneId zone) {
        document.put("cron", cron).put("zone", zone.getId());
        return this;
    }

    /**
     * Writes how each job ended into the document that it was made from. The trigger writes an object with {@code status}, {@code
     * job}, {@code at}, and {@code result} or {@code error}.
     *
     * @param pointer a JSON Pointer to the field, such as {@code /status}
     * @return this builder
     */
    public TriggerBuilder writeBack(String pointer) {
        document.put("writeBack", pointer);
        return this;
    }

    /**
     * Creates the trigger as paused: it makes no jobs until it is resumed.
     *
     * @return this builder
     */
    public TriggerBuilder paused() {
        document.put(Field.ENABLED, false);
        return this;
    }

    /**
     * Checks all settings and builds the trigger.
     *
     * @return the trigger, not stored yet; {@link Triggers#put} stores it
     * @throws MalformedDocumentException when a field is wrong; the message names the field and its value
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

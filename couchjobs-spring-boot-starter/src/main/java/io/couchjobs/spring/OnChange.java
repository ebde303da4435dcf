package io.couchjobs.spring;

import io.couchjobs.trigger.Trigger;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a job for a method whenever a document of another database changes. The method is that of a {@link JobHandler}, which this may
 * stand beside; without one it handles the jobs of the type {@link #name}, by the same rules. The trigger is put when the application
 * starts, goes on from where it is, and stays when the annotation goes: {@code couchjobs trigger remove NAME} removes it. All texts but the
 * name take properties by {@code ${...}}. The jobs' data is {@code {"db", "id", "rev", "deleted"}} unless the annotation says otherwise.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OnChange {
    /** {@return the name of the trigger; without a {@link JobHandler} also the type of its jobs} */
    String name();

    /** {@return the database, or a pattern such as {@code shop-*}} */
    String source();

    /** {@return the server of the source: NAME of a property {@code couchjobs.connections.NAME}; default the queue's own} */
    String connection() default "";

    /** {@return which documents, as a Mango selector in JSON; default all} */
    String selector() default "";

    /** {@return the beginnings of document ids; default all} */
    String[] prefixes() default {};

    /** {@return the treatment of deleted documents} */
    Trigger.Deletions deletions() default Trigger.Deletions.INCLUDE;

    /** {@return whether jobs are of the newest state of a document, or of each revision that the feed shows} */
    Trigger.Delivery deliver() default Trigger.Delivery.LATEST;

    /** {@return where a new trigger starts: {@code now}, {@code beginning}, or a position} */
    String from() default "now";

    /** {@return a template of the jobs' data, a JSON object; see {@link io.couchjobs.trigger.TriggerBuilder}} */
    String data() default "";

    /** {@return whether the default data has the document, as {@code doc}} */
    boolean includeDoc() default false;

    /** {@return a template of the jobs' group; default none} */
    String group() default "";

    /** {@return how long a job waits until its document does not change any more, such as {@code 10s}; default not at all} */
    String debounce() default "";

    /** {@return a JSON Pointer to the field that gets the end of the job, such as {@code /status}; default none} */
    String writeBack() default "";

    /** {@return a JSON Pointer to the field into which the method writes the trigger's name; default none} */
    String ignoreOwn() default "";
}

package io.couchjobs.spring;

import io.couchjobs.trigger.Trigger;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a job for a method whenever a document of another database changes. The method may also be annotated with {@link
 * JobHandler}; without that annotation it handles the jobs of the type {@link #name}, by the same rules. The trigger is stored
 * when the application starts; a trigger that exists continues from its position. Removing the annotation does not remove the
 * trigger: use {@code couchjobs trigger remove NAME}. All strings except the name may contain properties as {@code ${...}}. The
 * default data of the jobs is {@code {"db", "id", "rev", "deleted"}}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OnChange {
    /** {@return the name of the trigger; without {@link JobHandler} also the type of its jobs} */
    String name();

    /** {@return the source database, or a pattern such as {@code shop-*}} */
    String source();

    /** {@return the server of the source: NAME of a property {@code couchjobs.connections.NAME}; default the queue's server} */
    String connection() default "";

    /** {@return a Mango selector, in JSON, for the documents; default all documents} */
    String selector() default "";

    /** {@return the prefixes of the documents' ids; default all documents} */
    String[] prefixes() default {};

    /** {@return whether and how deleted documents make jobs} */
    Trigger.Deletions deletions() default Trigger.Deletions.INCLUDE;

    /** {@return whether a job is for the newest state of a document, or for each revision that the feed shows} */
    Trigger.Delivery deliver() default Trigger.Delivery.LATEST;

    /** {@return where a new trigger starts: {@code now}, {@code beginning}, or a position} */
    String from() default "now";

    /** {@return a template for the jobs' data, a JSON object; see {@link io.couchjobs.trigger.TriggerBuilder}} */
    String data() default "";

    /** {@return whether the default data contains the document as {@code doc}} */
    boolean includeDoc() default false;

    /** {@return a template for the jobs' group; default none} */
    String group() default "";

    /** {@return how long a document must stay unchanged before its job runs, such as {@code 10s}; default no wait} */
    String debounce() default "";

    /** {@return a JSON Pointer to the field into which the job's outcome is written, such as {@code /status}; default none} */
    String writeBack() default "";

    /** {@return a JSON Pointer to the field into which the method writes the trigger's name; default none} */
    String ignoreOwn() default "";
}

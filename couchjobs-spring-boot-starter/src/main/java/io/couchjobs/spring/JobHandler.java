package io.couchjobs.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a bean method that runs the jobs of a type. The method may have a parameter of type {@link
 * io.couchjobs.worker.JobContext} and one parameter of another type, in any order. The job's data is bound to the latter by the
 * queue's own Jackson, not by the application's. Its return value is the job's result. Its exceptions mean the same as those of
 * {@link io.couchjobs.worker.JobHandler#handle}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface JobHandler {
    /** {@return the job type, such as {@code email}} */
    String value();
}

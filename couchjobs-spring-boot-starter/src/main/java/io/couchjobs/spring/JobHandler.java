package io.couchjobs.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a bean that runs the jobs of a type. Its parameters, in any order: at most one of type {@link
 * io.couchjobs.worker.JobContext}, and at most one of any other type, to which the job's data is bound (by the queue's own
 * Jackson, not by the application's). Its return value is the job's result. Its exceptions mean the same as those of {@link
 * io.couchjobs.worker.JobHandler#handle}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface JobHandler {
    /** {@return the type of jobs, such as {@code email}} */
    String value();
}

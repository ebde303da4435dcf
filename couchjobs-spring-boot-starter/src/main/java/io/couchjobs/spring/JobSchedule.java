package io.couchjobs.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes jobs again and again for the method of a {@link JobHandler}, which this stands beside. Of all processes of an application, one
 * makes the job of a tick. The schedule is put when the application starts, and stays when the annotation goes: {@code couchjobs cron
 * remove NAME} removes it. The jobs have no data. Source: the {@code @Scheduled} of Spring.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface JobSchedule {
    /**
     * {@return a cron expression of five fields, or six with the second first, such as {@code 0 3 * * *}; {@code ${...}} takes a property}
     */
    String cron() default "";

    /** {@return the time zone of the cron expression, such as {@code Europe/Berlin}; default UTC; {@code ${...}} takes a property} */
    String zone() default "";

    /** {@return in place of a cron expression: the time between two ticks, such as {@code 10m}; {@code ${...}} takes a property} */
    String every() default "";

    /** {@return the name of the schedule, which takes no properties; default the type of jobs} */
    String name() default "";
}

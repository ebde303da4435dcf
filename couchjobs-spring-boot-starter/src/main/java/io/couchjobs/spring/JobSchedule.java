package io.couchjobs.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes jobs on a schedule for a method that is also annotated with {@link JobHandler}. Each tick makes one job, however many
 * processes of the application run. The schedule is stored when the application starts. Removing the annotation does not remove
 * the schedule: use {@code couchjobs cron remove NAME}. The jobs have no data. Modelled on Spring's {@code @Scheduled}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface JobSchedule {
    /**
     * {@return a cron expression of five fields, or six with the second first, such as {@code 0 3 * * *} or {@code ${PROPERTY}}}
     */
    String cron() default "";

    /** {@return the time zone of the cron expression, such as {@code Europe/Berlin}, or {@code ${PROPERTY}}; default UTC} */
    String zone() default "";

    /** {@return the time between two ticks instead of a cron expression, such as {@code 10m}, or {@code ${PROPERTY}}} */
    String every() default "";

    /** {@return the name of the schedule, without properties; default the job type} */
    String name() default "";
}

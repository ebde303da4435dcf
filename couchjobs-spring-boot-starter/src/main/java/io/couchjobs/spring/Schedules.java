package io.couchjobs.spring;

import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Reads the {@link JobSchedule} annotation of a method. Thread-safe. */
final class Schedules {
    private final Environment environment;

    Schedules(Environment environment) {
        this.environment = environment;
    }

    /** Returns the schedule of a method that handles the jobs of a type, if the method is annotated. */
    Optional<ScheduleRequest> of(Method method, String type) {
        return Optional.ofNullable(AnnotatedElementUtils.findMergedAnnotation(method, JobSchedule.class))
                .map(schedule -> request(schedule, method, type));
    }

    private ScheduleRequest request(JobSchedule schedule, Method method, String type) {
        String cron = environment.resolveRequiredPlaceholders(schedule.cron());
        String every = environment.resolveRequiredPlaceholders(schedule.every());
        if (StringUtils.hasText(cron) == StringUtils.hasText(every)) {
            throw new IllegalStateException("@JobSchedule of " + method + " needs either cron or every");
        }
        ScheduleRequest.Builder request = Schedule.named(schedule.name().isEmpty() ? type : schedule.name())
                .job(JobRequest.of(type, Map.of()));
        try {
            return timed(request, schedule, cron, every).build();
        } catch (IllegalArgumentException wrong) {
            throw new IllegalStateException("@JobSchedule of " + method + ": " + wrong.getMessage(), wrong);
        }
    }

    private ScheduleRequest.Builder timed(
            ScheduleRequest.Builder request, JobSchedule schedule, String cron, String every) {
        if (StringUtils.hasText(every)) {
            return request.every(DurationStyle.detectAndParse(every));
        }
        String zone = environment.resolveRequiredPlaceholders(schedule.zone());
        return StringUtils.hasText(zone) ? request.cron(cron).zone(zone) : request.cron(cron);
    }
}

package example;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobType;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Two schedules: one by cron expression, and one that ticks each second, of which three jobs are awaited. */
public final class Reports {
    record Report(String about) {}

    static final JobType<Report> REPORT = JobType.of("report", Report.class);

    private final CountDownLatch three = new CountDownLatch(3);

    private static void plan(JobQueue queue) {
        queue.schedules()
                .put(Schedule.named("nightly")
                        .cron("30 2 * * MON-FRI")
                        .zone("Europe/Berlin")
                        .job(JobRequest.of(REPORT, new Report("sales")))
                        .build());
        queue.schedules()
                .put(Schedule.named("pulse")
                        .every(Duration.ofSeconds(1))
                        .job(JobRequest.of(REPORT, new Report("load")))
                        .build());
    }

    private String make(Report report, JobContext context) {
        Instant tick = Schedule.tickOf(context.id()).orElseThrow();
        System.out.println("report on " + report.about() + " of " + tick);
        three.countDown();
        return "made";
    }

    public static void main(String[] arguments) throws Exception {
        Reports reports = new Reports();
        try (JobQueue queue = JobQueue.open(arguments[0])) {
            plan(queue);
            System.out.println("nightly: " + queue.schedules().next("nightly", 1).get(0));
            try (Worker worker = queue.worker().handler(REPORT, reports::make).start()) {
                boolean made = reports.three.await(1, TimeUnit.MINUTES);
                System.out.println(made ? "three reports were made" : "no three reports in a minute");
            } finally {
                queue.schedules().remove("pulse");
            }
        }
    }
}

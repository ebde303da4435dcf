package io.couchjobs.cli.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.type.Limit;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of a small shop, so that a dashboard has something to show. Some mails fail, reports take their time, one type is
 * paused and one has no worker. Thread-safe.
 */
public final class Traffic implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Traffic.class);
    private static final String MAIL = "email";
    private static final String REPORT = "report";
    private static final String STOCK = "stock-count";
    private static final int CONCURRENCY = 4;
    private static final int MOST_ORDERS = 6;
    private static final int EACH_WITH_REPORT = 40;
    private static final int EACH_WITH_PARCEL = 10;
    private static final int READERS = 60;
    private static final int READERS_PER_CHUNK = 20;
    private static final int STEPS = 40;
    private static final long STEP_MS = 400;

    private final JobQueue queue;
    private final Random random = new Random();
    private final Worker worker;
    private final ScheduledExecutorService customers = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "demo-customers");
        thread.setDaemon(true);
        return thread;
    });
    private int orders;

    private Traffic(JobQueue queue) {
        this.queue = queue;
        this.worker = queue.worker()
                .id("shop")
                .concurrency(CONCURRENCY)
                .handler(MAIL, this::mail)
                .handler(REPORT, this::report)
                .handler(STOCK, (data, context) -> Map.of("articles", random.nextInt(1000)))
                .start();
    }

    /**
     * Starts the traffic.
     *
     * @param queue the queue
     * @return the traffic, which ends when it is closed
     */
    public static Traffic start(JobQueue queue) {
        Traffic traffic = new Traffic(queue);
        traffic.prepare();
        var unused = traffic.customers.scheduleWithFixedDelay(traffic::keepOrdering, 0, 1, TimeUnit.SECONDS);
        return traffic;
    }

    private void prepare() {
        queue.operations().history().mark("the demo began");
        queue.types().change(REPORT, settings -> settings.with(Limit.RUNNING, 2));
        queue.types().change("invoice", settings -> settings.withPaused(true));
        queue.schedules()
                .put(Schedule.named("count the stock")
                        .every(Duration.ofSeconds(30))
                        .job(JobRequest.of(STOCK, Map.of("warehouse", "north")))
                        .build());
        queue.schedules()
                .put(Schedule.named("nightly report")
                        .cron("0 3 * * *")
                        .job(JobRequest.of(REPORT, Map.of("of", "yesterday")))
                        .build());
        queue.triggers()
                .put(Trigger.named("parcel-mail")
                        .source(queue.database().name())
                        .prefixes("parcel:")
                        .type(MAIL)
                        .data(JsonNodeFactory.instance
                                .objectNode()
                                .put("to", "{/to}")
                                .put("subject", "Parcel {/order} is on its way"))
                        .build());
        queue.arrays()
                .add(JobRequest.builder(MAIL).id("newsletter").data(Map.of()).build(), readers(), READERS_PER_CHUNK);
        queue.add(JobRequest.builder("thumbnail")
                .id("photo-1")
                .data(Map.of("why", "nobody runs this type"))
                .build());
    }

    private static List<Map<String, String>> readers() {
        return IntStream.range(0, READERS)
                .mapToObj(reader -> Map.of("to", "reader" + reader + "@example.org", "subject", "News"))
                .toList();
    }

    /** Adds some orders. Only logs a failed request, because the executor does not repeat a task that has thrown. */
    private void keepOrdering() {
        try {
            orders();
        } catch (CouchJobsException trouble) {
            log.debug("some orders are lost: {}", trouble.toString());
        }
    }

    private void orders() {
        List<JobRequest> jobs = new ArrayList<>();
        for (int left = 1 + random.nextInt(MOST_ORDERS); left > 0; left--) {
            order(++orders, jobs);
        }
        queue.addAll(jobs);
    }

    private void order(int number, List<JobRequest> jobs) {
        jobs.add(JobRequest.builder(MAIL)
                .id("order-" + number)
                .data(Map.of("to", "customer" + random.nextInt(9) + "@example.org", "subject", "Your order " + number))
                .group("customer-" + random.nextInt(9))
                .tag("order")
                .correlationId("order-" + number)
                .maxRetries(2)
                .build());
        if (number % EACH_WITH_PARCEL == 1) {
            send(number);
        }
        if (number % EACH_WITH_REPORT == 1) {
            jobs.add(JobRequest.builder(REPORT)
                    .id("sales-" + number)
                    .data(Map.of("pages", STEPS))
                    .build());
            jobs.add(JobRequest.builder("invoice")
                    .id("invoice-" + number)
                    .data(Map.of("order", number))
                    .correlationId("order-" + number)
                    .build());
        }
    }

    /** Stores a document, from which a trigger makes a mail. */
    private void send(int order) {
        var unused = queue.database()
                .put(JsonNodeFactory.instance
                        .objectNode()
                        .put("_id", "parcel:" + order)
                        .put("to", "customer" + random.nextInt(9) + "@example.org")
                        .put("order", order));
    }

    private Object mail(ObjectNode data, JobContext context) throws InterruptedException {
        context.log("connecting to mail.example.org");
        TimeUnit.MILLISECONDS.sleep(50L + random.nextInt(400));
        int luck = random.nextInt(12);
        if (luck == 0) {
            throw new PermanentJobException(
                    "550 no such mailbox: " + data.path("to").asText());
        } else if (luck <= 2) {
            throw new IllegalStateException("451 the mail server is busy, try again later");
        }
        context.log("accepted by mail.example.org");
        return Map.of("sentTo", data.path("to").asText());
    }

    private Object report(ObjectNode data, JobContext context) throws InterruptedException {
        for (int step = 1; step <= STEPS; step++) {
            TimeUnit.MILLISECONDS.sleep(STEP_MS);
            context.progress(100 * step / STEPS, "page " + step + " of " + STEPS);
            context.log("page " + step + " written");
        }
        return Map.of("pages", STEPS);
    }

    @Override
    public void close() {
        customers.shutdownNow();
        worker.close(Duration.ofSeconds(1));
    }
}

package io.couchjobs.testing;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Programs that tests start in a JVM of their own. They use the queue that the environment names. */
public final class OtherProcess {
    private OtherProcess() {}

    public static Process start(Class<?> program, TestDatabase database, String... arguments) throws IOException {
        return start(List.of(), program, database, arguments);
    }

    public static Process start(List<String> options, Class<?> program, TestDatabase database, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        process.environment().put("QUEUE", database.url().toString());
        process.environment().put("QUEUE_USER", database.user().orElse(""));
        process.environment().put("QUEUE_PASSWORD", database.password().orElse(""));
        return process.start();
    }

    public static JobQueue queue() {
        Map<String, String> environment = System.getenv();
        JobQueueBuilder queue =
                JobQueue.builder(URI.create(environment.get("QUEUE"))).renewLeases(false);
        if (!environment.get("QUEUE_USER").isEmpty()) {
            queue.auth(new Auth.Basic(environment.get("QUEUE_USER"), Secret.of(environment.get("QUEUE_PASSWORD"))));
        }
        return queue.open();
    }

    /** Adds so many jobs of type email, each when the one before is finished. */
    public static final class Adding {
        private Adding() {}

        public static void main(String[] arguments) throws Exception {
            try (JobQueue queue = queue()) {
                for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
                    String id = queue.add("email", Map.of("sent", System.currentTimeMillis()))
                            .id()
                            .id();
                    queue.awaitFinished("email", id, Duration.ofMinutes(1));
                }
            }
        }
    }

    /** Runs jobs of type email that never end, and tells what becomes of them. */
    public static final class Working {
        private Working() {}

        public static void main(String[] arguments) throws Exception {
            CountDownLatch ended = new CountDownLatch(1);
            try (JobQueue queue = queue()) {
                Worker worker = queue.worker()
                        .onRunEnded(report -> {
                            System.out.println(report.outcome());
                            ended.countDown();
                        })
                        .handler("email", (data, context) -> run(context))
                        .maxJobs(1)
                        .start();
                ended.await();
                worker.close();
            }
        }

        private static String run(JobContext context) {
            System.out.println("running");
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                System.out.println(context.stopReason().orElseThrow());
            }
            return "late";
        }
    }
}

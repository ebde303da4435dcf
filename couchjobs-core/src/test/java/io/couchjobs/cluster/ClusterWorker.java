package io.couchjobs.cluster;

import io.couchjobs.JobQueue;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A process that runs jobs and notes them in a journal, until its standard input ends. Its arguments: the journal, the
 * database, and the node that it asks, 0 for any.
 */
final class ClusterWorker {
    static final String TYPE = "checked";
    private static final int MOST_MILLIS = 5;

    private ClusterWorker() {}

    static Process start(Path journal, String database, int node) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ClusterWorker.class.getName()));
        command.addAll(List.of(journal.toString(), database, "" + node));
        ProcessBuilder process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        RealCluster.nameTo(process);
        return process.start();
    }

    public static void main(String[] arguments) throws IOException {
        int node = Integer.parseInt(arguments[2]);
        try (Journal journal = Journal.appendTo(Path.of(arguments[0]));
                JobQueue queue = node == 0 ? RealCluster.open(arguments[1]) : RealCluster.at(node, arguments[1]);
                Worker worker = queue.worker()
                        .concurrency(8)
                        .handler(TYPE, (data, context) -> run(journal, context))
                        .start()) {
            System.out.println("ready");
            while (System.in.read() >= 0) {
                // until the test closes it
            }
            System.out.println(worker.stats());
        }
    }

    private static String run(Journal journal, JobContext context) throws InterruptedException {
        journal.begun(context);
        try {
            long millis = ThreadLocalRandom.current().nextLong(MOST_MILLIS);
            new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
            return context.token();
        } finally {
            journal.over(context);
        }
    }
}

package io.couchjobs.peers;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.OperatingSystemMXBean;
import io.couchjobs.cli.bench.ServerCpu;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures one candidate once, in a process of its own, and prints one line of JSON. */
final class PeerProcess {
    private static final int WARM_UP = 2_000;
    private static final int THREADS = 16;
    private static final long GLANCE_MS = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Candidate candidate;
    private final String url;
    private final int jobs;
    private final int places;
    private final ServerCpu server;

    private PeerProcess(Candidate candidate, String url, int port, int jobs, int places) {
        this.candidate = candidate;
        this.url = url;
        this.jobs = jobs;
        this.places = places;
        this.server = ServerCpu.listeningAt(port);
    }

    /** Measures a candidate. The arguments are the candidate, URL, port, jobs and places. */
    public static void main(String[] arguments) throws Exception {
        PeerProcess process = new PeerProcess(
                Candidate.valueOf(arguments[0]),
                arguments[1],
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]));
        System.out.println(process.measure());
        System.exit(0); // some candidates leave threads behind
    }

    private ObjectNode measure() throws Exception {
        fillAndDrain(WARM_UP);
        ObjectNode json = fillAndDrain(jobs);
        if (!candidate.addsSingleJobs()) {
            return json;
        }
        try (Peer peer = candidate.open(url)) {
            addByThreads(peer, WARM_UP);
            long started = System.nanoTime();
            int added = addByThreads(peer, jobs / 2);
            json.put("add_threads_per_s", added / secondsSince(started));
        }
        return json;
    }

    private ObjectNode fillAndDrain(int number) throws Exception {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        try (Peer peer = candidate.open(url)) {
            long adding = System.nanoTime();
            peer.addAll(number);
            json.put("add_bulk_per_s", number / secondsSince(adding));
            OptionalDouble serverBefore = server.millis();
            double before = ownMillis();
            long started = System.nanoTime();
            drain(peer, number);
            json.put("drain_per_s", number / secondsSince(started))
                    .put("end_to_end_per_s", number / secondsSince(adding))
                    .put("client_cpu_ms", (ownMillis() - before) / number)
                    .put("rss_mb", residentMegabytes());
            server.since(serverBefore, number).ifPresent(millis -> json.put("server_cpu_ms", millis));
        }
        return json;
    }

    private void drain(Peer peer, int number) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        peer.start(places, runs::incrementAndGet);
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (runs.get() < number || !peer.haveEnded(number)) {
            if (System.nanoTime() > until) {
                throw new IllegalStateException(candidate.title() + " ran " + runs + " of " + number + " jobs only");
            }
            Thread.sleep(GLANCE_MS);
        }
    }

    private static int addByThreads(Peer peer, int number) throws Exception {
        int each = number / THREADS;
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<Void>> adding = new ArrayList<>(Collections.nCopies(THREADS, () -> {
                for (int i = 0; i < each; i++) {
                    peer.add();
                }
                return null;
            }));
            for (Future<Void> one : threads.invokeAll(adding)) {
                one.get();
            }
            return each * THREADS;
        } finally {
            threads.shutdownNow();
        }
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    private static double ownMillis() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e6;
    }

    private static double residentMegabytes() throws Exception {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                        .sum()
                / 1024.0;
    }
}

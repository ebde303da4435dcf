package io.couchjobs.chaos;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.CouchException;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The environment of a process of a chaos run, which names its queue. */
final class Surroundings {
    /** The environment variable with the URLs. Unlike arguments, it is not shown in lists of processes. */
    static final String URLS = "COUCHJOBS_CHAOS_URLS";

    private Surroundings() {}

    /** Opens the queue, as soon as its server answers. */
    static JobQueue open(InstantSource clock) throws InterruptedException {
        List<URI> urls = urls();
        while (true) {
            try {
                return builder(urls).clock(clock).open();
            } catch (CouchException away) {
                System.err.println("cannot open the queue yet: " + away.getMessage());
                pass(500);
            }
        }
    }

    /** {@return the URLs of the queue's database at each node that this process uses} */
    static List<URI> urls() {
        return Stream.of(Objects.requireNonNull(System.getenv(URLS), URLS).split(" "))
                .map(URI::create)
                .toList();
    }

    static JobQueueBuilder builder(List<URI> urls) {
        JobQueueBuilder builder = JobQueue.builder(urls.get(0));
        urls.stream().skip(1).forEach(builder::url);
        return builder;
    }

    static void pass(long millis) throws InterruptedException {
        boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    }
}

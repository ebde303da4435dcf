package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.demo.Traffic;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The dashboard of a demonstration, and the jobs that it shows.
 *
 * @param page the page
 * @param traffic the jobs of the demonstration's shop
 */
record DemoPage(WebPage page, Traffic traffic) implements AutoCloseable {
    private static final Address USUAL = new Address("127.0.0.1", 8080);
    private static final Address ANY = new Address("127.0.0.1", 0);

    static DemoPage open(JobQueue queue, @Nullable String listen) {
        WebPage page = listen == null ? openAnywhere(queue) : open(queue, Address.parse(listen));
        return new DemoPage(page, Traffic.start(queue));
    }

    private static WebPage openAnywhere(JobQueue queue) {
        try {
            return open(queue, USUAL);
        } catch (CommandException taken) {
            return open(queue, ANY);
        }
    }

    private static WebPage open(JobQueue queue, Address address) {
        return WebPage.open(queue, WebPage.Options.of(address));
    }

    URI url() {
        return page.url();
    }

    void awaitInterrupt() throws InterruptedException {
        CountDownLatch stop = new CountDownLatch(1);
        Interrupts.onSignal(signal -> stop.countDown());
        stop.await();
    }

    @Override
    public void close() {
        traffic.close();
        page.close();
    }
}

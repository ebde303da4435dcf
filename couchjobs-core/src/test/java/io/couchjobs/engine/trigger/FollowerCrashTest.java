package io.couchjobs.engine.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.Faults;
import io.couchjobs.job.Job;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.SteppedParts;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A follower dies, or stands still, before each of the requests that a change needs. */
class FollowerCrashTest extends FaultyServer {
    private static final int MORE_THAN_ENOUGH = 16;

    private CouchDatabase source;
    private SteppedParts dying;
    private SteppedParts living;

    @BeforeEach
    void openParts() {
        source = queue.database().server().database("orders");
        boolean unused = source.createIfMissing();
        dying = new SteppedParts(queue);
        living = new SteppedParts(queue);
    }

    @AfterEach
    void closeParts() {
        couch.faults().clear();
        dying.close();
        living.close();
    }

    /** What a trigger makes of a document that is saved, and changed once more, between two looks. */
    record Kind(TriggerBuilder trigger, String document) {
        @Override
        public String toString() {
            return trigger.build().toDocument().toString();
        }
    }

    static Stream<Kind> kinds() {
        String plain = "{'_id':'%s'}";
        String box = "{'_id':'%s','couchjobs':[{'type':'mail','data':{'n':1}}]}";
        return Stream.of(
                new Kind(trigger().type("mail"), plain),
                new Kind(trigger().type("mail").deliver(Trigger.Delivery.EVERY), plain),
                new Kind(trigger().type("mail").batch(10, Duration.ZERO), plain),
                new Kind(trigger().outbox(Outbox.Entries.LEAVE), box),
                new Kind(trigger().outbox(Outbox.Entries.MARK), box),
                new Kind(trigger().outbox(Outbox.Entries.REMOVE), box));
    }

    private static TriggerBuilder trigger() {
        return Trigger.named("t").source("orders").from("beginning");
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void one_that_dies_before_any_of_its_requests_loses_and_doubles_no_job(Kind kind) throws Exception {
        int unharmed = 0;
        for (int step = 0; step < MORE_THAN_ENOUGH; step++) {
            save(kind, step);
            AtomicInteger requests = new AtomicInteger();
            int survives = step;
            couch.faults().answer(1000, request -> requests.getAndIncrement() >= survives, 500);
            unharmed += dies(dying, kind) ? 0 : 1;
            couch.faults().clear();
            saveMore(kind, step);
            follow(living, kind);
            assertMadeOnce(step);
        }
        assertThat(unharmed).isBetween(1, MORE_THAN_ENOUGH - 4);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void one_that_dies_without_hearing_an_answer_loses_and_doubles_no_job(Kind kind) throws Exception {
        for (int step = 0; step < MORE_THAN_ENOUGH; step++) {
            save(kind, step);
            AtomicInteger requests = new AtomicInteger();
            int lost = step;
            couch.faults().loseAnswer(1, request -> requests.getAndIncrement() == lost);
            couch.faults().answer(1000, request -> requests.get() > lost, 500);
            boolean unused = dies(dying, kind);
            couch.faults().clear();
            saveMore(kind, step);
            follow(living, kind);
            assertMadeOnce(step);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void one_that_stands_still_while_another_follows_doubles_no_job(Kind kind) throws Exception {
        int held = 0;
        for (int step = 0; step < MORE_THAN_ENOUGH; step++) {
            save(kind, step);
            AtomicInteger requests = new AtomicInteger();
            int stops = step;
            Faults.Held hold = couch.faults().delay(1, request -> requests.getAndIncrement() == stops);
            CompletableFuture<Boolean> slow = CompletableFuture.supplyAsync(() -> dies(dying, kind));
            TestQueue.until(() -> slow.isDone() || hold.awaitArrival(0));
            boolean isHeld = !slow.isDone();
            held += isHeld ? 1 : 0;
            if (isHeld) {
                saveMore(kind, step);
                follow(living, kind);
            }
            hold.release();
            boolean unused = slow.join();
            couch.faults().clear();
            if (!isHeld) {
                saveMore(kind, step);
            }
            follow(living, kind);
            assertMadeOnce(step);
        }
        assertThat(held).isGreaterThan(4);
    }

    private void save(Kind kind, int step) {
        String unused = SourceDatabases.save(source, kind.document.formatted("o" + step));
    }

    /** What is changed before another one follows. */
    private void saveMore(Kind kind, int step) {
        String unused = SourceDatabases.save(source, kind.document.formatted("more" + step));
    }

    private static void follow(SteppedParts parts, Kind kind) {
        Trigger trigger = kind.trigger.build();
        FollowerTools tools = Followers.tools(parts.parts());
        CouchDatabase orders = tools.queue().server().database("orders");
        Position position = tools.starts().position(trigger, "orders", orders, false);
        SourceFollower follower =
                new SourceFollower(tools, orders, position, tools.jobTaker(trigger, orders, new LoopGuard()));
        var unused = follower.slice(() -> false, () -> true);
    }

    private static boolean dies(SteppedParts parts, Kind kind) {
        try {
            follow(parts, kind);
            return false;
        } catch (RuntimeException dead) {
            return true;
        }
    }

    /** A batch may hold several documents, but each is in one of them. */
    private void assertMadeOnce(int step) {
        List<Job> jobs = queue.all("mail").toList();
        List<String> documents = jobs.stream()
                .flatMap(job -> job.data().has("changes")
                        ? job.data().path("changes").findValuesAsText("id").stream()
                        : Stream.of(job.document().at("/trigger/id").asText()))
                .toList();
        assertThat(documents)
                .as("documents of jobs after step %d", step)
                .doesNotHaveDuplicates()
                .hasSize(2 * (step + 1));
    }
}

package io.couchjobs.engine.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a process keeps of the slots of a type. */
@ServerTest
class SlotKeeperTest {
    private Proxy proxy;
    private JobQueue queue;
    private JobStore store;
    private SlotKeeper keeper;

    @BeforeEach
    void open(TestDatabase database) {
        proxy = Proxy.before(database.server());
        queue = TestQueue.open(proxy.door(database));
        store = Stores.of(queue.database());
        keeper = new SlotKeeper(
                new QueueParts(
                        store,
                        new JobIndex(new DesignDocuments(queue.database())),
                        new SettingsStore(queue.database(), Duration.ofSeconds(60)),
                        Feeds.of(queue.database()),
                        TestQueue.clock(InstantSource.system(), queue.database().server())),
                "here",
                () -> {});
    }

    @AfterEach
    void close() {
        proxy.clear();
        store.close();
        queue.close();
        proxy.close();
    }

    @Test
    void a_slot_that_was_taken_though_nobody_could_tell_is_given_back_before_the_next_is_picked() {
        SlotName.Limited one = new SlotName.Limited("email", null, null);
        keeper.prepare("email");
        Slot wanted = keeper.pick(one, 1, Jobs.job("'data':{}"), "token").orElseThrow();
        proxy.loseAnswers(1, Proxy.Request::isBulkWrite);
        proxy.loseRequests(100, request -> !request.isBulkWrite());
        assertThatThrownBy(() -> keeper.take(List.of(wanted))).isInstanceOf(RuntimeException.class);

        proxy.clear();
        String docId = wanted.name().docId();
        assertThat(queue.database().get(docId)).isPresent();
        keeper.prepare("email");
        assertThat(queue.database().get(docId)).isEmpty();
        assertThat(keeper.hasRoom(one, 1)).isTrue();
    }

    @Test
    void changes_of_a_type_whose_slots_could_not_be_read_are_not_kept() {
        proxy.detour(new Proxy.Detour() {
            @Override
            public Optional<String> answers(Proxy.Request request) {
                return Optional.of("no JSON")
                        .filter(any -> request.uri().getPath().endsWith("/_all_docs"));
            }
        });
        assertThatThrownBy(() -> keeper.prepare("email")).isInstanceOf(RuntimeException.class);
        assertThat(keeper.isKnown("email")).isFalse();

        proxy.clear();
        keeper.prepare("email");
        assertThat(keeper.isKnown("email")).isTrue();
        assertThat(keeper.hasRoom(new SlotName.Limited("email", null, null), 1)).isTrue();
    }

    @Test
    void slots_that_one_thread_has_read_are_known_though_another_one_could_not_read_them() throws Exception {
        AtomicInteger readings = new AtomicInteger();
        CountDownLatch bothRead = new CountDownLatch(2);
        CountDownLatch oneFailed = new CountDownLatch(1);
        proxy.detour(new Proxy.Detour() {
            @Override
            public boolean goes(Proxy.Request request) throws InterruptedException {
                if (isReading(request)) {
                    bothRead.countDown();
                    bothRead.await();
                }
                return true;
            }

            @Override
            public boolean returns(Proxy.Request request) throws InterruptedException {
                if (isReading(request)) {
                    oneFailed.await();
                }
                return true;
            }

            @Override
            public Optional<String> answers(Proxy.Request request) {
                return Optional.of("no JSON").filter(any -> isReading(request) && readings.getAndIncrement() == 0);
            }

            private boolean isReading(Proxy.Request request) {
                return request.uri().getPath().endsWith("/_all_docs");
            }
        });
        List<CompletableFuture<Void>> both = IntStream.range(0, 2)
                .mapToObj(i -> CompletableFuture.runAsync(() -> keeper.prepare("email"))
                        .whenComplete((done, trouble) -> oneFailed.countDown()))
                .toList();

        TestQueue.until(() -> both.stream().allMatch(CompletableFuture::isDone));
        assertThat(both).filteredOn(CompletableFuture::isCompletedExceptionally).hasSize(1);
        assertThat(keeper.hasRoom(new SlotName.Limited("email", null, null), 1)).isTrue();
    }
}

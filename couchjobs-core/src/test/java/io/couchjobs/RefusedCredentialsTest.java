package io.couchjobs;

import static io.couchjobs.testing.TestQueue.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.Headers;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.embedded.junit.TestServer;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.FeedProxy;
import io.couchjobs.testing.LastingPort;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers, producers and subscribers whose credentials are refused while they are at it. */
@Execution(ExecutionMode.CONCURRENT)
class RefusedCredentialsTest {
    private static final int JOBS = 12;

    @TempDir
    Path folder;

    private int rotations;

    static Stream<Auth> everyKind() {
        return Stream.of(
                new Auth.Basic("admin", Secret.of("secret")),
                new Auth.Session("admin", Secret.of("secret")),
                new Auth.Bearer(() -> "token"));
    }

    @ParameterizedTest
    @MethodSource("everyKind")
    void goes_on_by_itself_when_they_are_right_again_and_runs_each_job_once(Auth auth) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                FeedProxy proxy = before(couch);
                JobQueue queue = open(proxy, auth);
                Worker worker = working(queue, go, runs)) {
            queue.addAll(jobs());
            Subscription last = queue.subscribe("email", "" + (JOBS - 1));
            TestQueue.until(() -> worker.stats().running() == 3);
            proxy.letIn(headers -> false, 401);
            proxy.cut();
            go.countDown();
            TestQueue.until(() -> proxy.refusals() > 20);
            assertThatThrownBy(() -> queue.add("email", Map.of()))
                    .isInstanceOf(CouchUnauthorizedException.class)
                    .hasMessageContaining("401");
            assertThat(worker.stats().succeeded()).isZero();
            proxy.letIn(headers -> true, 200);
            TestQueue.until(() -> worker.stats().succeeded() == JOBS);
            assertThat(runs).hasValue(JOBS);
            assertThat(endOf(last)).isEqualTo(JobPhase.FINISHED);
            TestQueue.until(() -> proxy.openFeeds() == 1);
            queue.add("email", Map.of());
            TestQueue.until(() -> worker.stats().succeeded() == JOBS + 1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 400})
    void a_write_with_a_token_that_is_refused_is_sent_again_with_the_new_one(int refusal) throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                FeedProxy proxy = before(couch);
                JobQueue queue = open(proxy, tokenOfFile())) {
            afterRotation(proxy, refusal, () -> queue.add("email", Map.of()));
            afterRotation(proxy, refusal, () -> queue.addAll(jobs()));
            List<ClaimedJob> claimed = new ArrayList<>();
            afterRotation(proxy, refusal, () -> claimed.addAll(queue.accept(AcceptOptions.of("email"))));
            ClaimedJob job = claimed.get(0);
            afterRotation(proxy, refusal, () -> job.update(Map.of("n", 1)));
            afterRotation(proxy, refusal, () -> queue.types().setTimeout("email", Duration.ofMinutes(1)));
            afterRotation(proxy, refusal, job::finish);
            assertThat(queue.get("email", job.id().id()).orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(queue.types().pendingCount("email", Instant.now(), 100)).isEqualTo(JOBS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 400})
    void the_feed_is_opened_again_with_the_new_token(int refusal) throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                FeedProxy proxy = before(couch);
                JobQueue queue = open(proxy, tokenOfFile());
                JobQueue other = JobQueue.builder(couch.url() + "jobs")
                        .renewLeases(false)
                        .open()) {
            queue.addAll(jobs());
            Subscription first = queue.subscribe("email", "0");
            Subscription second = queue.subscribe("email", "1");
            TestQueue.until(() -> proxy.openFeeds() == 1);
            rotate(proxy, refusal);
            other.cancel("email", "0", CancelMode.IF_QUEUED);
            assertThat(endOf(first)).isEqualTo(JobPhase.FINISHED); // a feed that is open stays
            proxy.cut();
            TestQueue.until(() -> proxy.refusals() > 0 && proxy.openFeeds() == 1);
            other.cancel("email", "1", CancelMode.IF_QUEUED);
            assertThat(endOf(second)).isEqualTo(JobPhase.FINISHED);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 400})
    void no_result_is_lost_when_the_new_token_comes_late_and_not_at_once(int refusal) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                FeedProxy proxy = before(couch);
                JobQueue queue = open(proxy, tokenOfFile());
                Worker worker = working(queue, go, runs)) {
            queue.addAll(jobs());
            TestQueue.until(() -> worker.stats().running() == 3);
            proxy.letIn(bearer("late"), refusal);
            Files.delete(token());
            go.countDown();
            TestQueue.until(() -> proxy.refusals() > 8);
            Files.writeString(token(), ""); // somebody begins to write it
            int before = proxy.refusals();
            TestQueue.until(() -> proxy.refusals() > before + 4);
            assertThatThrownBy(() -> queue.add("email", Map.of())).isInstanceOf(CouchUnauthorizedException.class);
            Files.writeString(token(), "late");
            TestQueue.until(() -> worker.stats().succeeded() == JOBS);
            assertThat(runs).hasValue(JOBS);
        }
    }

    @Test
    void logs_in_again_when_the_server_has_forgotten_its_session() throws Exception {
        int port = LastingPort.find();
        EmbeddedCouch couch = server(port);
        try (JobQueue queue = open(couch);
                Worker worker = queue.worker()
                        .handler("email", (data, context) -> "sent")
                        .start()) {
            queue.addAll(jobs());
            TestQueue.until(() -> worker.stats().succeeded() == JOBS);
            couch.close();
            couch = server(port);
            try (JobQueue other = open(couch)) {
                other.add("email", Map.of());
            }
            TestQueue.until(() -> worker.stats().succeeded() == JOBS + 1);
        } finally {
            couch.close();
        }
    }

    private EmbeddedCouch server(int port) {
        return EmbeddedCouch.builder()
                .directory(folder)
                .port(port)
                .admin("admin", "secret")
                .start();
    }

    private static JobQueue open(EmbeddedCouch couch) {
        return JobQueue.builder(URI.create(couch.url() + "jobs"))
                .renewLeases(false)
                .auth(new Auth.Session("admin", Secret.of("secret")))
                .open();
    }

    private static JobQueue open(FeedProxy proxy, Auth auth) {
        return JobQueue.builder(URI.create(proxy.url() + "/jobs"))
                .renewLeases(false)
                .auth(auth)
                .open();
    }

    private static FeedProxy before(EmbeddedCouch couch) throws IOException {
        TestServer server = new TestServer(couch.url(), Optional.empty(), Optional.empty(), "");
        return new FeedProxy(new TestDatabase(server, "jobs"));
    }

    private static Worker working(JobQueue queue, CountDownLatch go, AtomicInteger runs) {
        return queue.worker()
                .concurrency(3)
                .handler("email", (data, context) -> {
                    go.await();
                    return runs.incrementAndGet();
                })
                .start();
    }

    private static JobPhase endOf(Subscription subscription) throws InterruptedException {
        JobPhase last = JobPhase.PENDING;
        while (!subscription.isClosed()) {
            last = subscription.await(PATIENCE).orElseThrow().phase();
        }
        return last;
    }

    /** A token that somebody else renews in a file, such as {@code --token-file}. */
    private Auth tokenOfFile() throws IOException {
        Files.writeString(token(), "token-0");
        return new Auth.Bearer(() -> {
            try {
                return Files.readString(token());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private Path token() {
        return folder.resolve("token");
    }

    /** From now on the server takes a new token only, which is in the file before anybody asks for it. */
    private void rotate(FeedProxy proxy, int refusal) throws IOException {
        String fresh = "token-" + ++rotations;
        Files.writeString(token(), fresh);
        proxy.letIn(bearer(fresh), refusal);
    }

    private void afterRotation(FeedProxy proxy, int refusal, ThrowingCallable verb) throws Exception {
        int before = proxy.refusals();
        rotate(proxy, refusal);
        assertThatCode(verb).doesNotThrowAnyException();
        assertThat(proxy.refusals()).isGreaterThan(before);
    }

    private static Predicate<Headers> bearer(String token) {
        return headers -> ("Bearer " + token).equals(headers.getFirst("Authorization"));
    }

    private static List<JobRequest> jobs() {
        return IntStream.range(0, JOBS)
                .mapToObj(i ->
                        JobRequest.builder("email").id("" + i).data(Map.of()).build())
                .toList();
    }
}

package io.couchjobs.engine.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class RunThreadTest {
    private static final int RUNS = 50;

    private final ThreadLocal<String> local = new ThreadLocal<>();
    private final InheritableThreadLocal<String> inheritable = new InheritableThreadLocal<>();
    private final ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {};

    @Test
    void a_run_finds_nothing_of_the_runs_before_it() throws Exception {
        inheritable.set("of the thread that starts runs");
        List<Seen> all = new ArrayList<>();
        for (int i = 0; i < RUNS; i++) {
            all.add(start("run-" + i, () -> {
                Seen seen = see();
                spoil();
                return seen;
            }));
        }
        assertThat(all).allMatch(seen -> seen.locals.isEmpty(), "without thread-locals");
        assertThat(all).noneMatch(Seen::isInterrupted);
        assertThat(all).allMatch(seen -> seen.loader == loader);
        assertThat(all).allMatch(seen -> seen.priority == Thread.NORM_PRIORITY);
        assertThat(all).noneMatch(Seen::hasOwnExceptionHandler);
        for (int i = 0; i < RUNS; i++) {
            assertThat(all.get(i).name).isEqualTo("run-" + i);
        }
    }

    @Test
    void threads_are_used_again_where_they_are_dear() throws Exception {
        assumeFalse(Threads.areVirtual(), "virtual threads cost nothing");
        Thread one = start("first", Thread::currentThread);
        for (Thread other = null; other != one; ) {
            other = start("again", Thread::currentThread);
        }
    }

    @Test
    void a_run_that_hangs_holds_up_no_other() throws Exception {
        CompletableFuture<Thread> hung = new CompletableFuture<>();
        CompletableFuture<Void> gate = new CompletableFuture<>();
        Environment.REAL.startRun("hangs", loader, () -> {
            hung.complete(Thread.currentThread());
            gate.join();
        });
        Thread its = await(hung);
        for (int i = 0; i < RUNS; i++) {
            assertThat(start("other", Thread::currentThread)).isNotSameAs(its);
        }
        gate.complete(null);
    }

    @Test
    void a_run_that_throws_spoils_no_other() throws Exception {
        CompletableFuture<Thread> thrown = new CompletableFuture<>();
        Environment.REAL.startRun("throws", loader, () -> {
            thrown.complete(Thread.currentThread());
            Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {});
            local.set("left");
            throw new IllegalStateException("of a handler");
        });
        await(thrown);
        for (int i = 0; i < RUNS; i++) {
            assertThat(start("other", this::see).locals).isEmpty();
        }
    }

    private Seen see() {
        Thread thread = Thread.currentThread();
        List<String> locals = new ArrayList<>();
        for (ThreadLocal<String> one : List.of(local, inheritable)) {
            if (one.get() != null) {
                locals.add(one.get());
            }
        }
        return new Seen(
                thread.getName(),
                locals,
                thread.isInterrupted(),
                thread.getContextClassLoader(),
                thread.getPriority(),
                thread.getUncaughtExceptionHandler() != thread.getThreadGroup());
    }

    @SuppressWarnings("ThreadPriorityCheck") // as a handler may
    private void spoil() {
        Thread thread = Thread.currentThread();
        local.set("left");
        inheritable.set("left");
        thread.setName("renamed");
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.setContextClassLoader(null);
        thread.setUncaughtExceptionHandler((other, error) -> {});
        thread.interrupt();
    }

    private <T> T start(String name, Supplier<T> run) throws Exception {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        Environment.REAL.startRun(name, loader, () -> outcome.complete(run.get()));
        return await(outcome);
    }

    private static <T> T await(CompletableFuture<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(Duration.ofSeconds(30).toSeconds(), TimeUnit.SECONDS);
    }

    private record Seen(
            String name,
            List<String> locals,
            boolean isInterrupted,
            ClassLoader loader,
            int priority,
            boolean hasOwnExceptionHandler) {}
}

package io.couchjobs.interleavings;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.testing.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** One order of the requests of some players about one fresh job, one request at a time, with a look at the job after each. */
final class Schedule {
    private static final int MOST_STEPS = 500;
    private static final int MOST_RUNS = 10;

    private final JobQueue direct;
    private final ExecutorService threads;
    private final JobId id;
    private final History history = new History();
    private final StepRules rules = new StepRules();

    Schedule(JobQueue direct, ExecutorService threads, JobId id) {
        this.direct = direct;
        this.threads = threads;
        this.id = id;
    }

    /** Plays a scenario; the chooser says whose turn it is. Then the cleaner, like a worker, runs the job to its end. */
    void play(Scenario scenario, List<Player> players, Player cleaner, Chooser chooser) throws Exception {
        players.forEach(player -> player.sitDown(id, history));
        cleaner.sitDown(id, history);
        List<Script> scripts = scenario.prepare(players);
        rules.begin(history.calls(), present());
        history.begin(present());
        Map<Player, Script> game = new LinkedHashMap<>();
        for (int i = 0; i < scripts.size(); i++) {
            game.put(players.get(i), scripts.get(i));
        }
        run(game, chooser);
        run(Map.of(cleaner, () -> runToItsEnd(cleaner)), waiting -> 0);
        rules.checkRuns();
        new CallRules(history).check();
    }

    History history() {
        return history;
    }

    private Optional<Job> present() {
        try {
            return direct.get(id.type(), id.id());
        } catch (MalformedDocumentException broken) {
            throw new AssertionError("the document is no job any more: " + broken.getMessage(), broken);
        }
    }

    private void run(Map<Player, Script> scripts, Chooser chooser) throws Exception {
        List<Future<?>> playing = new ArrayList<>();
        try {
            scripts.forEach((player, script) -> {
                player.gate.close();
                playing.add(threads.submit(() -> {
                    try {
                        script.play();
                    } finally {
                        player.gate.ended();
                    }
                    return null;
                }));
            });
            step(List.copyOf(scripts.keySet()), chooser);
        } finally {
            scripts.keySet().forEach(player -> player.gate.open());
            for (Future<?> one : playing) {
                one.get();
            }
        }
    }

    private void step(List<Player> players, Chooser chooser) throws InterruptedException {
        for (int steps = 0; steps < MOST_STEPS; steps++) {
            List<Player> waiting = new ArrayList<>();
            List<String> questions = new ArrayList<>();
            for (Player player : players) {
                player.gate.settled(player.name).map(this::inShort).ifPresent(request -> {
                    waiting.add(player);
                    questions.add(player.name + " " + request);
                });
            }
            if (waiting.isEmpty()) {
                return;
            }
            int choice = chooser.choose(questions);
            letPass(waiting.get(choice), questions.get(choice));
        }
        throw new AssertionError("no end after " + MOST_STEPS + " steps");
    }

    /** The same for all jobs. */
    private String inShort(Proxy.Request request) {
        return request.toString().replace(id.docId(), "JOB");
    }

    private void letPass(Player player, String request) throws InterruptedException {
        Call call = player.current();
        player.gate.letPass();
        player.gate.settled(player.name);
        rules.check(history.add(call, request, present()));
    }

    private void runToItsEnd(Player cleaner) {
        for (int i = 0; i < MOST_RUNS; i++) {
            Optional<Job> job = cleaner.read();
            if (job.isEmpty() || job.get().phase() == JobPhase.FINISHED) {
                return;
            }
            if (job.get().phase() == JobPhase.RUNNING) {
                cleaner.expire();
            } else {
                cleaner.claimEarly().ifPresent(cleaner::finish);
            }
        }
        throw new AssertionError("the job does not end: " + history.present());
    }
}

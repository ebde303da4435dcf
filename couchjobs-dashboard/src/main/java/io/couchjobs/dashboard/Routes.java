package io.couchjobs.dashboard;

import io.couchjobs.JobQueue;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Routes each path of the API to its answer. Thread-safe. */
final class Routes implements AutoCloseable {
    private final Map<String, Route> reads = new HashMap<>();
    private final Map<String, Route> changes = new HashMap<>();
    private final BulkActions bulk;
    private final @Nullable HttpApi forPrograms;

    /** Answers one path. */
    @FunctionalInterface
    interface Route {
        void serve(Call call) throws IOException;
    }

    Routes(DashboardBuilder options, Hub hub, Guard guard) {
        JobQueue queue = options.queue();
        Counts counts = new Counts(queue);
        Workers workers = new Workers(queue);
        Types types = new Types(queue, counts);
        Problems problems = new Problems(queue, options.checks(), counts, types, workers);
        Overview overview = new Overview(queue, hub, counts, types, workers, problems);
        Histories histories = types.histories();
        Jobs jobs = new Jobs(queue, counts);
        Arrays arrays = new Arrays(queue);
        Schedules schedules = new Schedules(queue);
        Triggers triggers = new Triggers(queue);
        FailurePage failures = new FailurePage(queue);
        this.bulk = new BulkActions(queue, failures);
        this.forPrograms = options.hasApi() ? new HttpApi(queue, jobs, problems) : null;

        reads.put("overview", call -> call.answer(overview.json(guard.mayAct(call))));
        reads.put("jobs", call -> call.answer(jobs.page(call)));
        reads.put("count", call -> call.answer(jobs.count(call)));
        reads.put("job", call -> call.answer(jobs.job(call)));
        reads.put("explain", call -> call.answer(jobs.explain(call)));
        reads.put("failures", call -> call.answer(failures.json()));
        reads.put("array", call -> call.answer(arrays.json(call)));
        reads.put("log", call -> call.answer(jobs.log(call)));
        reads.put("history", call -> call.answer(histories.json(call)));
        reads.put("types", call -> call.answer(types.json()));
        reads.put("recurring", call -> call.answer(schedules.json()));
        reads.put("triggers", call -> call.answer(triggers.json()));
        reads.put("trigger", call -> call.answer(triggers.one(call)));
        reads.put("workers", call -> call.answer(workers.json()));
        reads.put("problems", call -> call.answer(problems.json()));
        reads.put("bulk", call -> call.answer(bulk.json()));
        reads.put("events", hub::serve);

        Actions actions = new Actions(queue);
        changes.put("action", call -> call.answer(actions.act(call.body())));
        changes.put("jobs", call -> call.answer(new NewJobs(queue).add(call.body(NewJobs.LARGEST))));
        changes.put("bulk", call -> call.answer(bulk.start(call.body())));
        changes.put("bulk/stop", call -> call.answer(bulk.stop()));
        changes.put("types", call -> call.answer(types.change(call.body())));
        changes.put("recurring", call -> call.answer(schedules.change(call.body())));
        changes.put("triggers", call -> call.answer(triggers.change(call.body())));
    }

    void serve(Call call) throws IOException {
        if (call.isFromProgram()) {
            if (forPrograms == null) {
                throw new Refusal(404, "the HTTP API is off (couchjobs dashboard --api)");
            }
            forPrograms.serve(call);
            return;
        }
        Map<String, Route> known = call.isRead() ? reads : changes;
        Route route = known.get(call.path().substring("/api/".length()));
        if (route == null) {
            throw Refusal.notFound("such answer");
        }
        route.serve(call);
    }

    @Override
    public void close() {
        bulk.close();
    }
}

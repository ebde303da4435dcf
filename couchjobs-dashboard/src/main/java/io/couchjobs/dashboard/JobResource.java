package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.JobOrder;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.dashboard.view.Replacement;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPage;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.NotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** The resources of the HTTP API for jobs. Thread-safe. */
final class JobResource {
    private final JobQueue queue;
    private final Jobs jobs;

    JobResource(JobQueue queue, Jobs jobs) {
        this.queue = queue;
        this.jobs = jobs;
    }

    void list(Call call, List<String> none) throws IOException {
        call.param("type").ifPresent(JobId::checkType);
        JobPage page = jobs.asked(call);
        ObjectNode json = Call.JSON.createObjectNode();
        ArrayNode all = json.putArray("jobs");
        queue.withData(page.jobs().stream()).map(JobView::of).forEach(all::add);
        call.answer(json.put("next", page.next().map(Jobs::text).orElse(null)));
    }

    void get(Call call, List<String> name) throws IOException {
        JobId id = id(name);
        Job job = queue.get(id).orElseThrow(() -> new NotFoundException(id));
        call.answer(JobView.of(job));
    }

    void add(Call call, List<String> none) throws IOException {
        boolean replaces = call.flag("replace");
        JobRequest request = JobOrder.parse(call.body());
        if (request.tracker().isPresent()) {
            addIfNew(call, request, replaces);
            return;
        }
        AddResult result = replaces ? Replacement.add(queue, request) : queue.add(request);
        Job stored = result.job().orElseThrow(() -> new Refusal(409, "not replaced: " + result.problem()));
        Job job = queue.withData(stored);
        if (result.outcome() == AddResult.Outcome.UNCHANGED && !JobView.isSame(job.data(), request.data())) {
            throw new Refusal(
                    409,
                    "not stored: " + job.id() + " is pending with the same time and other data, which it keeps;"
                            + " ?replace=true gives it the new data");
        }
        added(call, result.outcome(), JobView.of(job));
    }

    private void addIfNew(Call call, JobRequest request, boolean replaces) throws IOException {
        if (replaces) {
            throw new Refusal(400, "replace: a job with a tracker is never replaced while it is unfinished");
        }
        boolean added = queue.insertIfNew(request);
        // The added job may have run, and been removed, since.
        ObjectNode job = queue.get(request.id()).map(JobView::of).orElseGet(() -> JobView.of(request.id()));
        added(call, added ? AddResult.Outcome.ADDED : AddResult.Outcome.UNCHANGED, job);
    }

    private static void added(Call call, AddResult.Outcome outcome, ObjectNode job) throws IOException {
        ObjectNode json =
                Call.JSON.createObjectNode().put("outcome", outcome.name().toLowerCase(Locale.ROOT));
        json.set("job", job);
        call.answer(outcome == AddResult.Outcome.ADDED ? 201 : 200, json);
    }

    void cancel(Call call, List<String> name) throws IOException {
        JobId id = id(name);
        String outcome =
                switch (queue.cancel(id, CancelMode.REQUEST)) {
                    case CANCELLED -> "cancelled";
                    case REQUESTED, AT_NEXT_CLAIM -> "requested";
                    case RUNNING, ALREADY_FINISHED -> throw new Refusal(409, id + " is finished already");
                };
        call.answer(Call.JSON.createObjectNode().put("outcome", outcome));
    }

    void retry(Call call, List<String> name) throws IOException {
        call.answer(JobView.of(queue.withData(queue.retryNow(id(name)))));
    }

    private static JobId id(List<String> name) {
        return new JobId(name.get(0), name.get(1));
    }
}

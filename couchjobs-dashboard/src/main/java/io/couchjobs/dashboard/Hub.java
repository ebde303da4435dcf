package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.DocumentChange;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.Logs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the changes of the feed to all connected browsers, gathered, at most {@value #PER_SECOND} times a second. The hub follows
 * the feed from the first browser on. Thread-safe.
 */
final class Hub implements DocumentChange.Listener, AutoCloseable {
    private static final String JOB = "job:";
    private static final String LOG = "log:";
    private static final Logger log = LoggerFactory.getLogger(Hub.class);
    private static final String EVENTS = "text/event-stream";
    private static final int PER_SECOND = 2;
    static final int MOST_VIEWERS = 200;
    private static final int MOST_CHANGED = 100;
    private static final int MOST_CHUNKS = 200;

    private final JobQueue queue;
    private final Traffic traffic = new Traffic();
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "couchjobs-dashboard-ticks");
        thread.setDaemon(true);
        return thread;
    });
    private @Nullable Listening listening;
    private boolean closed;
    private int beat;

    /** The changes since the last beat. */
    private News news = new News();

    Hub(JobQueue queue) {
        this.queue = queue;
    }

    /** Starts following the feed, once. */
    synchronized void start() {
        if (listening == null && !closed) {
            listening = queue.operations().listen(this);
            long period = 1000 / PER_SECOND;
            var unused = timer.scheduleWithFixedDelay(this::beat, period, period, TimeUnit.MILLISECONDS);
        }
    }

    ArrayNode history() {
        return traffic.history();
    }

    /** Serves one browser until it disconnects or the hub is closed. */
    void serve(Call call) throws IOException {
        if (viewers.size() >= MOST_VIEWERS) {
            throw new Refusal(503, "too many pages are open");
        }
        JobId watched = call.param("type")
                .flatMap(type -> call.param("id").map(id -> new JobId(type, id)))
                .orElse(null);
        call.setHeader("X-Accel-Buffering", "no");
        if (call.is("HEAD")) {
            call.answerHead(EVENTS); // without writes the server would never notice that this viewer has left
            return;
        }
        start();
        Viewer viewer = new Viewer(watched);
        synchronized (this) {
            if (closed) {
                throw new Refusal(503, "the dashboard is closing");
            }
            viewers.add(viewer);
        }
        try {
            viewer.serve(call.stream(EVENTS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            viewers.remove(viewer);
        }
    }

    @Override
    public void changed(DocumentChange event) {
        String docId = event.docId();
        if (docId.startsWith(JOB)) {
            event.document().ifPresent(document -> traffic.note(docId, document));
        }
        if (!viewers.isEmpty()) {
            synchronized (this) {
                news.add(event);
            }
        }
    }

    @Override
    public void gap() {
        synchronized (this) {
            news.again = true;
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (listening != null) {
                listening.close();
            }
            viewers.forEach(Viewer::end);
        }
        timer.shutdownNow();
    }

    private void beat() {
        try {
            beat = (beat + 1) % PER_SECOND;
            ObjectNode second = beat == 0 ? traffic.tick(ServerTime.millis(queue)) : null;
            News told = take();
            if (second != null || !told.isEmpty()) {
                tell(told, second);
            }
        } catch (RuntimeException e) {
            log.warn("the dashboard could not tell what happened; it goes on", e);
        }
    }

    private synchronized News take() {
        News told = news;
        news = new News();
        return told;
    }

    private void tell(News told, @Nullable ObjectNode second) {
        if (viewers.isEmpty()) {
            return;
        }
        ObjectNode json = Call.JSON.createObjectNode().put("now", ServerTime.millis(queue));
        if (second != null) {
            json.set("second", second);
        }
        told.writeTo(json);
        byte[] frame = Viewer.frame("tick", json.toString());
        Map<JobId, List<byte[]>> ofJobs = new HashMap<>();
        for (Viewer viewer : viewers) {
            viewer.tell(frame);
            viewer.watched().ifPresent(job -> ofJobs.computeIfAbsent(job, watched -> frames(watched, told))
                    .forEach(viewer::tell));
        }
    }

    private static List<byte[]> frames(JobId job, News told) {
        List<byte[]> frames = new ArrayList<>();
        DocumentChange event = told.jobs.get(job.docId());
        if (event != null || told.again || told.tooMany) {
            frames.add(Viewer.frame("job", whole(event).toString()));
        }
        ArrayNode chunks = Call.JSON.createArrayNode();
        told.logs.getOrDefault(job, List.of()).forEach(chunk -> chunks.add(Jobs.json(chunk)));
        if (!chunks.isEmpty()) {
            frames.add(Viewer.frame("log", chunks.toString()));
        }
        return frames;
    }

    /**
     * Returns the job, or an object without a revision, which makes the page ask for the job. Reads nothing from the database,
     * because all browsers would wait for that.
     */
    private static ObjectNode whole(@Nullable DocumentChange event) {
        if (event == null) {
            return Call.JSON.createObjectNode();
        }
        return event.job()
                .filter(job -> !job.lacksData())
                .map(JobJson::whole)
                .orElseGet(Call.JSON::createObjectNode)
                .put("gone", event.isDeleted());
    }

    /** The changes between two beats. Guarded by the hub. */
    private final class News {
        private final Map<String, DocumentChange> jobs = new LinkedHashMap<>();
        private final Map<JobId, List<Logs.Chunk>> logs = new LinkedHashMap<>();
        private boolean tooMany;
        private boolean again;
        private boolean types;
        private boolean schedules;
        private boolean triggers;
        private boolean workers;

        boolean isEmpty() {
            return jobs.isEmpty() && logs.isEmpty() && !again && !types && !schedules && !triggers && !workers;
        }

        void add(DocumentChange event) {
            String docId = event.docId();
            if (docId.startsWith(JOB)) {
                addJob(event);
            } else if (docId.startsWith(LOG)) {
                addLog(event);
            } else {
                types |= docId.startsWith("type:");
                schedules |= docId.startsWith("schedule:");
                triggers |= docId.startsWith("trigger:") || docId.startsWith("follow:");
                workers |= docId.startsWith("worker:");
            }
        }

        /** Keeps a bounded number of jobs, but always those whose page a browser shows. */
        private void addJob(DocumentChange event) {
            DocumentChange known = jobs.get(event.docId());
            boolean wanted = known != null || jobs.size() < MOST_CHANGED || isWatched(event.docId());
            if (wanted && (known == null || known.generation() <= event.generation())) {
                jobs.put(event.docId(), event);
            }
            tooMany |= !wanted;
        }

        private boolean isWatched(String docId) {
            return viewers.stream().anyMatch(viewer -> viewer.watched()
                    .filter(job -> job.docId().equals(docId))
                    .isPresent());
        }

        private void addLog(DocumentChange event) {
            Logs.Chunk.jobOf(event.docId())
                    .filter(job -> isWatched(job.docId()))
                    .flatMap(job -> event.document())
                    .flatMap(Logs.Chunk::of)
                    .ifPresent(chunk -> {
                        List<Logs.Chunk> chunks = logs.computeIfAbsent(chunk.job(), job -> new ArrayList<>());
                        if (chunks.size() < MOST_CHUNKS) {
                            chunks.add(chunk);
                        } else {
                            again = true;
                        }
                    });
        }

        void writeTo(ObjectNode json) {
            json.put("reset", again)
                    .put("more", tooMany)
                    .put("types", types)
                    .put("schedules", schedules)
                    .put("triggers", triggers)
                    .put("workers", workers);
            ArrayNode changed = json.putArray("jobs");
            for (Map.Entry<String, DocumentChange> entry : jobs.entrySet()) {
                entry.getValue()
                        .job()
                        .map(JobJson::summary)
                        .or(() -> JobId.fromDocId(entry.getKey())
                                .map(id -> JobJson.name(id).put("gone", true)))
                        .ifPresent(changed::add);
            }
        }
    }
}

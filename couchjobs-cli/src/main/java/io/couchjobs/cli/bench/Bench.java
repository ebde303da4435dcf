package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Compares the speed of the queue on a server with the speed of that server itself. One thread runs the benchmark. Any thread,
 * such as a shutdown hook, may call {@link #close}, which deletes everything that the benchmark created on the server.
 */
public final class Bench implements AutoCloseable {
    private static final int WARM_UP = 4_000;
    private static final Set<Figure> RATES = EnumSet.range(Figure.ENQUEUE_BULK, Figure.DRAIN_PROCESSES);

    private final Place place;
    private final Plan plan;
    private final OwnDatabases databases;
    private final Crew crew;
    private final Steps steps;

    /**
     * Creates a benchmark. Performs no I/O.
     *
     * @param place where to measure
     * @param plan what to measure
     */
    public Bench(Place place, Plan plan) {
        this.place = place;
        this.plan = plan;
        this.databases = new OwnDatabases(place);
        this.crew = new Crew(place, List.of());
        this.steps = new Steps(place.progress());
    }

    /**
     * Measures the figures. A figure that cannot be measured is reported with the reason; the others are still measured.
     *
     * @return the results
     * @throws io.couchjobs.couch.config.CouchException when the server cannot be used at all
     * @throws InterruptedException when interrupted, or closed by another thread
     */
    public Results run() throws InterruptedException {
        try {
            Results results = new Results(server());
            Payload payload = payload();
            ServerCpu server = ServerCpu.of(place);
            Drain drain = new Drain(databases, payload, crew, server, plan, steps);
            steps.plan(weight());
            rates(payload, drain, server, results);
            results.add(Figure.PROCESSES, only(Figure.PROCESSES, new Grid(drain, plan, steps)::measure));
            fleet(payload, results);
            Listeners listeners = new Listeners(databases, place, drain, plan, steps);
            results.add(Figure.FLEET, only(Figure.FLEET, listeners::measure));
            ArrayRuns arrays = new ArrayRuns(databases, drain, plan, steps);
            results.add(Figure.ARRAYS, only(Figure.ARRAYS, arrays::measure));
            beside(drain, results);
            results.add(Figure.STORAGE, only(Figure.STORAGE, new Storage(databases, drain, plan.jobs())::measure));
            results.add(Figure.START, only(Figure.START, new Startup(place, plan.rounds())::measure));
            return results;
        } catch (RuntimeException trouble) {
            if (databases.isClosed()) {
                throw (InterruptedException) new InterruptedException("stopped").initCause(trouble);
            }
            throw trouble;
        }
    }

    /** Ends the worker processes and deletes the databases. Idempotent. */
    @Override
    public void close() {
        crew.close();
        databases.close();
    }

    private ObjectNode server() {
        Optional<CouchServer.Info> info = info();
        if (!place.isHere()) {
            place.say()
                    .accept("warning: what machine " + place.url().getHost()
                            + " is, and how busy, is unknown; the way there counts in every figure");
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("url", place.url().toString())
                .put("vendor", info.map(CouchServer.Info::vendor).orElse(""))
                .put("version", info.map(CouchServer.Info::version).orElse(""));
        return json.put("here", place.isHere())
                .put("client_processors", Runtime.getRuntime().availableProcessors())
                .put("java", Runtime.version().toString());
    }

    /** Returns what the server says of itself; empty for a server that speaks CouchDB's protocol but does not identify itself. */
    private Optional<CouchServer.Info> info() {
        try {
            return Optional.of(databases.server().info());
        } catch (CouchException nameless) {
            if (nameless.status() != 200) {
                throw nameless;
            }
            place.say().accept("warning: " + nameless.getMessage());
            return Optional.empty();
        }
    }

    private Payload payload() {
        JobQueue scratch = databases.queue();
        try {
            return Payload.ofSize(plan.size(), scratch);
        } finally {
            databases.drop(scratch);
        }
    }

    private void rates(Payload payload, Drain drain, ServerCpu server, Results results) throws InterruptedException {
        Raw raw = new Raw(databases, payload);
        Rounds rounds = new Rounds(raw, plan, steps);
        Rates rates = new Rates(
                new Enqueue(databases, payload, plan.jobs()),
                drain,
                raw,
                new RawRuns(databases, payload, server),
                rounds,
                plan);
        List<Rounds.Part> parts = rates.parts();
        if (parts.isEmpty()) {
            return;
        }
        steps.begin("finding the best size of a raw bulk write");
        raw.calibrate(Math.min(WARM_UP, plan.jobs()), 2);
        double more = raw.perSecond(plan.jobs(), raw.batch(), Raw.MORE_CONNECTIONS);
        steps.done(Raw.BATCHES.size());
        rounds.run(parts, rates::forget);
        results.raw()
                .put("bulk_docs_per_s", Numbers.rounded(rounds.rawRates().median()))
                .put("bulk_docs_per_s_min", Numbers.rounded(rounds.rawRates().least()))
                .put("bulk_docs_per_s_max", Numbers.rounded(rounds.rawRates().greatest()))
                .put("batch", raw.batch())
                .put("bulk_docs_per_s_by_" + Raw.MORE_CONNECTIONS + "_connections", Numbers.rounded(more));
        for (Rounds.Part part : parts) {
            results.add(part.figure(), attempt(part.figure(), () -> rates.json(part.figure())));
        }
    }

    private void fleet(Payload payload, Results results) throws InterruptedException {
        Wakeup wakeup = new Wakeup(databases, payload, crew, plan, steps);
        results.add(Figure.WAKEUP, only(Figure.WAKEUP, wakeup::measure));
        if (!wakeup.writes().isEmpty()) {
            double write = wakeup.writes().median();
            results.raw()
                    .put("single_writes_per_s", Numbers.rounded(1000 / write))
                    .put("single_write_ms_p50", Numbers.rounded(write))
                    .put("notify_ms_p50", Numbers.rounded(wakeup.notifications().median()));
        }
        Fleet fleet = new Fleet(databases, payload, crew, plan, steps);
        results.add(Figure.IDLE, only(Figure.IDLE, fleet::idle));
        results.add(Figure.HERD, only(Figure.HERD, fleet::herd));
    }

    private void beside(Drain drain, Results results) throws InterruptedException {
        try (Beside beside = new Beside(databases, drain, place, plan, steps)) {
            results.add(Figure.BACKLOG, only(Figure.BACKLOG, beside::backlog));
            results.add(Figure.MEMORY, only(Figure.MEMORY, beside::memory));
        }
    }

    /** Measures one figure. */
    private interface Measurement {
        ObjectNode json() throws Exception;
    }

    /** Returns the figure if it is wanted, else an empty object. */
    private ObjectNode only(Figure figure, Measurement measurement) throws InterruptedException {
        if (!plan.has(figure)) {
            return JsonNodeFactory.instance.objectNode();
        }
        steps.begin(figure.toString());
        ObjectNode json = attempt(figure, measurement);
        steps.done(figure.weight() * plan.rounds());
        return json;
    }

    private ObjectNode attempt(Figure figure, Measurement measurement) throws InterruptedException {
        try {
            return measurement.json();
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Exception trouble) {
            if (databases.isClosed() || Thread.currentThread().isInterrupted()) {
                throw (InterruptedException) new InterruptedException("stopped").initCause(trouble);
            }
            String reason = String.valueOf(trouble.getMessage());
            place.say().accept("cannot measure " + figure + ": " + reason);
            return JsonNodeFactory.instance.objectNode().put("error", reason);
        }
    }

    private double weight() {
        double rates =
                RATES.stream().filter(plan::has).mapToDouble(Figure::weight).sum();
        double raws = rates > 0 ? RATES.stream().filter(plan::has).count() + 1.0 : 0;
        double all = plan.figures().stream().mapToDouble(Figure::weight).sum();
        return rates + plan.rounds() * (all + raws) + (rates > 0 ? Raw.BATCHES.size() : 0);
    }
}

package io.couchjobs.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.couch.InProcess;
import io.couchjobs.embedded.cluster.Cluster;
import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.cluster.Stage;
import io.couchjobs.embedded.cluster.Wire;
import io.couchjobs.embedded.store.Database;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The ways of one process to the nodes of the cluster, whose names are {@code node0} and so on. Views are answered by {@link
 * NativeViews}.
 */
final class Door implements InProcess.Handler {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String HOST = "node";
    private static final double FEED_BREAKS = 0.02;

    private final SimulatedProcess process;
    private final World world;
    private final World.Wires wires;
    private final boolean pinned;
    private int redirected = -1;
    private final int start;
    private final List<Way> lossy = new ArrayList<>();
    private final List<Way> calm = new ArrayList<>();
    private final Protocol protocol;
    private @Nullable FeedBody feed;

    /** What the process takes for a confirmation. */
    enum Protocol {
        /** A write counts when a quorum has it. */
        ONLY_201,
        /** A write counts when anybody has it: what everybody writes first. */
        ANY_SUCCESS,
        /** A process that reads the leaves of a job sees only the leaves of its own claims. */
        ONLY_OWN_LEAVES,
        /** A monitor that finds an owner dead ends its job, if it is to end: no claim does. */
        EXPIRY_ENDS
    }

    /** One node, over one kind of wire. */
    private record Way(ClusterNode node, io.couchjobs.embedded.http.InProcess server) {
        static Way to(int number, Cluster cluster, Wire wire, Stage stage) {
            ClusterNode node = new ClusterNode(number, cluster, wire, stage);
            return new Way(node, new io.couchjobs.embedded.http.InProcess(node, stage));
        }
    }

    Door(SimulatedProcess process, Cluster cluster, World world, int start) {
        this.process = process;
        this.world = world;
        this.wires = world.wires();
        this.protocol = world.plan().protocol();
        this.pinned = world.plan().has(Plan.Freedom.PINNED);
        for (int number = 0; number < world.plan().nodes(); number++) {
            lossy.add(Way.to(number, cluster, wires.lossy(), process.stage()));
            calm.add(Way.to(number, cluster, wires.calm(), process.stage()));
        }
        this.start = start;
    }

    /** From now on another node answers, whatever node is asked. */
    void redirect(int node) {
        redirected = node;
    }

    /** {@return the node to begin with} */
    int start() {
        return start;
    }

    /** Breaks the connection of the process's feed. */
    void cutFeed() throws IOException {
        if (feed != null) {
            feed.cut();
        }
    }

    private Way way(int number) {
        return (wires.areLossy() ? lossy : calm).get(number);
    }

    ClusterNode node(int number) {
        return way(number).node();
    }

    /** {@return the addresses of all nodes that the process knows} */
    List<URI> urls() {
        return IntStream.range(0, calm.size())
                .filter(number -> !pinned || number == start)
                .mapToObj(number -> URI.create("http://" + HOST + number))
                .toList();
    }

    @Override
    public InProcess.Response answer(InProcess.Request request) throws InProcess.Broken {
        int asked = Integer.parseInt(request.uri().getHost().substring(HOST.length()));
        int node = redirected >= 0 ? redirected : asked;
        Exchange exchange = Exchange.of(process, node, request);
        world.watchers().forEach(watcher -> watcher.sending(exchange));
        try {
            InProcess.Response answer = process.stage()
                    .within(
                            request.longestSilence(),
                            () -> request.forFeed() ? feed(node, request) : ask(node, request));
            return exchange.isWrite() && !world.watchers().isEmpty() ? watched(exchange, answer) : answer;
        } catch (UncheckedIOException e) {
            throw new InProcess.Broken(e.getCause(), true);
        }
    }

    private InProcess.Response watched(Exchange exchange, InProcess.Response answer) {
        try {
            byte[] body = answer.body().readAllBytes();
            Answer shown = new Answer(answer.status(), new String(body, StandardCharsets.UTF_8));
            world.watchers().forEach(watcher -> watcher.answered(exchange, shown));
            return new InProcess.Response(answer.status(), answer.headers(), new ByteArrayInputStream(body));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private InProcess.Response ask(int asked, InProcess.Request request) {
        try {
            if (NativeViews.answers(request)) {
                way(asked).node().requireAlive();
                byte[] body = NativeViews.answer(viewed(way(asked).node()), request);
                return new InProcess.Response(200, Map.of(), new ByteArrayInputStream(body));
            }
            return sent(asked, request);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where there are faults, a view is as often answered by the copy of any node as by that of the node that is asked. */
    private Database viewed(ClusterNode asked) {
        List<Database> copies = asked.inReach(Client.DATABASE);
        boolean isOwn = !isFaulty() || process.random().nextBoolean() || copies.isEmpty();
        return isOwn ? asked.own(Client.DATABASE) : copies.get(process.random().nextInt(copies.size()));
    }

    private boolean isFaulty() {
        return world.plan().has(Plan.Freedom.FAULTS);
    }

    /** Where there are faults, feeds break, and a node honours a position only roughly: it begins anew now and then. */
    private InProcess.Response feed(int asked, InProcess.Request request) {
        boolean isFaulty = isFaulty();
        try {
            way(asked).node().requireAlive();
            var asks = embedded(request);
            boolean rewinds = isFaulty
                    && !world.plan().has(Plan.Freedom.STEADY)
                    && process.random().nextInt(4) == 0;
            var answer = way(asked).server().follow(rewinds ? fromTheStart(asks) : asks);
            feed = new FeedBody(process, request.longestSilence(), isFaulty ? FEED_BREAKS : 0, answer.body());
            return new InProcess.Response(answer.status(), answer.headers(), feed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static io.couchjobs.embedded.http.InProcess.Request fromTheStart(
            io.couchjobs.embedded.http.InProcess.Request request) {
        URI target = URI.create(request.target().toString().replaceFirst("since=[^&]*", "since=0"));
        return new io.couchjobs.embedded.http.InProcess.Request(
                request.method(), target, request.headers(), request.body());
    }

    private static io.couchjobs.embedded.http.InProcess.Request embedded(InProcess.Request request) {
        return new io.couchjobs.embedded.http.InProcess.Request(
                request.method(), request.uri(), request.headers(), request.body());
    }

    private InProcess.Response sent(int asked, InProcess.Request request) throws IOException {
        var answer = way(asked)
                .server()
                .send(embedded(protocol == Protocol.EXPIRY_ENDS ? EndingExpiries.in(request) : request));
        if (protocol == Protocol.ANY_SUCCESS
                && answer.status() / 100 == 2
                && !request.method().equals("GET")) {
            return new InProcess.Response(
                    answer.status() == 202 ? 201 : answer.status(), headers(answer), confirmed(answer.body()));
        }
        if (protocol == Protocol.ONLY_OWN_LEAVES && request.uri().getPath().endsWith("/_bulk_get")) {
            return new InProcess.Response(answer.status(), headers(answer), own(answer.body()));
        }
        return new InProcess.Response(answer.status(), headers(answer), answer.body());
    }

    /** Without the id of the request, which the server draws by chance: messages name it. */
    private static Map<String, List<String>> headers(io.couchjobs.embedded.http.InProcess.Response answer) {
        return answer.headers().entrySet().stream()
                .filter(header -> !header.getKey().equalsIgnoreCase("X-Couch-Request-ID"))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private InputStream own(InputStream body) throws IOException {
        JsonNode answer = MAPPER.readTree(body);
        for (JsonNode result : answer.path("results")) {
            for (Iterator<JsonNode> leaves = result.path("docs").iterator(); leaves.hasNext(); ) {
                String owner = leaves.next().at("/ok/lock/worker").asText();
                if (!process.toString().startsWith(owner + "#")) {
                    leaves.remove();
                }
            }
        }
        return new ByteArrayInputStream(MAPPER.writeValueAsBytes(answer));
    }

    private static InputStream confirmed(InputStream body) throws IOException {
        String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
        return new ByteArrayInputStream(text.replace(",\"accepted\":true", "").getBytes(StandardCharsets.UTF_8));
    }
}

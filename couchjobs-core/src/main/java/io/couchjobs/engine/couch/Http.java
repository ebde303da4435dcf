package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.time.Environment;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.apache.hc.client5.http.ConnectTimeoutException;

/** Sends requests, and classifies their failures. When a node fails, requests go to another node. Thread-safe. */
public final class Http implements AutoCloseable {

    private static final int GATEWAY_TIMEOUT = 504;
    private static final Set<Integer> BAD_GATEWAYS = Set.of(502, 503, GATEWAY_TIMEOUT);
    /** CouchDB's error code, with 500 or 412, when it cannot reach any copy of a document. Another node may reach one. */
    private static final String NODE_DOWN = "nodedown";

    private final CouchConfig config;
    private final Transport transport;
    private final Nodes nodes;
    private final Retries retries;
    private final Pace pace;
    private final Environment environment;
    private final LongAdder sent = new LongAdder();
    private volatile boolean closed;
    private volatile String whyClosed = "";

    public Http(CouchConfig config, ClientParts parts) {
        this.config = config;
        Map<Auth, BearerAuthenticator> tokens = new HashMap<>();
        this.transport = parts.transport();
        this.nodes = new Nodes(
                config.addresses().stream()
                        .map(address -> new Node(address.url(), address.auth(), config, parts, tokens))
                        .toList(),
                parts);
        this.environment = parts.environment();
        this.retries = new Retries(environment);
        this.pace = new Pace(environment);
    }

    /** Sends the request and reads its answer of any status. A reader that needs a success must call {@code requireSuccess}. */
    public <T> T exchange(Call call, Answer.Reader<T> reader) {
        return exchange(call, Transport.Use.REQUEST, config.responseTimeout(), reader);
    }

    /** Sends the renewal of a lease as {@link #exchange(Call, Answer.Reader)} does, with its own limit to the server's silence. */
    public <T> T renew(Call call, Duration patience, Answer.Reader<T> reader) {
        return exchange(call, Transport.Use.RENEWAL, patience, reader);
    }

    /** Sends a long poll as {@link #exchange(Call, Answer.Reader)} does, on a connection for feeds. */
    public <T> T await(Call call, Answer.Reader<T> reader) {
        return exchange(call, Transport.Use.FEED, config.responseTimeout(), reader);
    }

    private <T> T exchange(Call call, Transport.Use use, Duration patience, Answer.Reader<T> reader) {
        return send(call, node -> {
            try (Answer answer = node.send(call, use, patience)) {
                return answer.read(reader);
            }
        });
    }

    /**
     * Sends the request and returns its answer, which the caller must read and close. Throws unless the answer is a success
     * or has the other status.
     */
    public Answer open(Call call, int otherStatus) {
        return send(call, node -> {
            Answer answer = node.send(call, Transport.Use.REQUEST, config.responseTimeout());
            return answer.isSuccess() || answer.status() == otherStatus ? answer : fail(answer);
        });
    }

    /** Opens a feed on a connection that it may hold for a long time. The caller must close the answer. */
    public Answer openFeed(Call call, Duration longestSilence) {
        return send(call, node -> requireFit(node.send(call, Transport.Use.FEED, longestSilence)));
    }

    private <T> T send(Call call, Function<Node, T> attempt) {
        return retries.run(call, () -> pace.run(call, () -> onSomeNode(call, attempt)));
    }

    /** Reports that the connection of an answer broke. */
    public void broke(Answer answer, String why) {
        if (!closed) {
            nodes.failed(answer.node(), why);
        }
    }

    /** Returns the source of time, threads and randomness for all users of the client. */
    public Environment environment() {
        return environment;
    }

    public ClockSkew clockSkew() {
        return nodes.clockSkew();
    }

    public long nodeSwitches() {
        return nodes.switches();
    }

    public long requestCount() {
        return sent.sum();
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        close("this client is closed");
    }

    public void close(String why) {
        if (!closed) {
            whyClosed = why;
        }
        closed = true;
        transport.close();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(whyClosed);
        }
    }

    /** Tries each node once. Stops after a failure of a write that the node may have carried out. */
    private <T> T onSomeNode(Call call, Function<Node, T> attempt) {
        List<Node> tried = new ArrayList<>();
        while (true) {
            requireOpen();
            Node node = nodes.pick(tried);
            sent.increment();
            try {
                T result = attempt.apply(node);
                nodes.answered(node);
                return result;
            } catch (CouchException e) {
                if (closed || !isTheNodes(e) || mayBeTheIndex(call, e)) {
                    throw e;
                }
                nodes.failed(node, String.valueOf(e.getMessage()));
                tried.add(node);
                if (e.outcomeUnknown() || tried.size() == config.urls().size()) {
                    throw e;
                }
            }
        }
    }

    /**
     * Returns whether the failure is the node's, so that another node may succeed. A timeout of this client's own connection
     * pool and an interrupt say nothing about the node.
     */
    private static boolean isTheNodes(CouchException e) {
        if (e instanceof CouchUnreachableException) {
            boolean ours = e.getCause() instanceof InterruptedIOException;
            return !ours || e.getCause() instanceof SocketTimeoutException;
        }
        return BAD_GATEWAYS.contains(e.status()) || e.error().equals(NODE_DOWN);
    }

    /**
     * Returns whether the node may be silent because it is building the index of a view. Such a node answers all other
     * requests, and another node would have to build the index, too.
     */
    private static boolean mayBeTheIndex(Call call, CouchException e) {
        Throwable cause = e.getCause();
        boolean isSilent = cause instanceof SocketTimeoutException && !(cause instanceof ConnectTimeoutException);
        return call.isOfView() && (isSilent || e.status() == GATEWAY_TIMEOUT);
    }

    /** Throws for a 429, and for any failure if there are other nodes, so that the request can be sent again. */
    private Answer requireFit(Answer answer) {
        boolean isFit = answer.isSuccess() || (!nodes.areSeveral() && answer.status() != 429);
        return isFit ? answer : fail(answer);
    }

    private static Answer fail(Answer answer) {
        try (answer) {
            throw CouchException.of(answer.read(Answer::failure));
        }
    }
}

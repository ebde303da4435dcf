package io.couchjobs.dashboard;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.dashboard.doctor.Check;
import io.couchjobs.dashboard.doctor.Checks;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Configures and starts a {@link Dashboard}. Not thread-safe. */
public final class DashboardBuilder {
    private final JobQueue queue;
    private final Set<String> hosts = new TreeSet<>();
    private String basePath = "";
    private @Nullable String user;
    private @Nullable Secret password;
    private final List<Secret> tokens = new ArrayList<>();
    private final List<Secret> readerTokens = new ArrayList<>();
    private boolean api;
    private @Nullable Boolean actions;
    private List<Check> checks = Checks.all();
    private LongSupplier nanoTime = System::nanoTime;
    private Duration longestRead = Duration.ofSeconds(10);

    DashboardBuilder(JobQueue queue) {
        this.queue = queue;
    }

    /**
     * Puts the pages below a path, as behind a proxy that passes on the whole path.
     *
     * @param path such as {@code /admin/jobs}; default none
     * @return this
     * @throws IllegalArgumentException when it does not begin with a slash, or has characters that need escaping
     */
    public DashboardBuilder basePath(String path) {
        String trimmed = path.replaceAll("/+$", "");
        if (!trimmed.matches("(/[A-Za-z0-9._~-]+)*")) {
            throw new IllegalArgumentException(
                    "a base path is /NAME or /NAME/NAME of letters, digits and ._~-: " + path);
        }
        this.basePath = trimmed;
        return this;
    }

    /**
     * Lets in only people who have the password (HTTP Basic). Put a proxy that speaks TLS in front when the network is not your
     * own. An address that sent five wrong passwords or tokens in a row has to wait between tries, from a second up to a minute.
     *
     * @param user the name
     * @param password the password, not empty
     * @return this
     */
    public DashboardBuilder user(String user, Secret password) {
        requireText(password, "password");
        this.user = user;
        this.password = password;
        return this;
    }

    /**
     * Lets in clients that have the token (HTTP Bearer), such as programs and proxies; also beside a {@link #user}. May be called
     * again for more tokens, so that each client has its own.
     *
     * @param token the token, not empty
     * @return this
     */
    public DashboardBuilder token(Secret token) {
        requireText(token, "token");
        tokens.add(token);
        return this;
    }

    /**
     * Lets in clients that have the token (HTTP Bearer), and lets them change nothing. May be called again for more tokens.
     *
     * @param token the token, not empty
     * @return this
     */
    public DashboardBuilder readOnlyToken(Secret token) {
        requireText(token, "token");
        readerTokens.add(token);
        return this;
    }

    /**
     * Serves the HTTP API for programs, too: below {@code /api/v1/}, as {@code /api/v1/openapi.yaml} describes. Default: not.
     *
     * @return this
     */
    public DashboardBuilder api() {
        this.api = true;
        return this;
    }

    /**
     * Whether people may change anything: retry, cancel, remove, pause, ... Default: on a loopback address yes, else no.
     *
     * @param allowed whether they may
     * @return this
     */
    public DashboardBuilder actions(boolean allowed) {
        this.actions = allowed;
        return this;
    }

    /**
     * Names a host by which browsers reach the dashboard. Requests that name any other host, except localhost or a numeric
     * address, are refused: foreign pages would reach this server in that way (DNS rebinding).
     *
     * @param name such as {@code jobs.example.org}
     * @return this
     */
    public DashboardBuilder host(String name) {
        hosts.add(name.toLowerCase(Locale.ROOT));
        return this;
    }

    /**
     * Sets what the page of problems looks at beside the jobs themselves: by default all that {@link Checks#all()} has.
     *
     * @param all the checks; each looks every 15 seconds at most, while somebody looks at the page
     * @return this
     */
    public DashboardBuilder checks(List<Check> all) {
        this.checks = List.copyOf(all);
        return this;
    }

    /**
     * Starts to listen.
     *
     * @param host the address, such as {@code 127.0.0.1}, or {@code 0.0.0.0} for all
     * @param port the port; 0 for a free one
     * @return the dashboard, to be closed
     * @throws IllegalStateException when others could reach it and nobody asks them for a password
     * @throws UncheckedIOException when the port is taken, or the address is not this machine's
     */
    public Dashboard listen(String host, int port) {
        InetAddress address = resolved(host);
        if (!address.isLoopbackAddress() && !credentials().areAsked()) {
            throw new IllegalStateException("not listening on " + host
                    + ": anybody who reaches it would see all jobs without a password; give a user or a token");
        }
        if (!address.isAnyLocalAddress()) {
            host(host);
        }
        boolean mayAct = actions == null ? address.isLoopbackAddress() : actions;
        return Dashboard.start(this, new InetSocketAddress(address, port), new DashboardHandler(this, mayAct));
    }

    /**
     * Makes a handler for a server of your own, to be put at the base path. It does not ask who may see it unless a user or a
     * token was given, and allows changes only if {@link #actions} says so.
     *
     * @return the handler, to be closed
     */
    public DashboardHandler handler() {
        return new DashboardHandler(this, actions != null && actions);
    }

    /** For tests: the clock that measures how long an address has to wait. */
    DashboardBuilder nanoTime(LongSupplier source) {
        this.nanoTime = source;
        return this;
    }

    /** For tests: how long the head of a request may take to arrive, and how long its body. Default: 10 s. */
    DashboardBuilder longestRead(Duration duration) {
        this.longestRead = duration;
        return this;
    }

    Duration longestRead() {
        return longestRead;
    }

    JobQueue queue() {
        return queue;
    }

    String path() {
        return basePath;
    }

    Guard guard(boolean mayAct) {
        return new Guard(Set.copyOf(hosts), credentials(), new FailedLogins(nanoTime), mayAct);
    }

    boolean hasApi() {
        return api;
    }

    private Credentials credentials() {
        return Credentials.of(user, password, tokens, readerTokens);
    }

    List<Check> checks() {
        return checks;
    }

    private static InetAddress resolved(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new UncheckedIOException("no such address: " + host, e);
        }
    }

    private static void requireText(Secret secret, String what) {
        if (secret.reveal().isEmpty()) {
            throw new IllegalArgumentException("the " + what + " of the dashboard is empty");
        }
    }
}

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
     * Serves the pages below a path, such as behind a proxy that passes on the whole path.
     *
     * @param path such as {@code /admin/jobs}; default none
     * @return this
     * @throws IllegalArgumentException when the path does not begin with a slash, or has characters that need escaping
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
     * Requires a user name and password (HTTP Basic). Put a proxy that speaks TLS in front of the dashboard unless the network is
     * your own. An address that sent five wrong passwords or tokens in a row has to wait between tries, from a second up to a
     * minute.
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
     * Accepts clients that send the token (HTTP Bearer), such as programs and proxies. A {@link #user} may be set as well. Call
     * this method again for more tokens, so that each client has its own.
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
     * Accepts clients that send the token (HTTP Bearer), but lets them change nothing. Call this method again for more tokens.
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
     * Also serves the HTTP API for programs, below {@code /api/v1/}; {@code /api/v1/openapi.yaml} describes it. Default: off.
     *
     * @return this
     */
    public DashboardBuilder api() {
        this.api = true;
        return this;
    }

    /**
     * Sets whether people may change anything: retry, cancel, remove, pause, ... Default: yes on a loopback address, else no.
     *
     * @param allowed whether they may
     * @return this
     */
    public DashboardBuilder actions(boolean allowed) {
        this.actions = allowed;
        return this;
    }

    /**
     * Adds a host name by which browsers reach the dashboard. Requests that name another host are refused, except for localhost
     * and numeric addresses. Otherwise foreign pages could reach this server (DNS rebinding).
     *
     * @param name such as {@code jobs.example.org}
     * @return this
     */
    public DashboardBuilder host(String name) {
        hosts.add(name.toLowerCase(Locale.ROOT));
        return this;
    }

    /**
     * Sets the checks that the page of problems makes beside those of the jobs themselves. Default: {@link Checks#all()}.
     *
     * @param all the checks; each is made every 15 seconds at most, and only while a page is shown
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
     * @throws IllegalStateException when the address is not a loopback address, and neither a user nor a token was given
     * @throws UncheckedIOException when the port is taken, or the address is unknown or not this machine's
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
     * Creates a handler for a server of your own, to be registered at the base path. The handler requires no login unless a user
     * or a token was given. It allows changes only if {@link #actions} says so.
     *
     * @return the handler, to be closed
     */
    public DashboardHandler handler() {
        return new DashboardHandler(this, actions != null && actions);
    }

    /** For tests: sets the clock that measures how long an address has to wait. */
    DashboardBuilder nanoTime(LongSupplier source) {
        this.nanoTime = source;
        return this;
    }

    /** For tests: sets how long the head of a request may take to arrive, and how long its body. Default: 10 s. */
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

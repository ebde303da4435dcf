package io.couchjobs.dashboard;

import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests are served. Thread-safe.
 *
 * <p>A page of another site can make a browser send requests to this server. Such a page cannot read answers: its host name is
 * unknown here, whatever address the name resolves to. It cannot change anything either: the header {@value #HEADER} needs a
 * preflight request, which is always refused. A change by the HTTP API needs a bearer token or JSON; such a page can send
 * neither. API requests and changes are also refused when the browser says that they come from another site.
 */
final class Guard {
    /** The header that every change must carry. */
    static final String HEADER = "X-Couchjobs-Dashboard";

    private static final Pattern NUMBER = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.]+]");
    private static final Pattern PORT = Pattern.compile(":\\d*$");

    private final Set<String> hosts;
    private final Credentials credentials;
    private final FailedLogins failedLogins;
    private final boolean mayAct;

    Guard(Set<String> hosts, Credentials credentials, FailedLogins failedLogins, boolean mayAct) {
        this.hosts = hosts;
        this.credentials = credentials;
        this.failedLogins = failedLogins;
        this.mayAct = mayAct;
    }

    /** {@return whether the client may change something} */
    boolean mayAct(Call call) {
        return mayAct && mayChange(call);
    }

    private boolean mayChange(Call call) {
        return credentials.allowChanges(call.header("Authorization").orElse(""));
    }

    /** Throws a {@link Refusal} unless the request may be served. */
    void check(Call call) {
        String host = call.header("Host").orElse("");
        if (!isKnown(host)) {
            throw new Refusal(
                    421, "this dashboard is not reached by the name " + host + "; it has to be told its hosts");
        }
        checkLogin(call);
        if (!call.isRead()) {
            checkChange(call, host);
        } else if (call.isApi() && !isOwn(call.header("Sec-Fetch-Site").orElse("none"))) {
            throw new Refusal(403, "a page of another site asks");
        }
    }

    /** Does not count a request without credentials as a failed login: browsers ask without a password first. */
    private void checkLogin(Call call) {
        if (!credentials.areAsked()) {
            return;
        }
        Optional<String> given = call.header("Authorization");
        FailedLogins.Verdict verdict = given.isEmpty()
                ? new FailedLogins.Verdict(false, Duration.ZERO)
                : failedLogins.letIn(call.remoteAddress(), () -> credentials.rights(given.get()));
        if (!verdict.left().isZero()) {
            long seconds = verdict.left().plusNanos(999_999_999).toSeconds();
            call.setHeader("Retry-After", Long.toString(seconds));
            throw new Refusal(
                    429, "too many wrong passwords or tokens from your address; try again in " + seconds + " s");
        }
        if (!verdict.isLetIn()) {
            call.setHeader("WWW-Authenticate", "Basic realm=\"couchjobs\", charset=\"UTF-8\"");
            throw new Refusal(401, "who are you?");
        }
    }

    private void checkChange(Call call, String host) {
        if (!call.is("POST")) {
            call.setHeader("Allow", "GET, HEAD, POST");
            throw new Refusal(405, "only GET and POST are known here");
        }
        boolean isJson = isJson(call.header("Content-Type").orElse(""));
        if (call.isFromProgram() && !isJson && !hasToken(call)) {
            throw new Refusal(415, "a change needs the header Content-Type: application/json");
        } else if ((!call.isFromProgram() && (call.header(HEADER).isEmpty() || !isJson))
                || !isOwn(call.header("Sec-Fetch-Site").orElse("none"))
                || !isSameHost(call.header("Origin").orElse(null), host)) {
            throw new Refusal(403, "changes are made from the dashboard's own pages only");
        } else if (!mayAct) {
            throw new Refusal(403, "this dashboard is read-only");
        } else if (!mayChange(call)) {
            throw new Refusal(403, "this token may only read");
        }
    }

    private static boolean hasToken(Call call) {
        return Credentials.isToken(call.header("Authorization").orElse(""));
    }

    /** Ignores the case of the media type (RFC 9110, 8.3.1). */
    private static boolean isJson(String contentType) {
        return contentType.toLowerCase(Locale.ROOT).startsWith("application/json");
    }

    private static boolean isOwn(String site) {
        return site.equals("same-origin") || site.equals("none");
    }

    /** Ignores the scheme, because a proxy may speak TLS. */
    private static boolean isSameHost(@Nullable String origin, String host) {
        if (origin == null) {
            return true;
        }
        try {
            return host.equalsIgnoreCase(URI.create(origin).getRawAuthority());
        } catch (IllegalArgumentException noUrl) {
            return false;
        }
    }

    private boolean isKnown(String header) {
        String host = PORT.matcher(header).replaceFirst("").toLowerCase(Locale.ROOT);
        return host.equals("localhost")
                || host.endsWith(".localhost")
                || hosts.contains(host)
                || NUMBER.matcher(host).matches();
    }
}

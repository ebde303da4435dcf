package io.couchjobs.dashboard;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slows down clients that guess passwords or tokens. After {@value #FREE} wrong tries in a row, an address has to wait a second.
 * Each further wrong try doubles the wait, up to a minute. Credentials that arrive during the wait are not checked. Credentials
 * that allow changes clear the count, and so does a quarter of an hour without a wrong try. A read-only token does not: otherwise
 * its owner could guess the password without waiting. At most {@value #MOST} addresses are remembered; those that were silent
 * longest are forgotten first. Thread-safe.
 */
final class FailedLogins {
    static final int FREE = 5;
    static final int MOST = 10_000;

    private static final Logger log = LoggerFactory.getLogger(FailedLogins.class);
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Duration FORGIVEN = Duration.ofMinutes(15);
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
    /** The bytes of an IPv6 address that count: a client usually has all 2^64 addresses of its network. */
    private static final int NETWORK_BYTES = 8;

    private final LongSupplier nanoTime;
    private final Map<String, Failures> failures = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
            return size() > MOST;
        }
    };

    private @Nullable Long warnedNanos;

    FailedLogins(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The outcome of a login: let in, refused, or not checked because there is time left to wait. */
    record Verdict(boolean isLetIn, Duration left) {}

    /** The number of wrong tries of an address in a row, and the time of the last one. */
    private record Failures(int count, long nanos) {
        Duration pause() {
            if (count < FREE) {
                return Duration.ZERO;
            }
            Duration pause = FIRST.multipliedBy(1L << Math.min(count - FREE, 16));
            return pause.compareTo(LONGEST) < 0 ? pause : LONGEST;
        }
    }

    /**
     * Checks the credentials that an address sent, unless the address has to wait. One lock covers the whole check, so that
     * guesses sent at the same time are counted one by one.
     */
    synchronized Verdict letIn(String address, Supplier<Credentials.Rights> rights) {
        String from = network(address);
        long now = nanoTime.getAsLong();
        Failures before = known(from, now);
        Duration left = before.pause().minusNanos(now - before.nanos());
        if (left.compareTo(Duration.ZERO) > 0) {
            return new Verdict(false, left);
        }
        return switch (rights.get()) {
            case CHANGE -> {
                failures.remove(from);
                yield new Verdict(true, Duration.ZERO);
            }
            case READ -> new Verdict(true, Duration.ZERO);
            case NONE -> refused(from, before, now);
        };
    }

    private Verdict refused(String from, Failures before, long now) {
        failures.put(from, new Failures(before.count() + 1, now));
        if (before.count() + 1 == FREE) {
            warn(from, now);
        }
        return new Verdict(false, Duration.ZERO);
    }

    synchronized int size() {
        return failures.size();
    }

    /** Warns once a minute at most, so that many addresses cannot fill the log. */
    private void warn(String from, long now) {
        if (warnedNanos == null || now - warnedNanos > LONGEST.toNanos()) {
            warnedNanos = now;
            log.warn(
                    "{} gave {} wrong passwords or tokens in a row; from now on it has to wait between its tries",
                    from,
                    FREE);
        }
    }

    private Failures known(String from, long now) {
        @Nullable Failures known = failures.get(from);
        return known == null || now - known.nanos() > FORGIVEN.toNanos() ? new Failures(0, now) : known;
    }

    /**
     * Returns the network of an IPv6 address; any other address as it is. Asks no name server, because only numeric addresses are
     * parsed.
     */
    private static String network(String address) {
        String plain = address.replaceFirst("%.*$", "");
        if (!IPV6.matcher(plain).matches()) {
            return plain;
        }
        try {
            byte[] bytes = InetAddress.getByName(plain).getAddress();
            if (bytes.length > NETWORK_BYTES) {
                Arrays.fill(bytes, NETWORK_BYTES, bytes.length, (byte) 0);
            }
            return InetAddress.getByAddress(bytes).getHostAddress();
        } catch (UnknownHostException noAddress) {
            return plain;
        }
    }
}

package io.couchjobs.dashboard;

import io.couchjobs.couch.config.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The {@code Authorization} headers that are accepted. Immutable and thread-safe. */
final class Credentials {
    /** The rights that an {@code Authorization} header gives. */
    enum Rights {
        NONE,
        READ,
        CHANGE
    }

    private final List<Secret> headers;
    private final List<Secret> readers;

    private Credentials(List<Secret> headers, List<Secret> readers) {
        this.headers = headers;
        this.readers = readers;
    }

    /** Accepts a user with a password, and tokens. Reader tokens are accepted, too, but allow no changes. */
    static Credentials of(
            @Nullable String user, @Nullable Secret password, List<Secret> tokens, List<Secret> readerTokens) {
        List<Secret> headers = new ArrayList<>();
        if (user != null && password != null) {
            byte[] pair = (user + ":" + password.reveal()).getBytes(StandardCharsets.UTF_8);
            headers.add(Secret.of("basic " + Base64.getEncoder().encodeToString(pair)));
        }
        headers.addAll(bearers(tokens));
        return new Credentials(List.copyOf(headers), bearers(readerTokens));
    }

    private static List<Secret> bearers(List<Secret> tokens) {
        return tokens.stream()
                .map(token -> Secret.of("bearer " + token.reveal()))
                .toList();
    }

    boolean areAsked() {
        return !headers.isEmpty() || !readers.isEmpty();
    }

    Rights rights(String header) {
        String canonical = canonical(header);
        boolean mayChange = isAmong(headers, canonical);
        boolean mayRead = isAmong(readers, canonical);
        return mayChange ? Rights.CHANGE : mayRead ? Rights.READ : Rights.NONE;
    }

    boolean allowChanges(String header) {
        return !areAsked() || rights(header) == Rights.CHANGE;
    }

    static boolean isToken(String header) {
        return canonical(header).startsWith("bearer ");
    }

    /** Lower-cases the scheme, which is case-insensitive (RFC 9110, 11.1). */
    private static String canonical(String header) {
        int space = Math.max(0, header.indexOf(' '));
        return header.substring(0, space).toLowerCase(Locale.ROOT) + header.substring(space);
    }

    /** Compares in constant time: a nearly correct password takes as long as any other. */
    private static boolean isAmong(List<Secret> secrets, String header) {
        byte[] given = header.getBytes(StandardCharsets.UTF_8);
        boolean found = false;
        for (Secret wanted : secrets) {
            found |= MessageDigest.isEqual(wanted.reveal().getBytes(StandardCharsets.UTF_8), given);
        }
        return found;
    }
}

package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.CouchStore;
import io.couchjobs.embedded.store.Doc;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The users that may log in: the configured administrators, and the users with a document in {@code _users}. Without
 * administrators, every client is one. Thread-safe.
 */
public final class Accounts {
    static final String USERS = "_users";

    private static final String COOKIE = "AuthSession=";

    private final Map<String, String> admins;
    private final CouchStore store;
    private final Map<String, User> sessions = new ConcurrentHashMap<>();

    public Accounts(Map<String, String> admins, CouchStore store) {
        this.store = store;
        this.admins = Map.copyOf(admins);
    }

    User of(Call call) {
        if (admins.isEmpty()) {
            return User.ANYBODY;
        }
        Optional<String> basic = call.header("Authorization").filter(value -> value.startsWith("Basic "));
        if (basic.isPresent()) {
            return basic(basic.get().substring("Basic ".length()));
        }
        return cookie(call).map(sessions::get).orElse(User.NOBODY);
    }

    private User basic(String encoded) {
        String pair;
        try {
            pair = new String(Base64.getDecoder().decode(encoded.strip()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw wrong();
        }
        int colon = pair.indexOf(':');
        if (colon < 0) {
            throw wrong();
        }
        return check(pair.substring(0, colon), pair.substring(colon + 1));
    }

    private User check(String name, String password) {
        String known = admins.get(name);
        if (known == null) {
            return stored(name, password);
        }
        byte[] expected = known.getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(expected, password.getBytes(StandardCharsets.UTF_8))) {
            throw wrong();
        }
        return new User(name, List.of(User.ADMIN));
    }

    private User stored(String name, String password) {
        ObjectNode user = store.find(USERS)
                .flatMap(users -> users.live("org.couchdb.user:" + name))
                .map(Doc::body)
                .filter(body -> Passwords.matches(body, password))
                .orElseThrow(Accounts::wrong);
        List<String> roles = new ArrayList<>();
        user.path("roles").forEach(role -> roles.add(role.asText()));
        roles.remove(User.ADMIN);
        return new User(name, roles);
    }

    private static CouchError wrong() {
        return CouchError.unauthorized("Name or password is incorrect.");
    }

    /** Starts a session and returns its user. Sets the session cookie on the call. */
    User logIn(Call call, String name, String password) {
        User user = admins.isEmpty() ? new User(name, List.of(User.ADMIN)) : check(name, password);
        String token = UUID.randomUUID().toString();
        sessions.put(token, user);
        call.setHeader("Set-Cookie", COOKIE + token + "; Version=1; Max-Age=600; Path=/; HttpOnly");
        return user;
    }

    void logOut(Call call) {
        cookie(call).ifPresent(sessions::remove);
        call.setHeader("Set-Cookie", COOKIE + "; Version=1; Max-Age=0; Path=/; HttpOnly");
    }

    private static Optional<String> cookie(Call call) {
        return call.header("Cookie").stream()
                .flatMap(header -> Arrays.stream(header.split(";")))
                .map(String::strip)
                .filter(pair -> pair.startsWith(COOKIE))
                .map(pair -> pair.substring(COOKIE.length()))
                .findFirst();
    }
}

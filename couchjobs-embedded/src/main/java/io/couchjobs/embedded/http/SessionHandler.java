package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Json;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Handles {@code /_session}: logging in and out by cookie. */
final class SessionHandler {
    private final Accounts accounts;

    SessionHandler(Accounts accounts) {
        this.accounts = accounts;
    }

    void register(Map<String, Handler> handlers) {
        handlers.put("_session", this::handle);
    }

    private void handle(Call call, User user) {
        call.allow("GET", "HEAD", "POST", "DELETE");
        switch (call.method()) {
            case "POST" -> logIn(call);
            case "DELETE" -> {
                accounts.logOut(call);
                call.answer(200, Json.object().put("ok", true));
            }
            default -> call.answer(200, session(user));
        }
    }

    private void logIn(Call call) {
        boolean form = call.header("Content-Type").orElse("").startsWith("application/x-www-form-urlencoded");
        JsonNode given;
        if (form) {
            ObjectNode fields = Json.object();
            Uris.query(new String(call.body(), StandardCharsets.UTF_8)).forEach(fields::put);
            given = fields;
        } else {
            given = call.jsonObject();
        }
        String name = given.path("name").asText(given.path("username").asText());
        User user = accounts.logIn(call, name, given.path("password").asText());
        ObjectNode answer = Json.object().put("ok", true);
        answer.setAll(user.context(null));
        call.answer(200, answer);
    }

    private static ObjectNode session(User user) {
        ObjectNode session = Json.object().put("ok", true);
        session.set("userCtx", user.context(null));
        ObjectNode info = session.putObject("info");
        info.putArray("authentication_handlers").add("cookie").add("default");
        if (user.name() != null) {
            info.put("authenticated", "default");
        }
        return session;
    }
}

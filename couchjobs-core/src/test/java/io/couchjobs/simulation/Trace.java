package io.couchjobs.simulation;

import java.nio.charset.StandardCharsets;

/** Notes every request whose address or body contains a text, such as the id of a job, and what came back. */
record Trace(Journal journal, String text) implements Watcher {
    private static final int MOST = 700;

    @Override
    public void sending(Exchange exchange) {
        if (isMeant(exchange)) {
            journal.note(exchange.process().toString(), "asks node " + exchange.node() + ": " + shown(exchange));
        }
    }

    @Override
    public void answered(Exchange exchange, Answer answer) {
        if (isMeant(exchange)) {
            journal.note(exchange.process().toString(), "hears " + answer.status() + " " + cut(answer.body()));
        }
    }

    private boolean isMeant(Exchange exchange) {
        return shown(exchange).contains(text);
    }

    private static String shown(Exchange exchange) {
        String body = new String(exchange.request().body(), StandardCharsets.UTF_8);
        return exchange.request().method() + " " + exchange.request().uri() + " " + cut(body);
    }

    private static String cut(String long_) {
        return long_.length() > MOST ? long_.substring(0, MOST) : long_;
    }
}

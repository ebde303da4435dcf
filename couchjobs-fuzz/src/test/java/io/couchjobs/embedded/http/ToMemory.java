package io.couchjobs.embedded.http;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.Map;

/** An exchange of which both sides are in memory. */
public final class ToMemory extends DetachedExchange {
    private final ByteArrayOutputStream answer = new ByteArrayOutputStream();

    /** A request whose target is a path with its query. */
    public ToMemory(String method, URI target, Map<String, String> headers, byte[] body) {
        super(new InProcess.Request(method, target, headers, body.clone()));
    }

    /** {@return what was answered} */
    public byte[] answer() {
        return answer.toByteArray();
    }

    @Override
    public OutputStream getResponseBody() {
        return answer;
    }

    @Override
    public void close() {}
}

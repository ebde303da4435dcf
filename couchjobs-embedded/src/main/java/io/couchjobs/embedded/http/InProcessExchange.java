package io.couchjobs.embedded.http;

import java.io.IOException;
import java.io.OutputStream;

/** An exchange within the process. The body of the answer goes into a pipe, and a callback runs when the head is set. */
final class InProcessExchange extends DetachedExchange {
    private final Runnable onHead;
    private final Pipe answer;

    InProcessExchange(InProcess.Request request, Pipe answer, Runnable onHead) {
        super(request);
        this.answer = answer;
        this.onHead = onHead;
    }

    @Override
    public void close() {
        answer.end();
    }

    @Override
    public OutputStream getResponseBody() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                answer.put(bytes, from, length);
            }

            @Override
            public void close() {
                answer.end();
            }
        };
    }

    @Override
    public void sendResponseHeaders(int code, long length) {
        super.sendResponseHeaders(code, length);
        onHead.run();
    }
}

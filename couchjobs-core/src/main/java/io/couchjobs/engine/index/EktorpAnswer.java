package io.couchjobs.engine.index;

import io.couchjobs.engine.couch.Answer;
import java.io.FilterInputStream;
import java.io.InputStream;
import org.apache.hc.core5.http.HttpHeaders;
import org.ektorp.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/** An answer of CouchDB in the form that Ektorp expects. */
final class EktorpAnswer implements HttpResponse {

    private final Answer answer;
    private boolean released;

    EktorpAnswer(Answer answer) {
        this.answer = answer;
    }

    /** Ektorp puts this into the messages of its exceptions, before the body. */
    @Override
    public String toString() {
        return answer.call().method() + " " + answer.call().path() + ": " + answer.status();
    }

    @Override
    public boolean isSuccessful() {
        return answer.isSuccess();
    }

    @Override
    public int getCode() {
        return answer.status();
    }

    @Override
    public String getRequestURI() {
        return answer.call().path().toString();
    }

    @Override
    public String getContentType() {
        return answer.header(HttpHeaders.CONTENT_TYPE).orElse("");
    }

    @Override
    public long getContentLength() {
        return answer.header(HttpHeaders.CONTENT_LENGTH).map(Long::parseLong).orElse(-1L);
    }

    @Override
    public InputStream getContent() {
        return new FilterInputStream(answer.read(Answer::limited)) {
            @Override
            public void close() {
                releaseConnection();
            }
        };
    }

    @Override
    public @Nullable String getETag() {
        return answer.header(HttpHeaders.ETAG)
                .map(tag -> tag.replaceAll("^\"|\"$", ""))
                .orElse(null);
    }

    @Override
    public void releaseConnection() {
        if (released) {
            return; // Ektorp may close the content, and then release it
        }
        released = true;
        try (answer) {
            answer.read(Answer::drain);
        }
    }

    @Override
    public void abort() {
        answer.close();
    }
}

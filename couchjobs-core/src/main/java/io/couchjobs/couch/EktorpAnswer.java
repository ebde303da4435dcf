package io.couchjobs.couch;

import java.io.InputStream;
import org.apache.hc.core5.http.HttpHeaders;
import org.ektorp.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/** An answer as Ektorp wants to see it. */
final class EktorpAnswer implements HttpResponse {

    private final Answer answer;

    EktorpAnswer(Answer answer) {
        this.answer = answer;
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
        return Http.read(answer, Answer::body);
    }

    @Override
    public @Nullable String getETag() {
        return answer.header(HttpHeaders.ETAG)
                .map(tag -> tag.replaceAll("^\"|\"$", ""))
                .orElse(null);
    }

    @Override
    public void releaseConnection() {
        Http.read(answer, Answer::drain);
        answer.close();
    }

    @Override
    public void abort() {
        answer.close();
    }
}

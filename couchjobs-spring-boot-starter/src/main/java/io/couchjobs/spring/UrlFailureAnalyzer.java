package io.couchjobs.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains what to do when {@code couchjobs.url} is not the address of a database. */
final class UrlFailureAnalyzer extends AbstractFailureAnalyzer<WrongUrlException> {
    static final String ACTION = "Set couchjobs.url to the address of the database, with its name at the end:"
            + " couchjobs.url=http://HOST:PORT/DATABASE, such as http://127.0.0.1:5984/shop.";

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, WrongUrlException cause) {
        return new FailureAnalysis("The property couchjobs.url " + cause.getMessage() + ".", ACTION, cause);
    }
}

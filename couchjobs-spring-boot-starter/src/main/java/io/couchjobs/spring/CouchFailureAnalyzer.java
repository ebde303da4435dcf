package io.couchjobs.spring;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import io.couchjobs.couch.config.CouchUnreachableException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** Explains what to do when an application does not start because of its database. */
final class CouchFailureAnalyzer extends AbstractFailureAnalyzer<CouchException> {
    private final Environment environment;

    CouchFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, CouchException cause) {
        String where = "the database of couchjobs (couchjobs.url=" + withoutPassword() + ")";
        if (cause instanceof CouchUnreachableException) {
            return analysis(
                    "cannot reach " + where + ": " + cause.reason(),
                    "Start CouchDB, or for development \"couchjobs serve\", or set couchjobs.url.",
                    cause);
        } else if (cause instanceof CouchUnauthorizedException && isOfADesignDocument(cause)) {
            return analysis(
                    where + " lacks design documents of this version, and its user may not store them: "
                            + cause.reason(),
                    "Have an administrator run \"couchjobs init\" of this version once.",
                    cause);
        } else if (cause instanceof CouchUnauthorizedException) {
            return analysis(
                    "the server does not let this application use " + where + ": " + cause.reason(),
                    "Set couchjobs.user and couchjobs.password (or couchjobs.token). An administrator gives a user its role:"
                            + " couchjobs init --create-user worker:NAME.",
                    cause);
        } else if (cause instanceof CouchNotFoundException) {
            return analysis(
                    "there is no " + where.substring("the ".length()) + ": " + cause.reason(),
                    "Create it by \"couchjobs init\", or set couchjobs.create-if-missing=true.",
                    cause);
        }
        return null;
    }

    private static boolean isOfADesignDocument(CouchException refused) {
        return refused.method().equals("PUT") && refused.path().contains("/_design/");
    }

    private static FailureAnalysis analysis(String description, String action, CouchException cause) {
        return new FailureAnalysis(
                Character.toUpperCase(description.charAt(0)) + description.substring(1), action, cause);
    }

    private String withoutPassword() {
        return environment.getProperty("couchjobs.url", "").replaceFirst("//[^/]*@", "//");
    }
}

package io.couchjobs.testing;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.net.URI;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Skips what a cluster does differently, where COUCHJOBS_TEST_URL names a node of one. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(NeedsOneCopy.Condition.class)
public @interface NeedsOneCopy {
    /** How it differs there. */
    String value();

    /** Asks the server once. */
    final class Condition implements ExecutionCondition {
        static final boolean SEVERAL_NODES = areSeveral(System.getenv("COUCHJOBS_TEST_URL"));

        private static boolean areSeveral(String url) {
            if (url == null || url.isBlank()) {
                return false;
            }
            CouchConfig config = CouchConfig.builder(URI.create(url)).build();
            try (CouchServer server = CouchServer.connect(config)) {
                return server.membership().cluster().size() > 1;
            } catch (CouchException noCluster) {
                return false;
            }
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            String reason = AnnotationSupport.findAnnotation(context.getElement(), NeedsOneCopy.class)
                    .map(NeedsOneCopy::value)
                    .orElse("");
            return SEVERAL_NODES
                    ? ConditionEvaluationResult.disabled("on a cluster " + reason)
                    : ConditionEvaluationResult.enabled("one copy");
        }
    }
}

package io.couchjobs.spring;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** Matches when the application has a database for jobs. */
final class OnDatabase extends AnyNestedCondition {
    OnDatabase() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty("couchjobs.url")
    static final class Url {}

    @ConditionalOnBean(CouchjobsConnectionDetails.class)
    static final class Details {}
}

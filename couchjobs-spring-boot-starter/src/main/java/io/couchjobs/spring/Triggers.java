package io.couchjobs.spring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Reads the {@link OnChange} annotation of a method. Thread-safe. */
final class Triggers {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Environment environment;

    Triggers(Environment environment) {
        this.environment = environment;
    }

    /** Returns the trigger of a method that handles the jobs of a type, if the method is annotated. */
    Optional<Trigger> of(Method method, String type) {
        return Optional.ofNullable(AnnotatedElementUtils.findMergedAnnotation(method, OnChange.class))
                .map(change -> trigger(change, method, type));
    }

    private Trigger trigger(OnChange change, Method method, String type) {
        try {
            return described(change, type).build();
        } catch (IllegalArgumentException | MalformedDocumentException wrong) {
            throw new IllegalStateException("@OnChange of " + method + ": " + wrong.getMessage(), wrong);
        }
    }

    private TriggerBuilder described(OnChange change, String type) {
        TriggerBuilder trigger = Trigger.named(change.name())
                .type(type)
                .source(resolved(change.source()))
                .from(resolved(change.from()))
                .deletions(change.deletions())
                .deliver(change.deliver());
        String[] prefixes = Arrays.stream(change.prefixes()).map(this::resolved).toArray(String[]::new);
        if (prefixes.length > 0) {
            trigger.prefixes(prefixes);
        }
        if (change.includeDoc()) {
            trigger.includeDoc();
        }
        ifGiven(change.connection(), trigger::connection);
        ifGiven(change.selector(), selector -> trigger.selector(object("selector", selector)));
        ifGiven(change.data(), data -> trigger.data(object("data", data)));
        ifGiven(change.group(), trigger::group);
        ifGiven(change.debounce(), rest -> trigger.debounce(DurationStyle.detectAndParse(rest)));
        ifGiven(change.writeBack(), trigger::writeBack);
        ifGiven(change.ignoreOwn(), trigger::ignoreOwn);
        return trigger;
    }

    private void ifGiven(String value, Consumer<String> set) {
        Optional.of(resolved(value)).filter(StringUtils::hasText).ifPresent(set);
    }

    private String resolved(String value) {
        return environment.resolveRequiredPlaceholders(value);
    }

    private static ObjectNode object(String attribute, String json) {
        try {
            return JSON.readValue(json, ObjectNode.class);
        } catch (JsonProcessingException wrong) {
            throw new IllegalArgumentException(
                    attribute + " is not a JSON object: " + wrong.getOriginalMessage(), wrong);
        }
    }
}

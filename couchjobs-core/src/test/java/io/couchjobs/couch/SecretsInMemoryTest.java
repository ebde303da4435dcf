package io.couchjobs.couch;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a client that is in use keeps of its credentials: nothing that a search of a heap dump would come upon. */
class SecretsInMemoryTest {
    private static final String CANARY = "canary-51c4";

    @RegisterExtension
    static final WireMockExtension WIRE = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    static Stream<Auth> everyKind() {
        return Stream.of(
                new Auth.Basic("marker", Secret.of(CANARY)),
                new Auth.Session("marker", Secret.of(CANARY)),
                new Auth.Bearer(() -> String.join("-", "canary", "51c4")));
    }

    @ParameterizedTest
    @MethodSource("everyKind")
    void a_client_keeps_no_secret_as_it_is(Auth auth) throws IllegalAccessException {
        WIRE.stubFor(any(anyUrl())
                .willReturn(okJson("{\"_id\":\"x\"}").withHeader("Set-Cookie", "AuthSession=" + CANARY + "-cookie")));
        CouchConfig config = CouchConfig.builder(URI.create(WIRE.baseUrl()))
                .auth(auth)
                .userAgent("marker")
                .build();
        try (CouchServer server = CouchServer.connect(config)) {
            CouchDatabase database = server.database("marker");
            assertThat(database.get("x")).isPresent();
            assertThat(textsIn(database))
                    .anyMatch(text -> text.contains("marker")) // it does look into what is there
                    .noneMatch(text -> text.contains(CANARY))
                    .noneMatch(text -> text.contains(base64("marker:" + CANARY)));
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** All texts that can be reached, as far as fields may be looked at: those of the JDK only where they are known. */
    private static Set<String> textsIn(Object root) throws IllegalAccessException {
        Set<String> texts = new TreeSet<>();
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> open = new ArrayDeque<>();
        open.add(root);
        while (!open.isEmpty()) {
            Object one = open.poll();
            if (one instanceof String || one instanceof URI) {
                texts.add(one.toString());
            } else if (one instanceof byte[] bytes) {
                texts.add(new String(bytes, StandardCharsets.ISO_8859_1));
                texts.add(new String(bytes, StandardCharsets.UTF_16BE));
            } else if (one instanceof char[] characters) {
                texts.add(new String(characters));
            } else if (seen.add(one)) {
                partsOf(one).forEach(open::add);
            }
        }
        return texts;
    }

    private static Collection<Object> partsOf(Object one) throws IllegalAccessException {
        Collection<Object> parts = new ArrayDeque<>();
        if (one instanceof Collection<?> many) {
            many.stream().filter(part -> part != null).forEach(parts::add);
        } else if (one instanceof Map<?, ?> map) {
            map.forEach((key, value) ->
                    Stream.of(key, value).filter(part -> part != null).forEach(parts::add));
        } else if (one instanceof Optional<?> some) {
            some.ifPresent(parts::add);
        } else if (one instanceof AtomicReference<?> reference && reference.get() != null) {
            parts.add(reference.get());
        } else if (one instanceof Object[] array) {
            for (Object part : array) {
                add(parts, part);
            }
        } else {
            addFields(one, parts);
        }
        return parts;
    }

    private static void addFields(Object one, Collection<Object> parts) throws IllegalAccessException {
        for (Class<?> type = one.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                boolean isShared = Modifier.isStatic(field.getModifiers());
                if (!isShared && !field.getType().isPrimitive() && field.trySetAccessible()) {
                    add(parts, field.get(one));
                }
            }
        }
    }

    private static void add(Collection<Object> parts, Object part) {
        if (part != null) {
            parts.add(part);
        }
    }
}

package io.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/** A CouchDB in a container needs no properties. */
class ServiceConnectionTest {
    private static void assertTakesJobs(JobQueue queue) {
        JobId id = queue.add("email", Map.of()).id();
        assertThat(queue.get(id)).isPresent();
        assertThat(queue.database().name()).isEqualTo("couchjobs");
    }

    @Test
    void the_guide_quotes_the_container() throws Exception {
        String guide = Files.readString(Path.of("../docs/spring-boot.md")).replaceAll("\\s", "");
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/spring/ServiceConnectionTest.java"));
        int start = source.indexOf("@Bean\n");
        assertThat(guide)
                .contains(source.substring(start, source.indexOf("}\n", start)).replaceAll("\\s", ""));
    }

    @Nested
    @SpringBootTest(classes = WithDocker.Application.class)
    @EnabledIf(value = "isThere", disabledReason = "no Docker")
    class WithDocker {
        static boolean isThere() {
            return DockerClientFactory.instance().isDockerAvailable();
        }

        @Test
        void the_queue_is_in_the_container(@Autowired JobQueue queue) {
            assertTakesJobs(queue);
        }

        @Configuration(proxyBeanMethods = false)
        @EnableAutoConfiguration
        static class Application {
            @Bean
            @ServiceConnection
            GenericContainer<?> couch() {
                return new GenericContainer<>("couchdb:3.5")
                        .withEnv("COUCHDB_USER", "admin")
                        .withEnv("COUCHDB_PASSWORD", "secret")
                        .withExposedPorts(5984);
            }
        }
    }

    @Nested
    @SpringBootTest(classes = WithoutDocker.Application.class)
    class WithoutDocker {
        @Test
        void the_queue_has_the_address_and_the_user_of_the_container(@Autowired JobQueue queue) {
            assertTakesJobs(queue);
        }

        @Configuration(proxyBeanMethods = false)
        @EnableAutoConfiguration
        static class Application {
            @Bean
            @ServiceConnection("couchdb")
            GenericContainer<?> couch() {
                return new EmbeddedContainer().withEnv("COUCHDB_USER", "admin").withEnv("COUCHDB_PASSWORD", "secret");
            }
        }
    }

    /** Looks like a container, and is the embedded server. */
    private static final class EmbeddedContainer extends GenericContainer<EmbeddedContainer> {
        private EmbeddedCouch couch;

        EmbeddedContainer() {
            super("couchdb:3.5");
        }

        @Override
        public void start() {
            couch = EmbeddedCouch.builder().inMemory().admin("admin", "secret").start();
        }

        @Override
        public void stop() {
            couch.close();
        }

        @Override
        public String getHost() {
            return "127.0.0.1";
        }

        @Override
        public Integer getMappedPort(int port) {
            return couch.port();
        }
    }
}

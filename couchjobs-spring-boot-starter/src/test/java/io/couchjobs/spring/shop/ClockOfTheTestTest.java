package io.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.test.CouchJobsTest;
import io.couchjobs.test.TestQueue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** The configuration of the guide gives an application that has a clock of its own that of the test. */
@CouchJobsTest
@SpringBootTest
class ClockOfTheTestTest {
    @TestConfiguration
    static class Time {
        @Bean
        @Primary
        InstantSource clockOfTheTest(TestQueue jobs) {
            return jobs.clock();
        }
    }

    @TestConfiguration
    static class TimeOfTheApplication {
        @Bean
        InstantSource clock() {
            return InstantSource.system();
        }
    }

    @Test
    void the_application_reads_the_clock_of_the_test(TestQueue jobs, @Autowired InstantSource injected) {
        assertThat(injected).isSameAs(jobs.clock());
    }

    @Test
    void the_guide_quotes_it() throws Exception {
        String guide = Files.readString(Path.of("../docs/spring-boot.md")).replaceAll("\\s", "");
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/spring/shop/ClockOfTheTestTest.java"));
        String example = source.substring(
                source.indexOf("    @TestConfiguration\n"),
                source.indexOf("    @TestConfiguration\n    static class TimeOf"));
        assertThat(guide).contains(example.replaceAll("\\s", ""));
    }
}

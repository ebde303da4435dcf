package io.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.test.CouchJobsTest;
import io.couchjobs.test.TestQueue;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** What the test of the guide rests on. */
@CouchJobsTest
@SpringBootTest
class QueueOfTheTestTest {
    @Test
    void the_application_has_the_queue_of_the_test(TestQueue jobs, JobQueue queue, @Autowired JobQueue injected) {
        assertThat(injected).isSameAs(queue).isSameAs(jobs.queue());
    }

    @Test
    void the_guide_quotes_the_test_with_its_imports() throws Exception {
        String guide = Files.readString(Path.of("../docs/spring-boot.md")).replaceAll("\\s", "");
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/spring/shop/SignUpTest.java"));
        assertThat(guide).contains(source.substring(source.indexOf("import ")).replaceAll("\\s", ""));
    }
}

package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The example of docs/dashboard.md; that it runs is the matter of the other tests. */
class DashboardGuideTest {
    static Dashboard open(JobQueue queue) {
        Dashboard dashboard = Dashboard.of(queue).listen("127.0.0.1", 8080);
        return dashboard;
    }

    @Test
    void the_guide_quotes_this_class() throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/dashboard.md")));
        assertThat(block.find()).isTrue();
        assertThat(Files.readString(Path.of("src/test/java/io/couchjobs/dashboard/DashboardGuideTest.java")))
                .contains(block.group(1));
        assertThat(block.find()).isFalse();
    }
}

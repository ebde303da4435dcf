package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import io.couchjobs.trigger.Trigger;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No page and no answer of the dashboard shows a secret, whether all goes well, the database is gone or nobody is let in. */
@Timeout(120)
class CanaryTest {
    private static final String CANARY = "canary-7d1f";
    private static final String OWN = CANARY + "-dashboard";

    private static final List<String> PATHS = List.of(
            "",
            "jobs",
            "job?type=email&id=1",
            "types",
            "recurring",
            "triggers",
            "trigger?name=mails",
            "workers",
            "problems",
            "no-such-page",
            "assets/app.js",
            "api/overview",
            "api/jobs",
            "api/jobs?type=email&status=waiting",
            "api/count?type=email",
            "api/job?type=email&id=1",
            "api/job?type=email&id=none",
            "api/log?type=email&id=1",
            "api/types",
            "api/recurring",
            "api/triggers",
            "api/trigger?name=mails",
            "api/workers",
            "api/problems",
            "api/bulk",
            "api/none");

    private final List<String> said = new ArrayList<>();

    @Test
    void no_page_and_no_answer_shows_a_secret() throws Exception {
        EmbeddedCouch couch =
                EmbeddedCouch.builder().inMemory().admin("me", CANARY).start();
        URI url = URI.create(couch.url().resolve("/jobs").toString().replace("://", "://me:" + CANARY + "@"));
        try (JobQueue queue = JobQueue.builder(url).open();
                Dashboard dashboard =
                        Dashboard.of(queue).user("you", Secret.of(OWN)).listen("127.0.0.1", 0)) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            queue.triggers()
                    .put(Trigger.named("mails")
                            .source("jobs")
                            .prefixes("order:")
                            .type("mail")
                            .paused()
                            .build());
            Browser browser = new Browser(dashboard.url());
            ask(browser, PATHS, OWN);
            assertThat(said).filteredOn(text -> text.contains("\"email\"")).isNotEmpty();
            couch.close();
            ask(browser, List.of("api/types", "api/job?type=email&id=1", "jobs"), OWN); // each tries for some time
            ask(
                    browser,
                    List.of("", "api/types", "no-such-page"),
                    "wrong"); // at the end: who gives too many is not listened to for a while
        } finally {
            couch.close();
        }
        assertThat(said).extracting(text -> text.split(" ")[0]).contains("200", "401", "404", "502");
        for (String secret : List.of(CANARY, base64("me:" + CANARY), base64("you:" + OWN))) {
            assertThat(said).noneMatch(text -> text.contains(secret));
        }
    }

    private void ask(Browser browser, List<String> paths, String password) throws IOException, InterruptedException {
        String who = "Basic " + base64("you:" + password);
        for (String path : paths) {
            HttpResponse<String> answer = browser.get(path, "Authorization", who);
            said.add(answer.statusCode() + " " + path + " " + answer.headers().map() + answer.body());
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}

package io.couchjobs.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The examples of the guide. */
class TestingGuideTest {
    private static final Pattern IMPORT = Pattern.compile("^import (?:static )?(\\S+);\n", Pattern.MULTILINE);

    /** What the examples test. */
    record SignUp(JobQueue queue, InstantSource clock) {
        void register(String address) {
            queue.add("email", Map.of("to", address, "template", "welcome"));
            queue.add(JobRequest.builder("email")
                    .data(Map.of("to", address, "template", "reminder"))
                    .scheduledTime(clock.instant().plus(Duration.ofDays(3)))
                    .build());
        }
    }

    record Email(String to, String template) {}

    @Nested // The examples of the guide:
    @CouchJobsTest
    class SignUpTest {
        private final List<Email> sent = new ArrayList<>();

        @Test
        void a_new_customer_is_welcomed_now_and_reminded_in_three_days(TestQueue jobs) throws Exception {
            new SignUp(jobs.queue(), jobs.clock()).register("ada@example.org");

            jobs.assertEnqueued("email").times(2);
            jobs.assertEnqueued("email")
                    .withData(new Email("ada@example.org", "welcome"))
                    .dueNow()
                    .once();
            jobs.assertEnqueued("email")
                    .withDataContaining(Map.of("template", "reminder"))
                    .dueIn(Duration.ofDays(3))
                    .once();
            jobs.assertNotEnqueued("letter");

            jobs.handler("email", Email.class, (email, context) -> sent.add(email));
            assertThat(jobs.drain()).extracting(RunReport::outcome).containsExactly(RunReport.Outcome.SUCCEEDED);
            assertThat(jobs.drainAfter(Duration.ofDays(3))).hasSize(1);
            assertThat(sent).extracting(Email::template).containsExactly("welcome", "reminder");
        }

        @Test
        void a_campaign_tells_which_of_its_mails_could_not_be_sent(TestQueue jobs) throws Exception {
            List<Email> mails = List.of(new Email("ada@example.org", "news"), new Email("nobody", "news"));
            jobs.queue().addArray(JobType.of("email", Email.class), "campaign-7", mails);
            jobs.assertArray("email", "campaign-7").withItems(mails);

            jobs.handler("email", Email.class, (email, context) -> {
                if (!email.to().contains("@")) {
                    throw new PermanentJobException("no address");
                }
                return null;
            });
            jobs.drain();
            jobs.assertArray("email", "campaign-7")
                    .withStatus(JobStatus.SUCCESS, 1)
                    .withStatus(JobStatus.FAILED, 1);
        }

        @Test
        void a_mail_that_cannot_be_sent_is_tried_again(TestQueue jobs) throws Exception {
            jobs.queue().add("email", Map.of());
            jobs.handler("email", (data, context) -> {
                if (context.attempt() < 3) {
                    throw new IllegalStateException("no connection");
                }
                return "sent";
            });
            assertThat(jobs.drain()).extracting(RunReport::outcome).containsExactly(RunReport.Outcome.RETRIED);
            assertThat(jobs.drain()).isEmpty();
            assertThat(jobs.drainAfter(Duration.ofSeconds(30))).hasSize(1);
            assertThat(jobs.drainAfter(Duration.ofSeconds(60))).hasSize(1);
            jobs.assertEnqueued("email").withStatus(JobStatus.SUCCESS).once();
        }

        @Test
        void the_shop_stays_open_while_the_database_is_away(TestQueue jobs) {
            SignUp signUp = new SignUp(jobs.queue(), jobs.clock());
            jobs.faults().serverAway();
            assertThatThrownBy(() -> signUp.register("ada@example.org")).isInstanceOf(CouchJobsException.class);
            jobs.faults().serverBack();
            signUp.register("ada@example.org");
        }
    }

    @Nested
    @ExtendWith(CouchExtension.class)
    class WorkersTest {
        @Test
        void a_worker_sends_a_mail(TestDatabase database) throws Exception {
            JobQueueBuilder builder = JobQueue.builder(database.url());
            database.user()
                    .ifPresent(user -> builder.auth(
                            new Auth.Basic(user, Secret.of(database.password().orElseThrow()))));
            try (JobQueue queue = builder.open();
                    Worker worker = queue.worker()
                            .handler("email", Email.class, (email, context) -> "sent to " + email.to())
                            .start()) {
                JobId id = queue.add("email", new Email("ada@example.org", "welcome"))
                        .id();
                assertThat(queue.awaitFinished(id, Duration.ofMinutes(1))).isPresent();
                assertThat(worker.stats().failed()).isZero();
            }
        }
    }

    // Until here.

    @Test
    void the_guide_quotes_them() throws Exception {
        List<String> blocks = blocks();
        assertThat(blocks).isNotEmpty();
        assertThat(blocks).allSatisfy(block -> assertThat(source().replaceAll("\\s", ""))
                .contains(IMPORT.matcher(block).replaceAll("").replaceAll("\\s", "")));
    }

    /** Classes of this package need no import here, but in the guide. */
    @Test
    void the_guide_shows_the_imports_that_its_first_example_needs() throws Exception {
        String block = blocks().get(0);
        String example = IMPORT.matcher(block).replaceAll("");
        Stream<String> others = Stream.of(CouchJobsTest.class, TestQueue.class).map(Class::getName);
        assertThat(imports(block))
                .containsExactlyInAnyOrderElementsOf(Stream.concat(imports(source()).stream(), others)
                        .filter(name -> example.matches("(?s).*\\b" + name.replaceAll(".*\\.", "") + "\\b.*"))
                        .toList());
    }

    private static List<String> imports(String text) {
        return IMPORT.matcher(text).results().map(found -> found.group(1)).toList();
    }

    private static List<String> blocks() throws IOException {
        return Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/testing.md")))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static String source() throws IOException {
        return Files.readString(Path.of("src/test/java/io/couchjobs/test/TestingGuideTest.java"));
    }
}

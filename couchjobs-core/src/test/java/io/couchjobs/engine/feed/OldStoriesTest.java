package io.couchjobs.engine.feed;

import static io.couchjobs.testing.TestQueue.PATIENCE;
import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.FeedProxy.Mode;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the feed tells once more, or too late, misleads nobody. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class OldStoriesTest extends FeedBehindProxy {
    @Test
    void the_same_thing_told_again_and_old_stories_are_no_events() throws Exception {
        Subscription subscription = subscribed("1");
        Subscription witness = subscribed("witness");
        ClaimedJob claimed = direct
                .accept(AcceptOptions.of("email").timeout(PATIENCE).max(2))
                .stream()
                .filter(job -> job.id().id().equals("1"))
                .findFirst()
                .orElseThrow();
        assertThat(next(subscription).phase()).isEqualTo(JobPhase.RUNNING);
        assertThat(next(witness).phase()).isEqualTo(JobPhase.RUNNING);

        for (int n = 0; n < 3; n++) {
            proxy.rewind();
        }
        claimed.update(Map.of("n", 1));
        assertThat(next(subscription).data().orElseThrow().path("n").asInt()).isEqualTo(1);
        proxy.rewind();
        claimed.finish();
        proxy.rewind();

        assertThat(next(subscription).phase()).isEqualTo(JobPhase.FINISHED);
        assertThat(subscription.isClosed()).isTrue();
        proxy.rewind();
        proxy.tellOld(witness.id().docId());
        assertThat(witness.await(Duration.ofSeconds(2))).isEmpty();
    }

    @Test
    void an_old_story_that_is_the_truth_is_believed() throws Exception {
        Subscription subscription = subscribed("1");
        direct.accept(AcceptOptions.of("email").timeout(PATIENCE));
        assertThat(next(subscription).phase()).isEqualTo(JobPhase.RUNNING);
        CouchDatabase database = direct.database();
        String docId = new JobId("email", "1").docId();
        String rev = database.get(docId).orElseThrow().path("_rev").asText();

        // As a server restored from a backup would have it: the same job, with a shorter history.
        assumeThat(purges(database, docId, rev)).as("a server that purges").isTrue();
        direct.add(JobRequest.builder("email").id("1").data(Map.of("n", 1)).build());

        JobChange event = next(subscription);
        assertThat(event.phase()).isEqualTo(JobPhase.PENDING);
        assertThat(event.data().orElseThrow().path("n").asInt()).isEqualTo(1);
        assertThat(Rev.generation(database.get(docId).orElseThrow().path("_rev").asText()))
                .isEqualTo(1);
    }

    @Test
    @NeedsOneCopy("an end is told when a majority has it, which may be after later news")
    void listeners_are_not_told_old_stories_either() throws Exception {
        List<String> told = tellOfAJobThatEnds();
        proxy.rewind();
        direct.remove("email", "1");
        proxy.rewind();
        changeAndHear("last");
        until(() -> told.contains("last PENDING"));

        assertThat(told).containsExactly("1 PENDING", "1 FINISHED", "1 NOT_FOUND", "last PENDING");
    }

    @Test
    void old_stories_of_a_job_are_no_news_when_its_removal_was_found_out_before_the_feed_told_it() throws Exception {
        List<String> told = tellOfAJobThatEnds();
        proxy.mode(Mode.ONLY_BEATS);
        direct.remove("email", "1");
        String docId = new JobId("email", "1").docId();
        proxy.tellOld(docId);
        until(() -> told.size() == 3);
        proxy.tellOld(docId);
        proxy.mode(Mode.PASS);
        changeAndHear("last");
        until(() -> told.contains("last PENDING"));

        assertThat(told).containsExactly("1 PENDING", "1 FINISHED", "1 NOT_FOUND", "last PENDING");
    }

    private List<String> tellOfAJobThatEnds() throws Exception {
        listen(PATIENT);
        List<String> told = new CopyOnWriteArrayList<>();
        follow(watch, change -> told.add(change.id().id() + " " + change.phase()));
        changeAndHear("1");
        until(() -> told.size() == 1);
        direct.cancel("email", "1", CancelMode.IF_QUEUED);
        until(() -> told.size() == 2);
        return told;
    }

    private static boolean purges(CouchDatabase database, String docId, String rev) {
        try {
            database.purge(Map.of(docId, List.of(rev)));
            return database.get(docId).isEmpty();
        } catch (CouchException e) {
            return false;
        }
    }
}

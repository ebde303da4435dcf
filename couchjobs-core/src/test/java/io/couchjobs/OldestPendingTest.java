package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Since when the job of a type that waits for longest could run. */
@ServerTest
class OldestPendingTest extends OpenQueue {
    private Optional<Instant> oldest() {
        return queue.types().counts().get("email").oldestPending();
    }

    @Test
    void it_is_not_the_creation_of_a_job_that_is_scheduled_for_later_or_waits_for_another() throws Exception {
        long anHourAgo = Instant.now().minus(Duration.ofHours(1)).toEpochMilli();
        long tomorrow = Instant.now().plus(Duration.ofDays(1)).toEpochMilli();
        queue.add(JobRequest.builder("other").id("never").data(Map.of()).build());
        queue.database()
                .bulkDocs(Stream.concat(
                                IntStream.range(0, 300)
                                        .mapToObj(number -> "{'_id':'job:email:later" + number
                                                + "','data':{},'scheduledTime':" + tomorrow + ",'times':{'created':"
                                                + anHourAgo + "}}"),
                                Stream.of("{'_id':'job:email:held','data':{},'times':{'created':" + anHourAgo
                                        + "},'after':{'jobs':['other:never'],'onFailure':'run'}}"))
                        .map(Jobs::json)
                        .toList());
        queue.add(JobRequest.builder("email").id("now").data(Map.of()).build());
        assertThat(oldest().orElseThrow()).isCloseTo(Instant.now(), within(5, ChronoUnit.MINUTES));
    }

    @Test
    void a_job_whose_time_came_long_ago_counts_beside_a_new_one_without_a_time() {
        Instant anHourAgo = Instant.now().minus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
        queue.add(JobRequest.builder("email")
                .id("late")
                .scheduledTime(anHourAgo)
                .data(Map.of())
                .build());
        queue.add(JobRequest.builder("email").id("now").data(Map.of()).build());
        assertThat(oldest()).contains(anHourAgo);
    }

    @Test
    void a_job_that_was_retried_given_back_or_let_go_counts_from_then_on() {
        long anHourAgo = Instant.now().minus(Duration.ofHours(1)).toEpochMilli();
        Instant justNow = Instant.now().minusSeconds(10).truncatedTo(ChronoUnit.MILLIS);
        queue.database()
                .bulkDocs(Stream.of("retried", "released", "letGo")
                        .map(moment -> Jobs.json("{'_id':'job:email:" + moment + "','data':{},'times':{'created':"
                                + anHourAgo + ",'" + moment + "':" + justNow.toEpochMilli() + "}}"))
                        .toList());
        assertThat(oldest()).contains(justNow);
    }

    @Test
    void many_that_were_retried_hide_none_that_has_waited_for_longer() {
        long aDayAgo = Instant.now().minus(Duration.ofDays(1)).toEpochMilli();
        Instant anHourAgo = Instant.now().minus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
        queue.database()
                .bulkDocs(Stream.concat(
                                IntStream.range(0, 250)
                                        .mapToObj(number -> "{'_id':'job:email:retried" + number
                                                + "','data':{},'times':{'created':" + aDayAgo + ",'retried':"
                                                + Instant.now().toEpochMilli() + "}}"),
                                Stream.of("{'_id':'job:email:left','data':{},'times':{'created':"
                                        + anHourAgo.toEpochMilli() + "}}"))
                        .map(Jobs::json)
                        .toList());
        assertThat(oldest()).contains(anHourAgo);
    }

    @Test
    void a_job_whose_request_was_changed_while_it_waited_counts_from_its_creation() {
        Instant anHourAgo = Instant.now().minus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
        queue.database()
                .bulkDocs(List.of(
                        Jobs.json("{'_id':'job:email:changed','data':{},'times':{'created':" + anHourAgo.toEpochMilli()
                                + ",'updated':" + Instant.now().toEpochMilli() + "}}")));
        assertThat(oldest()).contains(anHourAgo);
    }

    @Test
    void a_job_that_does_not_say_when_it_was_created_is_due_since_nobody_knows_when() {
        queue.database().bulkDocs(List.of(Jobs.json("{'_id':'job:email:bare','data':{}}")));
        assertThat(oldest()).contains(Instant.EPOCH);
    }

    @Test
    void beside_one_that_does_not_say_it_the_oldest_of_the_others_counts() {
        queue.database().bulkDocs(List.of(Jobs.json("{'_id':'job:email:bare','data':{}}")));
        queue.add(JobRequest.builder("email").id("now").data(Map.of()).build());
        assertThat(oldest().orElseThrow()).isCloseTo(Instant.now(), within(5, ChronoUnit.MINUTES));
    }
}

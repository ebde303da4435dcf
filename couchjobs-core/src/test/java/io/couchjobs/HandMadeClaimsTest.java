package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Progress;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.TestQueue;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandMadeClaimsTest extends FaultyServer {
    @Test
    void a_claim_knows_when_its_lease_is_over_and_an_update_renews_it() throws Exception {
        ClaimedJob claim = claim(Duration.ofSeconds(60));
        assertThat(claim.isLeaseOver()).isFalse();
        queue.types().setTimeout("email", Duration.ofMillis(200));
        TestQueue.until(claim::isLeaseOver);
        claim.update();
        queue.types().setTimeout("email", Duration.ofSeconds(60));
        assertThat(claim.isLeaseOver()).isFalse();
    }

    @Test
    void a_job_that_nobody_took_can_be_finished_after_its_lease() throws Exception {
        ClaimedJob claim = claim(Duration.ofMillis(100));
        TestQueue.until(claim::isLeaseOver);
        claim.assertOwned();
        assertThat(claim.finish().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void after_its_lease_a_claim_does_not_write_on_a_revision_that_readers_do_not_see_any_more() throws Exception {
        ClaimedJob claim = claim(Duration.ofMillis(100));
        String mine = claim.job().rev().orElseThrow();
        rivalsClaimWins(claim.job());
        TestQueue.until(claim::isLeaseOver);
        assertThatThrownBy(() -> claim.update(new Progress(50, "half"))).isInstanceOf(HaltException.class);
        assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class);
        assertThat(leaves()).as("nothing was written").contains("\"_conflicts\":[\"" + mine + "\"]");
    }

    @Test
    void a_finish_whose_answer_was_lost_is_found_in_place_after_the_lease() throws Exception {
        ClaimedJob claim = claim(Duration.ofSeconds(60));
        couch.faults().loseAnswer(1, request -> request.path().endsWith("/_bulk_docs"));
        couch.faults().cut(8, request -> request.path().endsWith("/_bulk_get"));
        assertThatThrownBy(() -> claim.finish("done")).isInstanceOf(CouchException.class);
        couch.faults().clear();
        queue.types().setTimeout("email", Duration.ofMillis(100));
        TestQueue.until(claim::isLeaseOver);
        assertThat(claim.finish("done").status()).isEqualTo(JobStatus.SUCCESS);
    }

    /**
     * The timeout is long until the job is claimed: a claim that is confirmed when its lease is over is none. Nobody finds out
     * whether the owner lives, so nobody takes the job.
     */
    private ClaimedJob claim(Duration timeout) throws Exception {
        couch.faults().cut(1_000_000, request -> request.path().contains("client-"));
        queue.types().setTimeout("email", Duration.ofSeconds(60));
        add("email", "1");
        ClaimedJob claim = queue.accept(AcceptOptions.of("email")).get(0);
        queue.types().setTimeout("email", timeout);
        return claim;
    }

    /** What a cluster does when two nodes take a claim each: here the rival's leaf is the one that readers see. */
    private void rivalsClaimWins(Job mine) throws Exception {
        var document = mine.toDocument();
        ((com.fasterxml.jackson.databind.node.ObjectNode) document.get("lock")).put("token", "rival");
        document.put("_rev", "3-0000000000000000000000000000000a");
        send("POST", "_bulk_docs", "{\"new_edits\":false,\"docs\":[" + document + "]}");
        assertThat(queue.get("email", "1").orElseThrow().isLockedBy("rival")).isTrue();
    }

    private String leaves() throws Exception {
        return send("GET", "job:email:1?conflicts=true", "");
    }

    private String send(String method, String path, String body) throws Exception {
        HttpURLConnection request = (HttpURLConnection)
                URI.create(couch.url() + "jobs/" + path).toURL().openConnection();
        request.setRequestMethod(method);
        request.setRequestProperty("Content-Type", "application/json");
        if (!body.isEmpty()) {
            request.setDoOutput(true);
            request.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        }
        try (InputStream answer = request.getInputStream()) {
            return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

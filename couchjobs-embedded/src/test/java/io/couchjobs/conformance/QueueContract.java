package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The moves of a job queue, made of the requests that the other subjects test one by one. */
abstract class QueueContract {
    private static final String DUE = """
            function (doc) {
              if ((doc.status || 'waiting') === 'waiting') emit([doc.type, doc.scheduledTime || 0], doc._rev);
            }""";

    @Test
    void exactly_one_of_many_claimers_gets_the_job(Db db) {
        for (int round = 0; round < 5; round++) {
            String id = "job" + round;
            String rev = db.save(object().put("_id", id));

            List<CompletableFuture<Integer>> claims = new ArrayList<>();
            for (int n = 0; n < 8; n++) {
                claims.add(db.couch().later(() -> claim(db, id, rev).status()));
            }

            assertThat(claims.stream().map(CompletableFuture::join))
                    .containsOnlyOnce(201)
                    .containsOnly(201, 409);
        }
    }

    @Test
    void exactly_one_of_many_creators_makes_the_job(Db db) {
        List<CompletableFuture<Integer>> creators = new ArrayList<>();
        for (int n = 0; n < 8; n++) {
            ObjectNode job = object().put("n", n);
            creators.add(db.couch().later(() -> db.put("/job", job).status()));
        }

        assertThat(creators.stream().map(CompletableFuture::join))
                .containsOnlyOnce(201)
                .containsOnly(201, 409);
    }

    @Test
    void a_claim_uses_the_revision_of_its_row_and_loses_on_an_old_row(Db db) {
        db.view(DUE);
        db.save("{_id: 'job', type: 'email'}");
        JsonNode row = db.query().rows().get(0);

        assertThat(claim(db, "job", row.path("value").asText()).status()).isEqualTo(201);

        assertThat(claim(db, "job", row.path("value").asText()).errorKind()).isEqualTo("409 conflict");
    }

    @Test
    void a_claimed_job_is_no_longer_due(Db db) {
        db.view(DUE);
        String rev = db.save("{_id: 'job', type: 'email'}");
        assertThat(db.query().ids()).containsExactly("job");

        claim(db, "job", rev).expect(201);

        assertThat(db.query().rows()).isEmpty();
    }

    @Test
    void due_jobs_of_a_type_are_a_range(Db db) {
        db.view(DUE);
        db.post("/_bulk_docs", """
                {docs: [{_id: 'now', type: 'email'}, {_id: 'then', type: 'email', scheduledTime: 1795244400000},
                        {_id: 'later', type: 'email', scheduledTime: 1795244400001}, {_id: 'fax', type: 'fax'},
                        {_id: 'runs', type: 'email', status: 'running'}]}""").expect(201);

        Reply due = db.query("startkey", "[\"email\"]", "endkey", "[\"email\",1795244400000]");

        assertThat(due.ids()).containsExactly("now", "then");
    }

    /** Position first, then the query that finds nothing, then the wait: a job added in between still wakes. */
    @Test
    void a_job_added_between_the_query_and_the_wait_is_not_missed(Db db) throws Exception {
        db.view(DUE);
        String position = db.position();
        assertThat(db.query().rows()).isEmpty();
        db.save("{_id: 'job', type: 'email'}");

        Reply woken = db.getLater("/_changes" + Couch.query("feed", "longpoll", "since", position))
                .get(30, TimeUnit.SECONDS);

        assertThat(woken.ids()).contains("job");
        assertThat(db.query().ids()).containsExactly("job");
    }

    @Test
    void the_view_knows_a_job_as_soon_as_the_feed_has_told_it(Db db) throws Exception {
        db.view(DUE);
        try (Feed feed = db.feed("/_changes?feed=continuous&heartbeat=100")) {
            feed.nextRow();
            for (int n = 0; n < 5; n++) {
                db.save("{_id: 'job%d', type: 'email'}".formatted(n));
                String told = feed.nextRow().path("id").asText();
                assertThat(db.query().ids()).contains(told);
            }
        }
    }

    @Test
    void a_renewed_lease_shows_as_a_new_revision_in_the_feed(Db db) {
        String rev = db.save("{_id: 'job'}");
        String claimed = claim(db, "job", rev).expect(201).rev();
        String position = db.position();

        String renewed = claim(db, "job", claimed).expect(201).rev();

        assertThat(db.changes("since", position).at("/results/0/changes/0/rev").asText())
                .isEqualTo(renewed)
                .isNotEqualTo(claimed);
    }

    @Test
    void a_monitor_recovers_a_job_only_at_the_revision_that_it_watched(Db db) {
        String claimed = claim(db, "job", db.save("{_id: 'job'}")).expect(201).rev();
        String renewed = claim(db, "job", claimed).expect(201).rev();

        assertThat(db.put("/job", "{status: 'waiting', _rev: '%s'}".formatted(claimed))
                        .errorKind())
                .isEqualTo("409 conflict");
        assertThat(db.put("/job", "{status: 'waiting', _rev: '%s'}".formatted(renewed))
                        .status())
                .isEqualTo(201);
    }

    @Test
    void the_owner_of_a_removed_job_cannot_finish_the_one_made_after_it(Db db) {
        String claimed = claim(db, "job", db.save("{_id: 'job'}")).expect(201).rev();
        db.remove("job", claimed);
        assertThat(db.put("/job", "{status: 'success', _rev: '%s'}".formatted(claimed))
                        .errorKind())
                .isEqualTo("409 conflict");

        db.save("{_id: 'job', n: 2}");

        assertThat(db.put("/job", "{status: 'success', _rev: '%s'}".formatted(claimed))
                        .errorKind())
                .isEqualTo("409 conflict");
        assertThat(db.read("job").at("/n").asInt()).isEqualTo(2);
    }

    @Test
    void workers_that_take_windows_of_the_view_run_every_job_once(Db db) {
        db.view(DUE);
        db.fill(1, 60);

        var first = db.couch().later(() -> work(db));
        var second = db.couch().later(() -> work(db));

        List<String> ran = new ArrayList<>(first.join());
        ran.addAll(second.join());
        assertThat(ran).hasSize(60).doesNotHaveDuplicates();
        assertThat(db.query().rows()).isEmpty();
    }

    /** Takes windows until the view is empty; returns the jobs it got. */
    private static Set<String> work(Db db) {
        Set<String> won = new HashSet<>();
        Reply window = db.query("limit", "10");
        for (int round = 0; round < 60 && !window.rows().isEmpty(); round++) {
            ObjectNode batch = object();
            window.rows().forEach(row -> batch.withArray("docs")
                    .add(running(row.path("value").asText())
                            .put("_id", row.path("id").asText())));
            db.post("/_bulk_docs", batch).expect(201).rows().stream()
                    .filter(row -> row.path("ok").asBoolean())
                    .forEach(row -> won.add(row.path("id").asText()));
            window = db.query("limit", "10");
        }
        return won;
    }

    private static Reply claim(Db db, String id, String rev) {
        return db.put("/" + id, running(rev));
    }

    private static ObjectNode running(String rev) {
        return object().put("status", "running")
                .put("token", UUID.randomUUID().toString())
                .put("_rev", rev);
    }
}

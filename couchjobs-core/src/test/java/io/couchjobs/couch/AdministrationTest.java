package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.testing.NeedsOneCopy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("server")
class AdministrationTest {

    @RegisterExtension
    static final TestServer COUCH = new TestServer();

    private final CouchDatabase db =
            COUCH.server() == null ? null : COUCH.server().database("couch-client-" + UUID.randomUUID());

    @BeforeEach
    void create() {
        assertThat(db.exists()).isFalse();
        assertThat(db.createIfMissing()).isTrue();
    }

    @AfterEach
    void delete() {
        if (db.exists()) {
            db.delete();
        }
    }

    @Test
    void a_database_is_created_once_and_deleted_once() {
        assertThat(db.createIfMissing()).isFalse();
        assertThat(db.exists()).isTrue();
        assertThat(COUCH.server().databases()).contains(db.name());

        db.delete();

        assertThat(db.exists()).isFalse();
        assertThatThrownBy(db::delete).isInstanceOf(CouchNotFoundException.class);
    }

    @Test
    void a_database_tells_its_numbers() {
        String rev = ((WriteResult.Stored) db.put(Json.object().put("_id", "a"))).rev();
        db.put(Json.object().put("_id", "b"));
        db.put(Json.object().put("_id", "a").put("_rev", rev).put("_deleted", true));

        DatabaseInfo info = db.info();

        assertThat(info.name()).isEqualTo(db.name());
        assertThat(info.docCount()).isEqualTo(1);
        assertThat(info.deletedDocCount()).isEqualTo(1);
        assertThat(info.updateSeq()).isNotEqualTo("0").isNotEmpty();
        assertThat(info.fileSize()).isPositive();
    }

    @Test
    @NeedsOneCopy("a purge reaches some copies later")
    void purged_leaves_are_gone() {
        String rev = ((WriteResult.Stored) db.put(Json.object().put("_id", "a"))).rev();

        assertThat(db.purge(Map.of("a", List.of(rev)))).isEqualTo(Map.of("a", List.of(rev)));

        assertThat(db.get("a", rev)).isEmpty();
        assertThat(db.info().docCount()).isZero();
    }

    @Test
    void compaction_and_clean_up_can_be_started() {
        db.put(Json.object().put("_id", "_design/d").set("views", Json.object()));

        db.compact();
        db.compactViews("_design/d");
        db.compactViews("d");
        db.cleanUpViews();
    }

    @Test
    void a_server_tells_what_it_is_and_what_time_it_is() {
        assertThat(COUCH.server().info().version()).matches("\\d+\\.\\d+.*");
        assertThat(COUCH.server().clockSkew()).isBetween(Duration.ofSeconds(-2), Duration.ofSeconds(2));
    }

    @Test
    void a_session_of_the_real_server_is_good_for_reading_and_writing() {
        Auth.Basic basic = (Auth.Basic) COUCH.server().config().auth();
        CouchConfig config = COUCH.config()
                .auth(new Auth.Session(basic.user(), basic.password()))
                .build();
        try (CouchServer server = CouchServer.connect(config)) {
            CouchDatabase same = server.database(db.name());

            assertThat(same.put(Json.object().put("_id", "by-session"))).isInstanceOf(WriteResult.Stored.class);
            assertThat(same.get("by-session")).isPresent();
        }
    }

    @Test
    void compressed_bodies_are_understood() {
        CouchConfig config = COUCH.config().gzipAbove(0).build();
        try (CouchServer server = CouchServer.connect(config)) {
            server.info();
            CouchDatabase same = server.database(db.name());

            same.bulkDocs(List.of(Json.object().put("_id", "zipped").put("text", "a".repeat(100_000))));

            assertThat(same.get("zipped").orElseThrow().path("text").asText()).hasSize(100_000);
            assertThat(same.view(ViewQuery.allDocs()).rows()).hasSize(1);
        }
    }
}

package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the overview says of the person who asks. */
@ServerTest
@Timeout(120)
class OverviewTest extends OpenDashboard {
    @Test
    void the_pages_offer_actions_only_to_those_who_may_act() throws Exception {
        DashboardBuilder options =
                Dashboard.of(queue).actions(true).token(Secret.of("shop")).readOnlyToken(Secret.of("monitor"));
        try (Dashboard guarded = options.listen("127.0.0.1", 0)) {
            assertThat(offersActions(guarded, "shop")).isTrue();
            assertThat(offersActions(guarded, "monitor")).isFalse();
        }
        try (Dashboard readOnly = options.actions(false).listen("127.0.0.1", 0)) {
            assertThat(offersActions(readOnly, "shop")).isFalse();
        }
    }

    @Test
    void an_owner_that_is_not_registered_counts_as_a_worker_of_its_type() throws Exception {
        queue.database()
                .put(
                        (ObjectNode)
                                Call.JSON.readTree(
                                        "{\"_id\":\"job:email:1\",\"status\":\"running\",\"scheduledTime\":0,"
                                                + "\"data\":{},\"fence\":1,\"attempt\":1,\"lock\":{\"token\":\"t\",\"worker\":\"python-1\",\"since\":1}}"));
        try (Dashboard dashboard = Dashboard.of(queue).listen("127.0.0.1", 0)) {
            JsonNode types = new Browser(dashboard.url()).json("overview").path("types");
            assertThat(types.get(0).path("workers").asInt()).isEqualTo(1);
        }
    }

    private static boolean offersActions(Dashboard dashboard, String token) throws Exception {
        var overview = new Browser(dashboard.url()).get("api/overview", "Authorization", "Bearer " + token);
        assertThat(overview.statusCode()).isEqualTo(200);
        return Call.JSON.readTree(overview.body()).path("actions").asBoolean();
    }
}

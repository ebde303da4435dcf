package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

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

    private static boolean offersActions(Dashboard dashboard, String token) throws Exception {
        var overview = new Browser(dashboard.url()).get("api/overview", "Authorization", "Bearer " + token);
        assertThat(overview.statusCode()).isEqualTo(200);
        return Call.JSON.readTree(overview.body()).path("actions").asBoolean();
    }
}

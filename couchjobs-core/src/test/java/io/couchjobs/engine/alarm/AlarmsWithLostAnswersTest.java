package io.couchjobs.engine.alarm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.Alarms;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a look has stored is told, though its answer was lost. */
@ServerTest
@Timeout(120)
class AlarmsWithLostAnswersTest extends AlarmedQueue {
    private Proxy proxy;
    private volatile boolean loses;
    private volatile boolean isCut;
    private boolean isViewAway;
    /** What others do between a write and the loss of its answer, once. */
    private volatile @Nullable Runnable interlude;

    @Override
    TestDatabase door(TestDatabase database) {
        proxy = Proxy.before(database.server());
        proxy.detour(new Proxy.Detour() {
            @Override
            public boolean goes(Proxy.Request request) {
                return !isCut;
            }

            @Override
            public boolean returns(Proxy.Request request) {
                Runnable others = interlude;
                if (others != null && request.isWriteOf("stats:alarm:")) {
                    interlude = null;
                    others.run();
                    return false;
                }
                isCut |= loses && request.isWriteOf("stats:alarm:");
                return !isCut;
            }
        });
        return proxy.door(database);
    }

    @Override
    Facts facts() {
        return new Facts(() -> counts, () -> settings, () -> workers, this::conflictsUnlessAway, history.history());
    }

    private List<String> conflictsUnlessAway() {
        if (isViewAway) {
            throw new CouchJobsException("the view is being built");
        }
        return conflicts;
    }

    @Override
    @AfterEach
    void close() {
        super.close();
        proxy.close();
    }

    @Test
    void the_end_of_an_alarm_is_told_though_the_next_look_fails_too() throws Exception {
        AlarmWatch watch =
                alarms().conflicts(0).looks(1).command(List.of("true")).watch();
        conflicts.add("job:a:1");
        look(watch, 1);
        conflicts.clear();
        loses = true;
        look(watch, 1);
        loses = false;
        isCut = false;
        isViewAway = true;
        look(watch, 1);
        isViewAway = false;
        look(watch, 1);

        assertConflictsAreToldToBeOver();
    }

    @Test
    void the_end_of_an_alarm_is_told_though_nothing_tells_that_its_write_was_stored() throws Exception {
        AlarmWatch watch =
                alarms().conflicts(0).looks(1).command(List.of("true")).watch();
        conflicts.add("job:a:1");
        look(watch, 1);
        conflicts.clear();
        interlude = this::changeAndCompact;
        look(watch, 2);

        assertThat(interlude).isNull();
        assertConflictsAreToldToBeOver();
    }

    private void assertConflictsAreToldToBeOver() {
        assertThat(told)
                .filteredOn(alarm -> alarm.rule().equals("conflicts"))
                .extracting(Alarms.Alarm::raised)
                .containsExactly(true, false);
    }

    private void changeAndCompact() {
        ObjectNode present = (ObjectNode) document();
        queue.database().put(present.put("note", "changed by another program"));
        queue.database().compact();
    }
}

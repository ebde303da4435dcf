package io.couchjobs.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which waiting jobs are cancelled at once on a cluster, and which by their next claim. */
class CancelOnClustersTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'status':'waiting'",
                "'status':'waiting','times':{'created':1,'claimed':2}",
                "'status':'stuck','times':{'created':1,'claimed':2,'expired':3,'failed':4}",
                "'status':'waiting','times':{'claimed':4,'expired':3}",
                "'status':'waiting','times':{'created':4,'claimed':2,'released':3}",
                "'status':'waiting','times':{'claimed':2,'expired':3,'retried':4}",
                "'status':'waiting','times':{'claimed':2,'restored':3}",
                "'status':'waiting','times':{'claimed':2,'expired':3},'after':{'jobs':['job:email:2']}",
            })
    void at_once_when_its_last_owner_gave_it_back_or_another_run_was_wanted_since(String fields) {
        assertThat(cancelled(fields).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'status':'waiting','times':{'created':1,'claimed':2,'expired':3}",
                "'status':'waiting','times':{'claimed':2,'released':2}",
                "'status':'waiting','times':{'claimed':4,'released':3,'restored':4}",
                "'status':'waiting','times':{'claimed':2,'expired':3,'updated':4}",
                "'status':'waiting','times':{'claimed':2,'expired':3},'endAs':'failed'",
            })
    void by_its_next_claim_when_others_took_it_from_its_last_owner(String fields) {
        Job next = cancelled(fields);
        assertThat(next.status()).isEqualTo(JobStatus.WAITING);
        assertThat(EndAs.isCancelled(next)).isTrue();
        assertThat(next.fence()).isEqualTo(2);
    }

    /** The clock of the node that took the job may be behind the clock of the node that the owner asked. */
    @ParameterizedTest
    @ValueSource(
            strings = {"'created':1,'claimed':9", "'created':9,'claimed':2", "'created':1,'claimed':2,'retried':9"})
    void by_its_next_claim_when_the_node_that_took_it_had_a_clock_that_was_behind(String times) {
        Job owned = job("'status':'running','lock':{'token':'t','worker':'w'},'times':{'expired':1," + times + "}");
        Instant before = Instant.ofEpochMilli(5);
        List<Decision> taken = List.of(
                ClusterTransitions.expire(owned, OptionalInt.empty(), before),
                ClusterTransitions.release(owned, before),
                restored(owned, "no quorum"),
                restored(owned, "expired"));
        for (Decision each : taken) {
            Job waits = each.write().orElseThrow();
            assertThat(ClusterTransitions.mayHaveEnded(waits))
                    .as("%s", waits.times())
                    .isTrue();
        }
    }

    private static Decision restored(Job owned, String reason) {
        return ClusterTransitions.restore(ClusterTransitions.withdraw(owned, reason, Instant.ofEpochMilli(5))
                .write()
                .orElseThrow());
    }

    private static Job cancelled(String fields) {
        return ClusterTransitions.cancel(job(fields), null, Instant.ofEpochMilli(9))
                .write()
                .orElseThrow();
    }

    private static Job job(String fields) {
        return Job.parse(
                Jobs.json("{'_id':'job:email:1','_rev':'3-a','data':{},'attempt':1,'fence':2," + fields + "}"));
    }
}

package io.couchjobs.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ScanTest {
    private static final Instant NOW = Jobs.NOW;
    private static final int PAGE = 50;

    private final LaneIndex index = new LaneIndex(LaneKey.Order.LINE);
    private final Scan scan = new Scan(LaneKey.Order.LINE);

    @Test
    void jobs_that_are_of_no_use_are_read_once() {
        addUseless(1_000);
        assertThat(look()).isEmpty();
        int reads = index.reads;
        assertThat(reads).isLessThanOrEqualTo(1_000 / (PAGE - 1) + 2);
        assertThat(look()).isEmpty();
        assertThat(index.reads).isEqualTo(reads);
    }

    @Test
    void the_one_of_use_is_found_behind_them() {
        addUseless(1_000);
        index.put(job("useful", 5, true));
        assertThat(look()).contains("useful");
    }

    @Test
    void a_job_that_changes_or_comes_where_all_is_known_is_found_without_reading() {
        addUseless(200);
        assertThat(look()).isEmpty();
        int reads = index.reads;
        for (String id : new String[] {"0", "110", "zzz"}) {
            scan.changed(job(id, 0, true));
            scan.sift(ScanTest::isWanted);
            assertThat(look()).contains(id);
            scan.remove("job:email:" + id);
        }
        scan.changed(job("3", 0, false));
        scan.sift(ScanTest::isWanted);
        assertThat(look()).isEmpty();
        assertThat(index.reads).isEqualTo(reads);
    }

    @Test
    void after_a_doubt_all_is_read_again() {
        addUseless(200);
        assertThat(look()).isEmpty();
        index.put(job("missed", 0, true));
        assertThat(look()).isEmpty();
        scan.doubt();
        assertThat(look()).contains("missed");
    }

    @Test
    void a_job_that_this_process_ended_makes_nothing_be_read_again() {
        addUseless(200);
        assertThat(look()).isEmpty();
        int reads = index.reads;
        scan.unread("job:email:ended-here", false);
        assertThat(look()).isEmpty();
        assertThat(index.reads).isEqualTo(reads);
        index.put(job("new", 0, true));
        scan.unread("job:email:new", true);
        assertThat(look()).contains("new");
    }

    @Test
    void a_gap_while_a_page_is_read_leaves_it_unread() {
        long begun = scan.beginRead();
        JobIndex.Page page = index.page("email", LaneKey.START, PAGE);
        index.put(job("missed", 0, true));
        scan.doubt();
        scan.read(begun, LaneKey.START, page, NOW, page.jobs());
        scan.endRead();
        assertThat(look()).contains("missed");
    }

    @Test
    void a_job_that_was_claimed_while_a_page_is_read_is_not_put_back_by_it() {
        index.put(job("a", 0, true));
        long begun = scan.beginRead();
        JobIndex.Page page = index.page("email", LaneKey.START, PAGE);
        index.jobs.clear();
        scan.changed(Job.parse(Jobs.json(
                "{'_id':'job:email:a','_rev':'2-x','status':'running','lock':{'token':'t','worker':'w','since':1}}")));
        scan.read(begun, LaneKey.START, page, NOW, page.jobs());
        scan.endRead();
        assertThat(look()).isEmpty();
    }

    @Test
    void a_job_is_not_lost_when_the_server_orders_ids_of_the_same_time_otherwise() {
        addUseless(100);
        long begun = scan.beginRead();
        JobIndex.Page page = index.page("email", LaneKey.START, PAGE);
        scan.read(begun, LaneKey.START, page, NOW, List.of());
        scan.endRead();
        String last = page.jobs().get(PAGE - 1).id().id();
        scan.changed(job(last + "5", 0, true)); // the server's order is the other way round: it has been passed
        assertThat(look()).contains(last + "5");
    }

    @Test
    void it_says_when_there_is_something_to_look_at_again() {
        addUseless(200);
        long later = NOW.plusSeconds(60).toEpochMilli();
        index.put(job("later", later, true));
        index.put(job("latest", later + 1, true));
        assertThat(look()).isEmpty();
        assertThat(scan.nextTime(NOW, job -> true)).contains(Instant.ofEpochMilli(later));
        assertThat(look(NOW.plusSeconds(60))).contains("later");
        scan.remove("job:email:later");
        assertThat(scan.nextTime(NOW.plusSeconds(60), job -> true)).contains(Instant.ofEpochMilli(later + 1));
    }

    @Test
    void the_number_of_remembered_jobs_is_bounded() {
        assertThat(look()).isEmpty();
        for (int i = 0; i < 30_000; i++) {
            scan.changed(job("j" + i, i, true));
        }
        assertThat(scan.several(LaneKey.START, LaneKey.END, NOW, job -> false, Integer.MAX_VALUE))
                .hasSizeLessThanOrEqualTo(20_000);
        index.put(job("useful", 5, true));
        assertThat(look()).contains("useful");
    }

    private Optional<String> look() {
        return look(NOW);
    }

    private Optional<String> look(Instant until) {
        while (true) {
            Pool.Found found = scan.first(LaneKey.START, LaneKey.END, until, job -> false);
            if (found.unread() == null) {
                return Optional.ofNullable(found.job()).map(job -> job.id().id());
            }
            long begun = scan.beginRead();
            JobIndex.Page page = index.page("email", found.unread(), PAGE);
            scan.read(
                    begun,
                    found.unread(),
                    page,
                    until,
                    page.jobs().stream().filter(ScanTest::isWanted).toList());
            scan.endRead();
        }
    }

    private void addUseless(int jobs) {
        for (int i = 0; i < jobs; i++) {
            index.put(job(String.valueOf(i), 0, false));
        }
    }

    private static boolean isWanted(Job job) {
        return job.jobClass().isPresent();
    }

    private static Job job(String id, long time, boolean useful) {
        return Job.parse(Jobs.json("{'_id':'job:email:" + id + "','_rev':'1-x','scheduledTime':" + time
                + (useful ? ",'class':'useful'" : "") + "}"));
    }
}

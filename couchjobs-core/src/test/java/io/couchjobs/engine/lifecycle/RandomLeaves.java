package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Leaves as races, partitions, other clients and vandals may leave them. */
final class RandomLeaves {
    private static final String[] VANDALISM = {
        "'status':'nonsense'",
        "'status':'running'",
        "'lock':7",
        "'fence':'x'",
        "'fence':-3",
        "'fence':1e300",
        "'data':[1]",
        "'times':{'finished':'late'}",
        "'resubmit':[]",
        "'resolved':true",
        "'errors':{}",
        "'lock':{'token':'t'}"
    };

    private final Random random;

    RandomLeaves(Random random) {
        this.random = random;
    }

    List<ObjectNode> some() {
        List<ObjectNode> leaves = new ArrayList<>();
        int count = 1 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            leaves.add(leaf(2 + random.nextInt(6), (char) ('a' + random.nextInt(6)) + "" + i));
        }
        return leaves;
    }

    private ObjectNode leaf(int generation, String hash) {
        String rev = generation + "-" + hash;
        List<String> fields = new ArrayList<>(List.of("'_id':'job:email:42'", "'_rev':'" + rev + "'"));
        if (random.nextInt(12) == 0) {
            fields.add(pick(VANDALISM));
        } else if (random.nextInt(6) == 0) {
            fields.add("'_deleted':true");
            if (random.nextInt(3) == 0) {
                fields.add("'resolved':{'at':1,'by':'9-z','why':'x'}");
            }
        } else {
            job(fields);
        }
        if (random.nextInt(5) > 0 && fields.stream().noneMatch(field -> field.startsWith("'fence'"))) {
            // Each claim is a write: there are fewer of them than revisions.
            fields.add("'fence':" + random.nextInt(Math.min(4, generation)));
        }
        if (random.nextInt(4) > 0) {
            fields.add(history(generation, hash));
        }
        return Jobs.json("{" + String.join(",", fields) + "}");
    }

    /** All go back to one trunk, which they left at some time. */
    private String history(int generation, String hash) {
        int parted = random.nextInt(generation);
        List<String> ids = new ArrayList<>(List.of("'" + hash + "'"));
        for (int back = generation - 1; back > 0; back--) {
            ids.add(back > parted ? "'" + hash + back + "'" : "'trunk" + back + "'");
        }
        return "'_revisions':{'start':" + generation + ",'ids':" + ids + "}";
    }

    private void job(List<String> fields) {
        JobStatus status = List.of(JobStatus.values()).get(random.nextInt(7));
        int attempt = random.nextInt(3);
        int expirations = random.nextInt(2);
        fields.add("'status':'" + status.json() + "','attempt':" + attempt + ",'expirations':" + expirations
                + ",'scheduledTime':" + Jobs.past(random.nextInt(3)).toEpochMilli());
        if (status.isLocked()) {
            String withdrawn = random.nextBoolean()
                    ? ",'withdrawn':{'at':" + random.nextInt(9) + ",'reason':'" + pick("no quorum", "expired") + "'}"
                    : "";
            fields.add("'lock':{'token':'" + pick("t1", "t2", "t3") + "','worker':'" + pick("w1", "w2") + "'"
                    + withdrawn + "}");
        }
        if (status.isLocked() && random.nextInt(3) == 0) {
            fields.add("'cancelRequested':true");
        }
        if (status.isLocked() && random.nextInt(3) == 0) {
            fields.add("'resubmit':{'scheduledTime':"
                    + Jobs.past(random.nextInt(9)).toEpochMilli() + "}");
        }
        boolean wasClaimed = attempt + expirations > 0
                || status.isLocked()
                || status == JobStatus.SUCCESS
                || status == JobStatus.FAILED;
        fields.add("'times':{'resubmitted':" + random.nextInt(9) + ",'cancelRequested':" + random.nextInt(9)
                + (wasClaimed ? ",'claimed':1" : "") + "}");
    }

    private String pick(String... values) {
        return values[random.nextInt(values.length)];
    }
}

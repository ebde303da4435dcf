package io.couchjobs.engine.index;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * The place of a job in an index by lanes. A group has lanes (stuck, high, low), and a lane has jobs in the order of
 * their times. Immutable.
 *
 * <p>Among jobs of the same time, the server orders ids differently from Java. This order may only decide where to read
 * on.
 */
public record LaneKey(String group, int lane, long time, String docId) implements Comparable<LaneKey> {
    public static final int STUCK = 0;
    public static final int HIGH = 1;
    public static final int LOW = 2;
    private static final int AFTER_LANES = 3;

    /** The key before all jobs. */
    public static final LaneKey START = lane("", STUCK);
    /** The key after all jobs. */
    public static final LaneKey END = lane("", Integer.MAX_VALUE);

    private static final Comparator<LaneKey> ORDER = Comparator.comparing(LaneKey::isEnd)
            .thenComparing(LaneKey::group)
            .thenComparingInt(LaneKey::lane)
            .thenComparingLong(LaneKey::time)
            .thenComparing(LaneKey::docId);

    /** Returns the key before the jobs of a lane. */
    public static LaneKey lane(String group, int lane) {
        return new LaneKey(group, lane, Long.MIN_VALUE, "");
    }

    /** Returns the key after the jobs of a group, before those of the next group. */
    public static LaneKey afterGroup(String group) {
        return lane(group, AFTER_LANES);
    }

    /** Returns the key after the jobs of this key's lane. */
    public LaneKey nextLane() {
        return lane(group, lane + 1);
    }

    /** Returns the key after the jobs of this key's lane and time. */
    public LaneKey nextTime() {
        return new LaneKey(group, lane, time + 1, "");
    }

    public boolean isEnd() {
        return lane == Integer.MAX_VALUE;
    }

    boolean isSameLane(LaneKey other) {
        return group.equals(other.group) && lane == other.lane;
    }

    public boolean isSameTime(LaneKey other) {
        return isSameLane(other) && time == other.time;
    }

    @Override
    public int compareTo(LaneKey other) {
        return ORDER.compare(this, other);
    }

    /** Returns the key from which to read, for a view whose rows are {@code [type, group in hex, lane, time, id]}. */
    List<Object> key(String type) {
        return time == Long.MIN_VALUE ? List.of(type, hex(group), lane) : List.of(type, hex(group), lane, time, docId);
    }

    /** Reads the key of a row. */
    public static LaneKey of(JsonNode key) {
        return new LaneKey(
                name(key.path(1).asText()),
                key.path(2).asInt(),
                key.path(3).asLong(),
                key.path(4).asText());
    }

    private static String name(String hex) {
        StringBuilder name = new StringBuilder();
        for (int at = 0; at < hex.length(); at += 4) {
            name.append((char) Integer.parseInt(hex.substring(at, at + 4), 16));
        }
        return name.toString();
    }

    /** Encodes a name as the map function does. */
    private static String hex(String name) {
        StringBuilder hex = new StringBuilder();
        name.chars().forEach(unit -> hex.append(HexFormat.of().toHexDigits((char) unit)));
        return hex.toString();
    }

    /** The order of an index by lanes. */
    public enum Order {
        /** Group by group: in each group the stuck jobs, then the jobs of high priority, then the others. */
        TURNS("turns") {
            @Override
            public LaneKey of(Job job) {
                int lane = isStuck(job) ? STUCK : job.priority() > Job.DEFAULT_PRIORITY ? HIGH : LOW;
                return spot(job, job.group(), lane);
            }
        },
        /** All groups in one line, the stuck jobs first. */
        LINE("line") {
            @Override
            public LaneKey of(Job job) {
                return spot(job, "", isStuck(job) ? STUCK : STUCK + 1);
            }
        };

        final String view;

        Order(String view) {
            this.view = view;
        }

        /** {@return the design document of the index} */
        public DesignDocument document() {
            return this == TURNS ? DesignDocument.FAIR : DesignDocument.FILTER;
        }

        public abstract LaneKey of(Job job);

        private static boolean isStuck(Job job) {
            return job.status() == JobStatus.STUCK;
        }

        private static LaneKey spot(Job job, String group, int lane) {
            return new LaneKey(
                    group, lane, job.scheduledTime().toEpochMilli(), job.id().docId());
        }
    }
}

package io.couchjobs.cli.doctor;

import java.util.List;

/** Everything that is looked at. */
public final class Checks {
    /** In the order in which they are told. */
    public static final List<Check> ALL = List.of(
            new ServerCheck(),
            new AccessCheck(),
            new GuardCheck(),
            new ClockCheck(),
            new ClusterCheck(),
            new DesignCheck(),
            new IndexCheck(),
            new ConflictCheck(),
            new OwnerCheck(),
            new MalformedCheck(),
            new SchemaCheck(),
            new TimeCheck(),
            new TombstoneCheck());

    private Checks() {}
}

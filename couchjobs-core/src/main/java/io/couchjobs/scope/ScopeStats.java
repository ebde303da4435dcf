package io.couchjobs.scope;

/**
 * The numbers of a scope's jobs. Immutable and thread-safe.
 *
 * <p>All but {@code rejected} is counted by the jobs themselves, so it is right although processes die and start again;
 * jobs that were removed, by hand or by retention, do not count any more. Rejections are counted by each process and
 * written once a second: a process that dies takes its last second with it.
 *
 * @param accepted jobs taken: the sum of the six below {@code rejected}
 * @param rejected submits that got another answer than OK
 * @param queued waiting, for a place, their time or a retry
 * @param running running, or claimed to run next
 * @param finished ended well
 * @param killed stopped while they ran
 * @param crashed failed for good
 * @param cancelled cancelled before they ran
 */
public record ScopeStats(
        long accepted,
        long rejected,
        long queued,
        long running,
        long finished,
        long killed,
        long crashed,
        long cancelled) {}

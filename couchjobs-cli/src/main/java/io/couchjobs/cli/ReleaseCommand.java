package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import picocli.CommandLine.Command;

/** {@code release}: takes jobs from their owners and lets them wait again. */
@Command(
        name = "release",
        description = {
            "Give claimed jobs back: they wait for a worker again, and the one that has them stops without a result.",
            "The interrupted run does not count as an attempt. Exit code 4 when nobody has the job."
        },
        footer = {"  couchjobs release email 42", "  couchjobs release --type email --status running --all --yes"})
final class ReleaseCommand extends JobsCommand {
    @Override
    String act(JobQueue queue, JobId id) {
        boolean waits = queue.operations().release(id.type(), id.id()).status() == JobStatus.WAITING;
        return waits ? "waits for a worker again" : "cancelled, as was asked for before";
    }
}

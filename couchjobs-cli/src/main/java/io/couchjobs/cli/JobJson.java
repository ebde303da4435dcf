package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;

/** A job as programs see it, with the token of its lock: who may use the database can read it there. */
final class JobJson {
    private JobJson() {}

    static ObjectNode of(Job job) {
        ObjectNode json = JobView.of(job);
        job.lock().ifPresent(lock -> ((ObjectNode) json.get("lock")).put("token", lock.token()));
        return json;
    }

    /** {@return a job that is not there any more} */
    static ObjectNode gone(JobId id) {
        return JobView.of(id).put("state", EnumNames.lowerCase(JobPhase.NOT_FOUND));
    }
}

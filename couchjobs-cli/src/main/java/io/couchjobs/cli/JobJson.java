package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;

/** Writes jobs as JSON for programs, with the token of the lock: any user of the database can read the token there. */
final class JobJson {
    private JobJson() {}

    static ObjectNode of(Job job) {
        ObjectNode json = JobView.of(job);
        job.lock().ifPresent(lock -> ((ObjectNode) json.get("lock")).put("token", lock.token()));
        return json;
    }

    /** {@return the JSON of a job that is no longer there} */
    static ObjectNode gone(JobId id) {
        return JobView.of(id).put("state", EnumNames.lowerCase(JobPhase.NOT_FOUND));
    }
}

package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.PretendedUser;

/** A write of a job, by whom, and what it is in words. */
record GuardedStep(String what, String user, ObjectNode document) {
    static GuardedStep of(String what, String user, ObjectNode document) {
        PretendedUser.name(user, document);
        return new GuardedStep(what, user, document);
    }
}

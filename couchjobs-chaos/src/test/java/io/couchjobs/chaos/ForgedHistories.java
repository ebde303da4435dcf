package io.couchjobs.chaos;

import static io.couchjobs.chaos.Forged.claim;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.chaos.Forged.Claim;

/** Histories with one or two jobs. The promises that they break are found by {@link Checker}. */
abstract class ForgedHistories {
    static final String JOB = "job:short:1";
    static final String OTHER = "job:short:2";
    static final Claim FIRST = claim(JOB, 1);
    static final Claim SECOND = claim(JOB, 2);
    /** The owner whose run is the last retry. */
    static final Claim LAST = claim(JOB, 4);

    final Forged forged = new Forged();

    /** Added and run to its end, by an owner who is not followed by another one. */
    Forged ofOneOwner() {
        return forged.made(JOB).run(10, FIRST, "done", 20, "SUCCEEDED").success(FIRST);
    }

    /** The first owner loses its lease at 15, and the second one has the job from 20 on. */
    Forged ofTwoOwners() {
        return forged.made(JOB)
                .run(10, FIRST, What.BEGIN)
                .run(14, FIRST, What.HELD)
                .run(20, SECOND, "done", 30, "SUCCEEDED")
                .success(SECOND);
    }

    /** Three runs failed, and by the failure of the last one the job fails for good. */
    Forged failed(String errors) {
        return failedThrice()
                .run(10, LAST, "failed", 20, "FAILED")
                .document("{'_id': '" + JOB + "', 'status': 'failed', 'fence': 4, 'errors': [" + errors + "]}");
    }

    /** Nobody knows whether these failures were stored. */
    Forged failedThrice() {
        return forged.made(JOB)
                .run(3, claim(JOB, 1), "failed", 5, "HALTED")
                .run(5, claim(JOB, 2), "failed", 7, "HALTED")
                .run(7, claim(JOB, 3), "failed", 9, "HALTED");
    }

    static String error(Claim claim) {
        return "{'attempt': 1, 'at': 1, 'kind': 'failed', 'message': '"
                + Work.Failure.message(claim.token(), claim.fence()) + "'}";
    }

    void assertWell() {
        assertThat(forged.violations()).isEmpty();
    }

    void assertBroken(String promise) {
        assertThat(forged.violations()).hasSize(1).first().asString().startsWith(promise + ":");
    }
}

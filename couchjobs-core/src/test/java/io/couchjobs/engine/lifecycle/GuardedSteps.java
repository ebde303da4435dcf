package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Progress;
import io.couchjobs.testing.Jobs;
import io.couchjobs.type.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What can be done to a job, rightly and wrongly: drawn by lot. Users: peter produces, ann and bob work, nora only reads. */
final class GuardedSteps {
    private static final RetryPolicy POLICY = new RetryPolicy(2, Duration.ofSeconds(30), Duration.ofHours(1));

    private final Random random;
    private final Instant now;
    private final String id;
    private final List<GuardedStep> steps = new ArrayList<>();

    GuardedSteps(Random random, Instant now, String id) {
        this.random = random;
        this.now = now;
        this.id = id;
    }

    /** A step that the state machine knows, by somebody who may take it. */
    GuardedStep legal(@Nullable Job job) {
        steps.clear();
        if (job == null) {
            created(random.nextBoolean() ? "peter" : "ann");
        } else {
            creators(job);
            claims(job);
            job.lock().ifPresent(lock -> owners(job, owner(job)));
            others(job, random.nextBoolean() ? "ann" : "bob");
        }
        return any();
    }

    private void created(String user) {
        JobRequest.Builder request = JobRequest.builder("email").id(id).data(Map.of("n", 1));
        if (random.nextInt(4) == 0) {
            request.after(new JobId("email", "other"));
        }
        ObjectNode document = Transitions.create(request.build(), now).toDocument();
        steps.add(GuardedStep.of("create", user, document.put("mine", "unknown to couchjobs")));
    }

    private void creators(Job job) {
        JobRequest request = JobRequest.builder("email")
                .id(id)
                .data(Map.of("n", random.nextInt()))
                .group("g" + random.nextInt(3))
                .scheduledTime(now.plusSeconds(random.nextInt(9)))
                .build();
        add("add", "peter", Transitions.add(job, request, true, now));
        add("cancel", "peter", Transitions.cancel(job, null, now));
        add("cancel with a reason", "peter", Transitions.cancel(job, "no more wanted", now));
        add("request cancel", "peter", Transitions.requestCancel(job, null, now));
        add("request cancel with a reason", "peter", Transitions.requestCancel(job, "no more wanted", now));
        add("resubmit", "peter", Transitions.resubmit(job, now.plusSeconds(5), Jobs.json("{'n':5}"), now));
        add("retry", "peter", Transitions.retry(job, null, now));
        add("reschedule", "peter", Transitions.reschedule(job, now.plusSeconds(60), now));
        add("prioritize", "peter", Transitions.prioritize(job, random.nextInt(100), now));
        steps.add(GuardedStep.of("note", "peter", job.toDocument().put("mine", random.nextInt())));
    }

    private void claims(Job job) {
        String worker = random.nextBoolean() ? "ann" : "bob";
        String token = UUID.randomUUID().toString();
        Transitions.claim(job, token, worker + "-1", random.nextBoolean(), now)
                .write()
                .map(claimed -> random.nextInt(3) == 0 ? claimed : ClaimSignature.sign(claimed, worker))
                .ifPresent(claimed -> {
                    // Else hardly any job would ever be claimed: there are many more ways to change it.
                    for (int i = 0; i < 8; i++) {
                        steps.add(GuardedStep.of("claim", worker, claimed.toDocument()));
                    }
                });
    }

    private static String owner(Job job) {
        return job.toDocument().at("/lock/user").asText("ann");
    }

    private void owners(Job job, String user) {
        if (job.isWithdrawn()) {
            return;
        }
        JobError error = new JobError(job.attempt(), now, JobError.Kind.FAILED, "boom", null);
        add("start", user, Transitions.start(job, now));
        add("update", user, Transitions.update(job, Jobs.json("{'n':7}"), new Progress(5, "on it"), now));
        add("finish", user, Transitions.finish(job, Jobs.json("{'ok':true}"), null, now));
        add("fail", user, Transitions.fail(job, error, POLICY, false, now));
        add("fail for good", user, Transitions.fail(job, error, POLICY, true, now));
        add("release", user, Transitions.release(job, now));
        add("snooze", user, Transitions.snooze(job, now.plusSeconds(60), now));
        add("acknowledge", user, Transitions.acknowledgeCancel(job, "asked to", now));
        add("resubmit own", user, Transitions.resubmitOwn(job, now.plusSeconds(9), now));
    }

    private void others(Job job, String user) {
        add("expire", user, Transitions.expire(job, OptionalInt.empty(), now));
        add("expire too often", user, Transitions.expire(job, OptionalInt.of(0), now));
        add("expire on a cluster", user, ClusterTransitions.expire(job, OptionalInt.empty(), now));
        add("expire too often on a cluster", user, ClusterTransitions.expire(job, OptionalInt.of(0), now));
        add("withdraw", user, ClusterTransitions.withdraw(job, "no quorum", now));
        add("withdraw after a run", user, ClusterTransitions.withdrawAfterRun(job, now));
        add("restore", user, ClusterTransitions.restore(job));
        if (job.phase() == JobPhase.PENDING) {
            add("cancel at the next claim", user, ClusterTransitions.cancelAtNextClaim(job, "on another leaf", now));
        }
        if (job.isWithdrawn()) {
            ClusterTransitions.restore(job)
                    .write()
                    .ifPresent(back -> add(
                            "restore and cancel at the next claim",
                            user,
                            ClusterTransitions.cancelAtNextClaim(back, "on another leaf", now)));
        }
        add("let go", user, Transitions.letGo(job, After.Verdict.READY, now));
        add("let go cancelled", user, Transitions.letGo(job, After.Verdict.CANCEL, now));
        add("cancel a loser's job", user, Transitions.cancel(job, null, now));
        add("request cancel for a loser", user, Transitions.requestCancel(job, null, now));
        add("resubmit for a loser", user, Transitions.resubmit(job, now.plusSeconds(3), null, now));
        steps.add(GuardedStep.of("keep", user, ClusterTransitions.keep(job, now).toDocument()));
    }

    /** One step that nobody may take so. */
    GuardedStep forged(@Nullable Job job) {
        steps.clear();
        if (job == null) {
            ObjectNode ran = document("'status':'waiting','attempt':3");
            steps.add(GuardedStep.of("create a job that ran", "peter", ran));
            steps.add(GuardedStep.of("create a finished job", "ann", document("'status':'success'")));
            steps.add(GuardedStep.of("create as a reader", "nora", document("'data':{}")));
            return any();
        }
        malformed(job);
        rewritten(job);
        if (job.status().isLocked()) {
            forgedRun(job);
        } else {
            forgedClaim(job);
        }
        return any();
    }

    private ObjectNode document(String fields) {
        return Jobs.json("{'_id':'job:email:" + id + "'," + fields + "}");
    }

    private void malformed(Job job) {
        steps.add(GuardedStep.of("no status", "ann", job.toDocument().put("status", 7)));
        steps.add(GuardedStep.of("no priority", "peter", job.toDocument().put("priority", 100)));
        steps.add(GuardedStep.of("no errors", "root", job.toDocument().put("errors", "none")));
        steps.add(GuardedStep.of("as a reader", "nora", job.toDocument().put("mine", 1)));
        ObjectNode gone = document("'_deleted':true,'writer':'nora'");
        gone.put("_rev", job.rev().orElseThrow());
        steps.add(GuardedStep.of("delete as a reader", "nora", gone));
    }

    /** What belongs to somebody else. */
    private void rewritten(Job job) {
        forge(job, "change the site as a worker", "bob", "'site':'oslo'");
        forge(job, "change the group as a worker", "bob", "'group':'other'");
        forge(job, "change unknown fields as another worker", another(job), "'mine':'theirs'");
        forge(job, "tell a result as a producer", "peter", "'result':{'mine':true}");
        forge(job, "raise the fence as a producer", "peter", "'fence':" + (job.fence() + 50));
        forge(job, "raise the attempt as a producer", "peter", "'attempt':" + (job.attempt() + 1));
        if (!job.status().isLocked() && job.phase() != JobPhase.FINISHED) {
            forge(job, "skip the run as a producer", "peter", "'status':'success'");
            forge(job, "skip the run as a worker", "ann", "'status':'failed'");
        }
    }

    private void forgedClaim(Job job) {
        String lock = "'status':'running','attempt':" + (job.attempt() + 1) + ",'fence':" + Fences.next(job)
                + ",'lock':{'token':'t-" + id + "','worker':'w','since':1";
        forge(job, "claim as a producer", "peter", lock + "}");
        forge(job, "claim for another", "ann", lock + ",'user':'bob'}");
        if (job.phase() == JobPhase.FINISHED) {
            forge(job, "claim a finished job", "ann", lock + "}");
        }
        forge(job, "claim and change data", "ann", lock + "},'data':{'n':'changed'}");
        forge(job, "claim with an old fence", "ann", lock + "},'fence':0");
        forge(job, "claim with no attempt", "ann", lock + "},'attempt':" + job.attempt());
        forge(job, "claim and withdraw", "ann", lock + ",'withdrawn':{'at':1,'reason':'r'}}");
    }

    private void forgedRun(Job job) {
        forge(job, "change the token", owner(job), "'lock':{'token':'mine','worker':'ann-1','since':1}");
        forge(job, "finish as a producer", "peter", "'status':'success','lock':null");
        forge(job, "give back as a producer", "peter", "'status':'waiting','lock':null");
        forge(job, "change data as a producer", "peter", "'data':{'n':'changed'}");
        forge(job, "give back with a fence of the past", owner(job), "'status':'waiting','lock':null,'fence':-1");
        String other = another(job);
        forge(job, "finish another's", other, "'status':'success','lock':null,'result':1");
        forge(job, "change another's data", other, "'data':{'n':'changed'}");
        forge(job, "release another's", other, "'status':'waiting','lock':null,'data':{'n':'changed'}");
        if (job.isWithdrawn()) {
            ObjectNode back = job.toDocument();
            back.withObject("/lock").remove("withdrawn");
            steps.add(GuardedStep.of("take a withdrawal back", owner(job), back));
        }
    }

    /** Somebody who does not own the job; where the lock does not say who does, somebody who owns none. */
    private static String another(Job job) {
        String owner = job.toDocument().at("/lock/user").asText();
        return !job.status().isLocked() || owner.equals("ann") ? "bob" : owner.isEmpty() ? "nora" : "ann";
    }

    private void forge(Job job, String what, String user, String fields) {
        ObjectNode document = job.toDocument();
        document.setAll(Jobs.json("{" + fields + "}"));
        steps.add(GuardedStep.of(what, user, document));
    }

    private void add(String what, String user, Decision decision) {
        decision.write().ifPresent(job -> steps.add(GuardedStep.of(what, user, job.toDocument())));
    }

    private GuardedStep any() {
        return steps.get(random.nextInt(steps.size()));
    }
}

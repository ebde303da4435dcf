package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A leaf as the model in {@code formal/} knows it, and the document that stands for it.
 *
 * @param token the number of its claim; 0 of what is no claim
 * @param expired whether the claim was withdrawn because its lease was over; of others, whether the job became so for that reason
 * @param asked whether somebody asks the owner for another run
 * @param toCancel whether somebody asks the owner to cancel the job
 * @param toEnd whether the next claim cancels the job, or the claim was made for that
 */
public record ModelLeaf(
        Leaf.Kind kind, long fence, int token, boolean expired, boolean asked, boolean toCancel, boolean toEnd) {
    /** As the model numbers the leaves of a document; of equal ones it takes the first. */
    private static final Comparator<ModelLeaf> MODEL_ORDER = Comparator.comparing(ModelLeaf::toEnd)
            .thenComparing(ModelLeaf::toCancel)
            .thenComparing(ModelLeaf::isObituary)
            .thenComparing(ModelLeaf::expired)
            .thenComparing(ModelLeaf::asked)
            .thenComparing(ModelLeaf::token)
            .thenComparing(ModelLeaf::fence)
            .thenComparing(ModelLeaf::kind);

    private static final int GENERATION = 20;

    /** All small ones, in that order. The claims t1 and t2 are of one revision, t3 is a later one. */
    public static List<ModelLeaf> all() {
        List<ModelLeaf> all = new ArrayList<>();
        addAll(all, Leaf.Kind.PENDING, 0, 2, false);
        addAll(all, Leaf.Kind.PENDING, 1, 2, true);
        addAll(all, Leaf.Kind.RETIRED, 1, 2, false);
        addAll(all, Leaf.Kind.ENDED, 1, 2, false);
        addAll(all, Leaf.Kind.ENDED, 1, 2, true);
        addAll(all, Leaf.Kind.REMOVED, 1, 3, false);
        for (int token = 1; token <= 3; token++) {
            int fence = token == 3 ? 2 : 1;
            for (boolean asked : List.of(false, true)) {
                addClaims(all, fence, token, leaf -> asked ? leaf.wanted() : leaf);
            }
        }
        all.sort(MODEL_ORDER);
        return all;
    }

    /** Small ones that have to do with cancellation, and those that they may meet, in that order. */
    public static List<ModelLeaf> ofCancellations() {
        List<ModelLeaf> all = new ArrayList<>();
        addAll(all, Leaf.Kind.PENDING, 1, 2, false);
        addAll(all, Leaf.Kind.PENDING, 1, 1, true);
        all.addAll(all.stream().map(ModelLeaf::ending).toList());
        addAll(all, Leaf.Kind.CANCELLED, 1, 2, false);
        addAll(all, Leaf.Kind.ENDED, 1, 1, false);
        addAll(all, Leaf.Kind.RETIRED, 1, 1, false);
        addAll(all, Leaf.Kind.REMOVED, 2, 2, false);
        addClaims(all, 1, 1, leaf -> leaf);
        addClaims(all, 2, 3, leaf -> leaf);
        addClaims(all, 1, 1, ModelLeaf::cancelling);
        addClaims(all, 2, 3, ModelLeaf::cancelling);
        addClaims(all, 1, 1, leaf -> leaf.cancelling().wanted());
        addClaims(all, 2, 3, ModelLeaf::ending);
        all.sort(MODEL_ORDER);
        return all;
    }

    /** All of both, each of them once. */
    public static List<ModelLeaf> allOfBoth() {
        return Stream.concat(all().stream(), ofCancellations().stream())
                .distinct()
                .sorted(MODEL_ORDER)
                .toList();
    }

    private static void addClaims(List<ModelLeaf> all, int fence, int token, UnaryOperator<ModelLeaf> marks) {
        all.add(marks.apply(plain(Leaf.Kind.OWNED, fence, token, false)));
        all.add(marks.apply(plain(Leaf.Kind.WITHDRAWN, fence, token, false)));
        all.add(marks.apply(plain(Leaf.Kind.WITHDRAWN, fence, token, true)));
    }

    private static ModelLeaf plain(Leaf.Kind kind, long fence, int token, boolean expired) {
        return new ModelLeaf(kind, fence, token, expired, false, false, false);
    }

    private ModelLeaf wanted() {
        return new ModelLeaf(kind, fence, token, expired, true, toCancel, toEnd);
    }

    private ModelLeaf cancelling() {
        return new ModelLeaf(kind, fence, token, expired, asked, true, toEnd);
    }

    private ModelLeaf ending() {
        return new ModelLeaf(kind, fence, token, expired, asked, toCancel, true);
    }

    private static void addAll(List<ModelLeaf> all, Leaf.Kind kind, int from, int to, boolean expired) {
        for (int fence = from; fence <= to; fence++) {
            all.add(plain(kind, fence, 0, expired));
        }
    }

    private boolean isObituary() {
        return expired && token == 0;
    }

    /** Whether it waits for a claim. */
    public boolean waits() {
        return kind == Leaf.Kind.PENDING;
    }

    public static ModelLeaf of(ObjectNode document) {
        Leaf leaf = Leaf.of(document);
        int token =
                leaf.token().map(name -> Integer.parseInt(name.substring(1))).orElse(0);
        return new ModelLeaf(
                leaf.isWithdrawn() ? Leaf.Kind.WITHDRAWN : leaf.kind(),
                leaf.storedFence(),
                token,
                leaf.job()
                        .filter(job -> token == 0 ? job.expirations() > 0 : ClusterTransitions.mayHaveRun(job))
                        .isPresent(),
                leaf.job().filter(Job::isResubmitted).isPresent(),
                leaf.job().filter(Job::isCancelRequested).isPresent(),
                leaf.job().filter(EndAs::isCancelled).isPresent());
    }

    /**
     * The document. All leaves go back to one trunk, which they left with their last revision.
     *
     * @param number its place among the leaves, from 1: of equal ones the first wins, so it has the greatest revision
     */
    public ObjectNode document(int number) {
        ObjectNode document = Jobs.json("{'_id':'job:email:42','fence':" + fence + "," + fields() + "}");
        String hash = "" + (char) ('z' - number);
        document.put("_rev", GENERATION + "-" + hash);
        ArrayNode ids =
                document.putObject("_revisions").put("start", GENERATION).putArray("ids");
        ids.add(hash);
        for (int generation = GENERATION - 1; generation > 0; generation--) {
            ids.add("trunk" + generation);
        }
        return document;
    }

    private String fields() {
        return switch (kind) {
            case RETIRED -> "'_deleted':true,'status':'success','removedBy':'retention'";
            case REMOVED -> "'_deleted':true,'status':'waiting'";
            case ENDED -> expired ? "'status':'failed','attempt':1,'expirations':1" : "'status':'success','attempt':1";
            case CANCELLED -> "'status':'cancelled','attempt':1";
            case PENDING ->
                "'status':'waiting','scheduledTime':1500000000000"
                        + (expired ? ",'attempt':1,'expirations':1" : "")
                        + end();
            case OWNED, WITHDRAWN ->
                "'status':'running','attempt':1,'scheduledTime':1500000000000"
                        + (asked ? ",'resubmit':{'scheduledTime':1500000000007}" : "")
                        + (toCancel ? ",'cancelRequested':true" : "") + end() + ",'lock':{'token':'t" + token
                        + "','worker':'w'" + withdrawal() + "}";
            case RESUBMITTED, MALFORMED -> throw new IllegalStateException("not in the model");
        };
    }

    private String end() {
        return toEnd ? ",'endAs':'cancelled'" : "";
    }

    private String withdrawal() {
        if (kind != Leaf.Kind.WITHDRAWN) {
            return "";
        }
        return ",'withdrawn':{'at':5,'reason':'" + (expired ? "expired" : "no quorum") + "'}";
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT) + " " + fence + (token == 0 ? "" : " t" + token)
                + (expired ? " expired" : "") + (asked ? " asked" : "") + (toCancel ? " cancelRequested" : "")
                + (toEnd ? " endAs" : "");
    }
}

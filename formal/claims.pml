/* The claim protocol of couchjobs on one job document; see README.md. A configuration begins somewhere, and says who takes part. */

#ifdef CONTENDED      /* the job waits; two workers claim it */
#define BEGIN  waits
#define RESOLVERS 1
#endif
#ifdef SIBLINGS       /* both have claimed the same revision: the one was answered 201, and does not know it yet, the other 202 */
#define BEGIN  claimedTwice
#define CLAIMS 3
#define RESOLVERS 1
#endif
#ifdef STORED_LATE    /* the job waits; on one copy its priority was changed, which nobody confirmed. A copy may store a claim when others have answered */
#define BEGIN  changedApart
#define LATE
#define RESOLVERS 1
#endif
#ifdef WITHDRAWN_TWICE   /* both have withdrawn their claims */
#define BEGIN  withdrawnTwice
#define CLAIMS 3
#define RESOLVERS 2
#endif
#ifdef LEASES         /* the first worker owns the job; its lease may run out at any time */
#define BEGIN  owned
#define ENDS
#define MONITOR
#define RESOLVERS 1
#endif
#ifdef READDED        /* and somebody wants the job to be run once more */
#define BEGIN  owned
#define ENDS
#define MONITOR
#define ADDS 1
#define RESOLVERS 1
#endif
#ifdef UPDATED        /* it writes on its claim while somebody wants the job to be run once more */
#define BEGIN  owned
#define ENDS
#define UPDATES 1
#define ADDS 1
#define RESOLVERS 1
#endif
#ifdef TOLD           /* and a subscriber wants to know the end */
#define BEGIN  owned
#define ENDS
#define MONITOR
#define SUBSCRIBER
#define RESOLVERS 1
#endif
#ifdef REMOVED_ONCE   /* the owner has died, one copy has its expiry; somebody removes the job */
#define BEGIN  expired_
#define MONITOR
#define REMOVAL
#define RESOLVERS 1
#endif
#ifdef MET            /* two copies have the owner's end, which was told; one has the expiry of its claim */
#define BEGIN  met
#define MONITOR
#define RESOLVERS 1
#endif
#ifdef RETRIED        /* two copies have the retry of a run that failed; one has the expiry of a claim of the same revision */
#define BEGIN  retriedBeside
#define CLAIMS 3
#define ENDS
#define MONITOR
#define RETRIES
#define RESOLVERS 1
#endif
#ifdef RETAINED       /* and retention deletes it */
#define BEGIN  met
#define MONITOR
#define RETENTION
#define RESOLVERS 1
#endif

#ifdef BURIED         /* two copies have the tombstone of retention, after an end that was told; one has a claim of a dead worker, made of the expiry of the run before */
#define BEGIN  retiredBeside
#define CLAIMS 3
#define MONITOR
#define RESOLVERS 1
#endif
#ifdef REBORN         /* a job that was removed was added again, and its owner may die; one copy has another tombstone of its earlier life */
#define BEGIN  ownedAnew
#define CLAIMS 3
#define ENDS
#define MONITOR
#define RESOLVERS 1
#endif

#ifdef ASKED          /* two copies have an end, which was told; one has a sibling of its claim; retention deletes the job, and somebody wants another run */
#define BEGIN  endedBeside
#define CLAIMS 3
#define RETENTION
#define ADDS 1
#define RESOLVERS 1
#endif

#ifdef STALE          /* two copies have an end, which was told; one has an earlier claim that was withdrawn; somebody wants another run */
#define BEGIN  endedLater
#define CLAIMS 3
#define ADDS 1
#define RESOLVERS 1
#endif

#ifdef FORGOTTEN      /* the same, and the earlier claim was not withdrawn yet: its claimer is slow, or dead */
#define BEGIN  endedSince
#define CLAIMS 3
#define ADDS 1
#define RESOLVERS 1
#endif

#ifdef ENDED_APART    /* two copies have an end, which was told; one has the end of an earlier run, which expired on the others */
#define BEGIN  endedApart
#define CLAIMS 3
#define ADDS 1
#define RESOLVERS 1
#endif

#ifdef KEPT           /* one leaf has a claim that was withdrawn on others: it waits again on two copies, a resolver withdraws it on the third; two resolvers */
#define BEGIN  keptBeside
#define CLAIMS 2
#define RESOLVERS 2
#endif

#ifdef ARRAYS         /* the job is a chunk of an array; two copies have the claim of its owner with the end of an item, which was told; one has the expiry of the claim */
#define BEGIN  checkpointed
#define CLAIMS 2
#define ENDS
#define MONITOR
#define RESOLVERS 1
#endif

#ifdef REVIVED        /* two copies have a claim whose lease is over; the third has its withdrawal, answered 202. Its owner would write on it, and go on */
#define BEGIN  disturbed
#define CLAIMS 2
#define ENDS
#define MONITOR
#define RESOLVERS 1
#endif
#ifdef STILL_WAITS    /* two copies have an end, which was told; the third has the job as it waited before. Somebody adds the job at the same time once more */
#define BEGIN  endedElsewhere
#define CLAIMS 3
#define ADDS 1
#define ADDS_WAITING
#define RESOLVERS 1
#endif

#ifdef WAITS_BESIDE   /* two copies have a job that waits after a later run expired; one has an earlier claim. Somebody adds it again at the same time */
#define BEGIN  waitsSince
#define CLAIMS 3
#define ADDS 1
#define ADDS_WAITING
#define RESOLVERS 1
#endif

#ifdef STILL_OWNED    /* two copies have an end, which was told; one has a sibling of its claim. Somebody adds the job if it is new */
#define BEGIN  endedBeside
#define CLAIMS 3
#define ADDS 1
#define ADDS_WAITING
#define RESOLVERS 1
#endif

#ifdef WISHED_APART   /* a worker owns the job on two copies; the third has it as it waits: there it was added twice, which nobody confirmed. Somebody adds it
                         again at the same time */
#define BEGIN  addedApart
#define PARTED
#define CLAIMS 1
#define ENDS
#define ADDS 1
#define ADDS_WAITING
#define RESOLVERS 1
#endif

#ifdef CANCELLED_WAITING   /* the job waits; two workers claim it while somebody cancels it */
#define BEGIN  waits
#define CANCELS 2
#define RESOLVERS 1
#endif
#ifdef CANCEL_ASKED   /* a worker owns the job, and its lease may run out; somebody asks it to cancel, and a subscriber waits for the end */
#define BEGIN  owned
#define CANCELS 1
#define ENDS
#define MONITOR
#define SUBSCRIBER
#define RESOLVERS 1
#endif

#ifdef CANCEL_BESIDE  /* two copies have the claim of a dead owner that was asked to cancel, which was confirmed; one has the expiry of the claim */
#define BEGIN  askedBeside
#define CANCELS 0
#define MONITOR
#define RESOLVERS 1
#endif
#ifdef CANCEL_STALE   /* two copies have a job that waits after a later run expired; one has an earlier claim. Somebody cancels the job */
#define BEGIN  waitsSince
#define CLAIMS 3
#define CANCELS 1
#define RESOLVERS 1
#endif
#ifdef CANCEL_APART   /* a worker owns the job on two copies; the third has it as it waits for the run after that, which nobody confirmed. Somebody cancels the job */
#define BEGIN  addedSince
#define CANCELS 1
#define ENDS
#define RESOLVERS 1
#endif
#ifdef CANCEL_FOUND   /* two copies have the claim of a dead owner; one has a request to cancel on it, which nobody confirmed. Somebody else asks the same */
#define BEGIN  askedApart
#define FINDS
#define CANCELS 0
#define MONITOR
#define RESOLVERS 1
#endif
#ifdef CANCELLED_BEFORE   /* one copy has a job that was cancelled there; the others removed the job and have it anew, which was told */
#define BEGIN  addedAnew
#define CANCELS 0
#define RESOLVERS 1
#endif
#ifdef CONNECTED_LATE /* two copies have an end, which was told. One of them got it without its history, and then the job as it waited before, which the third
                         has. So it shows both. Retention deletes the job, and somebody wants another run */
#define BEGIN  endedWithoutHistory
#define APART
#define CLAIMS 3
#define RETENTION
#define ADDS 1
#define RESOLVERS 1
#endif
#ifdef CANCELLED_LATE /* two copies have the owner's end, which was told; one has the expiry of its claim. Somebody cancels the job */
#define BEGIN  met
#define CANCELS 1
#define RESOLVERS 1
#endif

#ifdef ADDS_WAITING
#define FINDS
#endif

#include "document.pml"
#include "held.pml"
#include "resolution.pml"
#include "transitions.pml"
#include "truth.pml"
#include "worker.pml"
#include "others.pml"

inline put(r, what) { rev[r] = what; last = r }
inline everybodyHas(r) { oneHas(1, r); oneHas(2, r); oneHas(3, r) }
inline oneHas(copy, r) { known[copy] = known[copy] | bit(r); leaf[copy] = leaf[copy] | bit(r) }

inline waits() { put(1, revision(PENDING, 0, 0)); everybodyHas(1) }
inline changedApart() {   /* the change is the newer one of two that are equal */
    put(1, revision(PENDING, 0, 0)); put(2, revision(PENDING, 0, 0)); parent[1] = 2; oneHas(1, 2); oneHas(2, 2); oneHas(3, 1); known[3] = known[3] | bit(2)
}
inline owned() {
    put(1, revision(OWNED, 1, 1)); everybodyHas(1);
    claims = 1; greatest = 1; phase[1] = OWNS; mine[1] = 1; runs[1] = 1; at(1) = 1
}
inline expired_() {
    put(1, revision(OWNED, 1, 1)); put(2, revision(PENDING, 1, 0) | OBITUARY); oneHas(1, 1); oneHas(2, 1); oneHas(3, 2);
    claims = 1; greatest = 1
}
inline met() {
    put(1, revision(ENDED, 1, 1)); put(2, revision(PENDING, 1, 0) | OBITUARY); oneHas(1, 1); oneHas(2, 1); oneHas(3, 2);
    claims = 1; greatest = 1; told = 1
}
inline retiredBeside() {
    put(1, revision(RETIRED, 1, 0)); put(2, revision(OWNED, 2, 2) | OBITUARY); oneHas(1, 1); oneHas(2, 1); oneHas(3, 2);
    claims = 2; greatest = 1; told = 1
}
inline ownedAnew() {
    put(1, revision(OWNED, 4, 2)); put(2, revision(REMOVED, 2, 0)); everybodyHas(1); oneHas(1, 2);
    claims = 2; greatest = 4; phase[1] = OWNS; mine[1] = 2; runs[1] = 4; at(1) = 1
}
inline retriedBeside() {
    put(1, revision(PENDING, 1, 0) | OBITUARY); put(2, revision(PENDING, 1, 1) | FAILURE); oneHas(1, 1); oneHas(2, 2); oneHas(3, 2);
    claims = 2; greatest = 1; keptTold = true
}
#ifdef CANCELS
inline askedBeside() {
    put(1, revision(PENDING, 1, 0) | OBITUARY); put(2, revision(OWNED, 1, 1) | CANCEL); oneHas(1, 1); oneHas(2, 2); oneHas(3, 2);
    claims = 1; greatest = 1; cancelAsked = 1
}
inline addedSince() {
    put(1, revision(PENDING, 2, 0)); put(2, revision(OWNED, 1, 1)); oneHas(1, 1); oneHas(2, 2); oneHas(3, 2);
    claims = 1; greatest = 1; askedAgain = true; phase[1] = OWNS; mine[1] = 1; runs[1] = 1; at(1) = 2
}
inline askedApart() {
    put(1, revision(OWNED, 1, 1)); put(2, revision(OWNED, 1, 1) | CANCEL); oneHas(1, 1); oneHas(2, 1); oneHas(3, 2);
    claims = 1; greatest = 1
}
inline addedAnew() {
    put(1, revision(PENDING, 3, 0)); put(2, revision(CANCELLED, 1, CANCELLER)); oneHas(1, 1); oneHas(2, 1); oneHas(3, 2);
    wished = true
}
#endif
inline waitsSince() {
    put(1, revision(OWNED, 1, 1)); put(2, revision(PENDING, 2, 0) | OBITUARY); oneHas(1, 1); oneHas(2, 2); oneHas(3, 2);
    claims = 2; greatest = 2; phase[1] = LOST; mine[1] = 1; runs[1] = 1
}
inline checkpointed() {
    put(1, revision(PENDING, 1, 0) | OBITUARY | OPEN); put(2, revision(OWNED, 1, 1)); oneHas(1, 1); oneHas(2, 2); oneHas(3, 2);
    claims = 1; greatest = 1; keptTold = true; phase[1] = OWNS; mine[1] = 1; runs[1] = 1; at(1) = 2
}
inline endedBeside() {
    put(1, revision(ENDED, 1, 1)); put(2, revision(OWNED, 1, 2)); oneHas(1, 1); oneHas(2, 1); oneHas(3, 2);
    claims = 2; greatest = 1; told = 1; phase[2] = LOST; mine[2] = 2; runs[2] = 1
}
inline endedLater() {
    put(1, revision(WITHDRAWN, 1, 1)); put(2, revision(ENDED, 2, 2)); oneHas(1, 1); oneHas(2, 2); oneHas(3, 2);
    claims = 2; greatest = 2; told = 2
}
inline endedSince() {
    put(1, revision(OWNED, 1, 1)); put(2, revision(ENDED, 2, 2)); oneHas(1, 1); oneHas(2, 2); oneHas(3, 2);
    claims = 2; greatest = 2; told = 2; phase[1] = LOST; mine[1] = 1; runs[1] = 1
}
inline endedApart() {
    put(1, revision(ENDED, 1, 1)); put(2, revision(ENDED, 2, 2)); oneHas(1, 1); oneHas(2, 2); oneHas(3, 2);
    claims = 2; greatest = 2; told = 2
}
inline keptBeside() {
    put(1, revision(PENDING, 0, 0)); put(2, revision(OWNED, 1, 1)); put(3, revision(WITHDRAWN, 1, 1)); everybodyHas(2);
    oneHas(1, 1); oneHas(2, 1); oneHas(3, 3);
    claims = 1; ref[5] = 1
}
inline disturbed() {
    put(1, revision(OWNED, 1, 1)); put(2, revision(WITHDRAWN, 1, 1) | EXPIRED); oneHas(1, 1); oneHas(2, 1); oneHas(3, 2); known[3] = known[3] | bit(1);
    claims = 1; greatest = 1; phase[1] = OWNS; mine[1] = 1; runs[1] = 1; at(1) = 1; over[1] = true
}
inline endedElsewhere() {
    put(1, revision(PENDING, 0, 0)); put(2, revision(ENDED, 1, 1)); oneHas(1, 2); oneHas(2, 2); oneHas(3, 1);
    known[1] = known[1] | bit(1); known[2] = known[2] | bit(1);
    claims = 1; greatest = 1; told = 1
}
inline addedApart() {
    put(1, revision(PENDING, 2, 0) | FRESH); put(2, revision(OWNED, 1, 1)); oneHas(1, 1); oneHas(2, 2); oneHas(3, 2);
    claims = 1; greatest = 1; askedAgain = true; phase[1] = OWNS; mine[1] = 1; runs[1] = 1; at(1) = 2
}
#ifdef APART
inline endedWithoutHistory() {
    put(1, revision(PENDING, 0, 0)); put(2, revision(ENDED, 1, 1)); oneHas(1, 2); oneHas(2, 1); oneHas(3, 2); oneHas(3, 1);
    known[1] = known[1] | bit(1); apart[3] = bit(1);
    claims = 1; greatest = 1; told = 1
}
#endif
inline claimedTwice() {
    put(1, revision(OWNED, 1, 1)); put(2, revision(OWNED, 1, 2)); oneHas(1, 2); oneHas(2, 1); oneHas(3, 1);
    claims = 2; siblings[1] = bit(2); siblings[2] = bit(1);
    phase[1] = SENT; mine[1] = 1; runs[1] = 1; at(1) = 1;
    phase[2] = LOST; mine[2] = 2; runs[2] = 1
}
inline withdrawnTwice() {
    put(1, revision(WITHDRAWN, 1, 1)); put(2, revision(WITHDRAWN, 1, 2)); oneHas(1, 1); oneHas(2, 2); oneHas(3, 2);
    claims = 2
}

init {
    atomic {
        d_step { BEGIN(); tidy(); truth() };
        run Worker(1);
        run Worker(2);
        run Resolver(5);
#if RESOLVERS > 1
        run Resolver(6);
#endif
#ifdef MONITOR
        run Monitor();
#endif
#ifdef RETENTION
        run Retention();
#endif
#if ADDS > 0
        run Creator();
#endif
#ifdef REMOVAL
        run Remover();
#endif
#if defined(CANCELS) && (CANCELS > 0 || defined(FINDS))
        run Canceller();
#endif
#ifdef SUBSCRIBER
        run Subscriber();
#endif
    }
}

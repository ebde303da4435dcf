/* Transitions, ClusterTransitions and JobTombstone: what is written on a leaf, and on which leaves. Without a job's story, which is not in the model. */

#define mayBeClaimed(r)    (kind(r) == PENDING)
#define asClaimed(r,t)     (revision(OWNED, fence(r) + 1, t) | story(r) | (rev[r] & END_AS))

#define mayBeWithdrawn(r)  (kind(r) == OWNED)
#define asWithdrawn(r)     (revision(WITHDRAWN, fence(r), token(r)) | flags(r) | story(r))

/* An owner that was asked for another run lets the job wait. One that claimed the job only to end it cancels it. */
#define mayEnd(r)          (kind(r) == OWNED)
#define kindEnded(r)       (isFlagged(r) -> PENDING : (isToEnd(r) -> CANCELLED : ENDED))
#define asEnded(r)         (revision(kindEnded(r), (isFlagged(r) -> again(fence(r)) : fence(r)), token(r)) | (kept(r) & ~OPEN))

/* An owner that was asked to cancel the job, and has stopped. */
#define mayAcknowledge(r)  (kind(r) == OWNED && (isToCancel(r) || isToEnd(r)))
#define asAcknowledged(r)  (isFlagged(r) -> asEnded(r) : (revision(CANCELLED, fence(r), token(r)) | (kept(r) & ~OPEN)))

/* A run has failed, and the job waits for its retry. */
#define asFailed(r)        (revision(PENDING, fence(r), token(r)) | FAILURE)

#ifdef EXPIRY_ENDS   /* the job was to be cancelled, or too many leases have run out: an expiry ends it, under a name of its own */
#define kindExpired(r)     (isFlagged(r) -> PENDING : ENDED)
#define EXPIRER            3
#else
#define kindExpired(r)     PENDING
#define EXPIRER            0
#endif
#define mayExpire(r)       (kind(r) == OWNED)
#define asExpired(r)       (revision(kindExpired(r), (isFlagged(r) -> again(fence(r)) : fence(r)), EXPIRER) | OBITUARY | kept(r) | endAs(r))

#define mayBeRetired(r)    isFinished(r)
#define asRetired(r)       revision(RETIRED, fence(r), 0)

#ifdef ASKS_NOBODY
#define hasOwner(r)        isClaim(r)
#else
#define hasOwner(r)        (kind(r) == OWNED)
#endif
#define mayBeAsked(r)      ((hasOwner(r) && !isFlagged(r)) || isFinished(r))
#define asAsked(r)         (isClaim(r) -> (rev[r] | FLAGGED) : revision(PENDING, fence(r) + 1, 0))

#define mayBeRemoved(r)    isLiveKind(kind(r))
#define asRemoved(r)       revision(REMOVED, (isFlagged(r) -> again(fence(r)) : fence(r)) + 1, 0)

/* A creator cancels a job that waits, and asks an owner to cancel it; the later wish of both wins. */
#define CANCELLER          4   /* no claim has that token */
#define mayBeCancelled(r)  (kind(r) == PENDING)
#define asCancelled(r)     (revision(CANCELLED, fence(r) + 1, CANCELLER) | story(r))
#define mayEndLater(r)     (kind(r) == PENDING && !isToEnd(r))
#define asEndingLater(r)   (rev[r] | END_AS)
#define mayBeAskedToCancel(r) (kind(r) == OWNED && !(isToCancel(r) && !isFlagged(r)))
#define asAskedToCancel(r) ((rev[r] & ~FLAGGED) | CANCEL)

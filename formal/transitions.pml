/* Transitions, ClusterTransitions and JobTombstone: what is written on a leaf, and on which leaves. Without a job's story, which is not in the model. */

#define mayBeClaimed(r)    (kind(r) == PENDING)
#define asClaimed(r,t)     (revision(OWNED, fence(r) + 1, t) | story(r))

#define mayBeWithdrawn(r)  (kind(r) == OWNED)
#define asWithdrawn(r)     (revision(WITHDRAWN, fence(r), token(r)) | flags(r) | story(r))

/* An owner that was asked for another run lets the job wait. */
#define mayEnd(r)          (kind(r) == OWNED)
#define asEnded(r)         (revision((isFlagged(r) -> PENDING : ENDED), (isFlagged(r) -> again(fence(r)) : fence(r)), token(r)) | (kept(r) & ~OPEN))

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
#define asExpired(r)       (revision(kindExpired(r), (isFlagged(r) -> again(fence(r)) : fence(r)), EXPIRER) | OBITUARY | kept(r))

#define mayBeRetired(r)    (kind(r) == ENDED)
#define asRetired(r)       revision(RETIRED, fence(r), 0)

#ifdef ASKS_NOBODY
#define hasOwner(r)        isClaim(r)
#else
#define hasOwner(r)        (kind(r) == OWNED)
#endif
#define mayBeAsked(r)      ((hasOwner(r) && !isFlagged(r)) || kind(r) == ENDED)
#define asAsked(r)         (isClaim(r) -> (rev[r] | FLAGGED) : revision(PENDING, fence(r) + 1, 0))

#define mayBeRemoved(r)    isLiveKind(kind(r))
#define asRemoved(r)       revision(REMOVED, (isFlagged(r) -> again(fence(r)) : fence(r)) + 1, 0)

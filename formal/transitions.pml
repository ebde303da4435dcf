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

#ifdef TOO_OFTEN   /* too many leases have run out: the job has failed */
#define kindExpired(r)     (isFlagged(r) -> PENDING : ENDED)
#else
#define kindExpired(r)     PENDING
#endif
#define mayExpire(r)       (kind(r) == OWNED)
#define asExpired(r)       (revision(kindExpired(r), (isFlagged(r) -> again(fence(r)) : fence(r)), 0) | OBITUARY | kept(r))

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

/* Resolution.of and Resolver: what becomes of a document with several leaves. */

#define SETTLED   0
#define UNDECIDED 1
#define CONFIRM   2
#define DELETE    3

hidden byte as[REVS + 1], counts[REVS + 1];   /* Precedence: what a leaf counts as, */
hidden byte late[REVS + 1];                   /* and whether it is a claim that expired */
hidden byte withdrawn, expired;               /* tokens */
hidden byte graves;                           /* whether somebody removed the job */
#ifdef LONGEST_BRANCH
byte longest;         /* an owner writes as often as it likes: any branch may be the longest */
#endif
hidden byte verdict, least;
hidden short losers;
#if defined(ARRAYS) && !defined(DROPS_ITEMS)
hidden byte ended;                            /* whether the item has ended on a leaf that loses */
#define without(r) (ended -> (r) & ~OPEN : (r))
#else
#define ended false
#define without(r) (r)
#endif

/* Whatever consumes a wish takes the fence after that of the run that it was asked of. */
#ifdef NO_G
#define again(f) (f)
#else
#define again(f) ((f) + 1)
#endif

/* A claim that was withdrawn counts as a job that waits, but not beside a removal: else it would be claimed and withdrawn for ever. Of those,
   and of ends, one that its owner knew nothing of counts less. */
#ifdef WITHDRAWN_LAST
#define counted(k) (k)
#else
#define counted(k) (k == RESUBMITTED || (k == WITHDRAWN && !graves) -> PENDING : k)
#endif
#ifdef DEATHS_COUNT
#define beatsAlike(a,b) (isObituary(a) && !isObituary(b))
#else
#define beatsAlike(a,b) (!isObituary(a) && isObituary(b))
#endif
#define beats(a,b) (counts[a] > counts[b] || (counts[a] == counts[b] && (counted(as[a]) < counted(as[b]) \
    || (counted(as[a]) == counted(as[b]) && (beatsAlike(a, b) || (!beatsAlike(b, a) && as[a] < as[b]))))))

#ifdef PARTED
/* Precedence: a leaf that shows no run and parted from the others counts less than one that shows a run. One that has an owner will show a run. No
   removal meets such leaves in the model. */
hidden byte hasRun, willHaveRun;
#define isFresh(r) ((rev[r] & FRESH) != 0 && !isObituary(r) && (as[r] == PENDING || as[r] == CANCELLED || as[r] == WITHDRAWN))
#define isOutweighed(r) (hasRun && isFresh(r))
#define mayBeOutweighed(r) ((hasRun || willHaveRun) && isFresh(r))
inline outweigh() {
    hasRun = false; willHaveRun = false; i = 1;
    do
    :: i <= last ->
        if
        :: has(leaves, i) && as[i] == OWNED -> willHaveRun = true
        :: has(leaves, i) && (as[i] == ENDED || ((as[i] == CANCELLED || as[i] == PENDING) && fence(i) > 0 && !isFresh(i))) -> hasRun = true
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 1;
    do
    :: i <= last ->
        if
        :: has(leaves, i) && !isOutweighed(i) && (isOutweighed(best) || beats(i, best)) -> best = i
        :: else
        fi;
        i++
    :: else -> break
    od
}
#else
#define mayBeOutweighed(r) false
inline outweigh() { skip }
#endif

#ifdef NO_B
#define countsLess(r) (!late[r])
#else
#define countsLess(r) true
#endif
/* Precedence: the live leaves, and the best of all. */
inline rank() {
    withdrawn = 0; expired = 0; graves = false; i = 1;
    do
    :: i <= last ->
        if
        :: has(leaves, i) && kind(i) == REMOVED -> graves = true
        :: has(leaves, i) && kind(i) == WITHDRAWN ->
            if :: isExpired(i) -> expired = expired | bit(token(i)) :: else fi;
            withdrawn = withdrawn | bit(token(i))
        :: else
        fi;
        i++
    :: else -> break
    od;
    live = 0; best = 0; i = 1;
    do
    :: i <= last ->
        if
        :: has(leaves, i) ->
            as[i] = (kind(i) == OWNED && has(withdrawn, token(i)) -> WITHDRAWN : kind(i));
            late[i] = as[i] == WITHDRAWN && (kind(i) == OWNED -> has(expired, token(i)) : isExpired(i));
            counts[i] = fence(i);
            if
#ifndef LOST_WISH
            :: as[i] == WITHDRAWN && isFlagged(i) -> as[i] = RESUBMITTED; counts[i] = again(fence(i))
            :: as[i] == WITHDRAWN && !isFlagged(i) && countsLess(i) -> counts[i]--
#else
            :: as[i] == WITHDRAWN && countsLess(i) -> counts[i]--
#endif
            :: else
            fi;
            if :: isLiveKind(kind(i)) -> live = live | bit(i) :: else fi;
            if
            :: best == 0 -> best = i
            :: best != 0 && beats(i, best) -> best = i
            :: else
            fi
        :: else
        fi;
        i++
    :: else -> break
    od;
#ifdef LONGEST_BRANCH
    if :: has(live, longest) -> best = longest :: else fi;
#endif
    outweigh();
    i = 0
}

/* The fence of the last run that the leaf may go back to. */
#define runFence(r) (late[r] && counts[r] < fence(r) -> fence(r) : counts[r])
#define hasTokenOf(a,b) (isClaim(a) && isClaim(b) && token(a) == token(b))
#define isTakenBack(r) (isClaim(r) && as[r] != OWNED)
/* The job that retention or somebody deleted would wait again if the owner were none: a wish for another run is not decided against. */
#define isWishBeside(r,gone) (as[r] == OWNED && isFlagged(r) && (again(fence(r)) > counts[gone] || (again(fence(r)) == counts[gone] && as[gone] == REMOVED)))

/* Beside an owner only claims that were withdrawn are deleted. */
#if defined(OLD_A2)
#define losesTo(r,owner) (as[r] != OWNED && runFence(r) < counts[owner])
#elif defined(OLD_14)
#define losesTo(r,owner) ((as[r] == WITHDRAWN || as[r] == PENDING || isGoneKind(as[r])) && runFence(r) < counts[owner])
#else
#define losesTo(r,owner) ((as[r] == WITHDRAWN || isGoneKind(as[r])) && runFence(r) < counts[owner])
#endif
inline isUndecided() {
    other = false;
#ifndef NO_C
    if
    :: isGoneKind(as[best]) ->
        i = 1;
        do
        :: i <= last && !(has(leaves, i) && isWishBeside(i, best)) -> i++
        :: else -> break
        od;
        other = (i <= last); i = 0
    :: else ->
        j = 1;
        do
        :: j <= last && !(has(leaves, j) && as[j] == OWNED) -> j++
        :: else -> break
        od;
        i = 1;
        do
        :: i <= last && j <= last ->
            if
            :: has(leaves, i) && !hasTokenOf(i, j) && !losesTo(i, j) -> other = true
            :: else
            fi;
            i++
        :: else -> break
        od;
        j = 0; i = 0
    fi
#endif
}

/* What waits again after a claim that was to be cancelled is ended by the next one. */
#ifdef FORGETS_CANCEL
#define endAs(r)           0
#else
#define endAs(r)           (!isFlagged(r) && (isToCancel(r) || isToEnd(r)) -> END_AS : 0)
#endif

#ifdef NO_A
#define isProven(confirmed) true
#else
#define isProven(confirmed) (confirmed == best)
#endif

#ifdef CANCELS
/* CancelRequest: whether a leaf has one, the fence of the claim that it was made of or after, and whether it is meant for the best leaf. */
#define requestFence(r) (fence(r) - (isClaim(r) && !isToCancel(r) -> 1 : 0))
#define isRequest(r) ((kind(r) == CANCELLED || isToCancel(r) || isToEnd(r)) && as[r] != RESUBMITTED)
#ifdef OLD_MEANT
#define meant(r) runFence(r)
#else
#define meant(r) counts[r]
#endif
#ifdef OLD_LIVES
#define since(r) 0
#else
#define since(r) fence(r)
#endif
#define isMeantForBest(r) (requestFence(r) >= (as[best] == OWNED -> fence(best) - 1 : (isTakenBack(best) -> meant(best) : since(best))))
#define isLaterRequest(a,b) (requestFence(a) > requestFence(b) || (requestFence(a) == requestFence(b) && beats(a, b)))
/* The request of a leaf that lost goes over to what is written. */
inline takeOverRequest() {
    j = 0; i = 1;
    do
    :: i <= last ->
        if
        :: !has(losers, i)
        :: has(losers, i) && isRequest(i) && isMeantForBest(i) -> if :: j == 0 -> j = i :: j != 0 && isLaterRequest(i, j) -> j = i :: else fi
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0;
    if
    :: j == 0 || isFinished(best)
    :: j != 0 && as[best] == OWNED -> if :: !isFlagged(best) -> news = news | CANCEL :: else fi
    :: j != 0 && as[best] != OWNED && !isFinished(best) && kind(j) == CANCELLED ->
        news = (news & ~(15 | (7 << 8) | END_AS)) | revision(CANCELLED, 1, token(j))   /* the next fence */
    :: else -> news = news | END_AS
    fi;
    j = 0
}
#ifdef DROPS_CANCEL
#define takesOver false
#else
#define takesOver true
#endif
#endif

/* From the leaves, and the revision that was confirmed just now, to what is written on the target. */
inline resolve(confirmed) {
    rank();
    verdict = SETTLED; losers = 0; target = 0; news = 0;
    if
    :: live == 0
    :: else ->
        isUndecided();
        if
        :: other -> verdict = UNDECIDED
        :: !other && isGoneKind(as[best]) -> verdict = DELETE; losers = live
        :: else ->
            losers = live & ~bit(best);
            least = 0; i = 1;
            do
            :: i <= last -> if :: has(losers, i) && late[i] && fence(i) > least -> least = fence(i) :: else fi; i++
            :: else -> break
            od;
            i = 0;
#ifndef DROPS_WISH
            /* A wish for another run, on a leaf of the same claim that lost. */
            j = 1;
            do
            :: j <= last && !(has(losers, j) && as[j] == OWNED && isFlagged(j) && hasTokenOf(j, best)) -> j++
            :: else -> break
            od;
            other = (j <= last && as[best] == OWNED && !isFlagged(best)); j = 0;
#endif
#if defined(ARRAYS) && !defined(DROPS_ITEMS)
            /* The item of a chunk has ended when it has on any leaf. */
            j = 1;
            do
            :: j <= last && !(has(losers, j) && !isOpen(j)) -> j++
            :: else -> break
            od;
            ended = (j <= last); j = 0;
#endif
            if
            :: isTakenBack(best) && !isProven(confirmed) ->
                news = revision(WITHDRAWN, fence(best), token(best)) | flags(best) | story(best) | (late[best] * EXPIRED)
            :: else ->
                news = (isTakenBack(best) -> (revision(PENDING, runFence(best), 0) | story(best) | (late[best] -> OBITUARY : 0) | endAs(best)) : rev[best]);
#ifdef CANCELS
                if :: takesOver -> takeOverRequest() :: else fi;
#endif
                if :: other -> news = news | FLAGGED :: else fi;
                news = without(news);
                if
                :: news == rev[best] && !isClaim(best) && fence(best) < least -> news = revision(kind(best), least, token(best)) | story(best) | (rev[best] & END_AS)
                :: news == rev[best] && !(!isClaim(best) && fence(best) < least) -> news = 0
                :: else
                fi
            fi;
            other = false;
            if
            :: news != 0 -> verdict = CONFIRM; target = best
            :: news == 0 && losers != 0 ->
#if defined(OLD_A1) || defined(NO_A)
                verdict = DELETE
#else
                if
                :: confirmed == best -> verdict = DELETE
                :: else -> verdict = CONFIRM; target = best; news = rev[best]
                fi
#endif
            :: else
            fi
        fi
    fi
}

/* What a resolver does about it: of what is undecided, the claims of the dead are taken back; of those that lost, one is deleted.
   What loses to a removal gets a tombstone of that removal. */
inline act() {
    if
    :: verdict == UNDECIDED ->   /* claims of the dead */
        i = 1;
        do
        :: i <= last && !(has(leaves, i) && kind(i) == OWNED && isSeenDead(i)) -> i++
        :: else -> break
        od;
        if
        :: i <= last && isMajority -> target = i; news = revision(WITHDRAWN, fence(i), token(i)) | EXPIRED | flags(i) | story(i)
        :: else -> verdict = SETTLED
        fi;
        i = 0
    :: verdict == DELETE ->
        target = 1;
        do
        :: !has(losers, target) -> target++
        :: else -> break
        od;
#ifndef QUIET_GRAVES
        if :: isGoneKind(as[best]) -> news = revision(as[best], counts[best], 0) :: else fi
#endif
    :: else
    fi
}


/* Replication, and the others who look at the job. Each thing that one of them does is one step: it reads, decides and writes. */

/* Internal replication between two copies, one way. */
active proctype Network() {
    do
    :: d_step { isNews(1, 2) -> replicate(1, 2); tidy(); truth() }
    :: d_step { isNews(2, 1) -> replicate(2, 1); tidy(); truth() }
    :: d_step { isNews(1, 3) -> replicate(1, 3); tidy(); truth() }
    :: d_step { isNews(3, 1) -> replicate(3, 1); tidy(); truth() }
    :: d_step { isNews(2, 3) -> replicate(2, 3); tidy(); truth() }
    :: d_step { isNews(3, 2) -> replicate(3, 2); tidy(); truth() }
#ifdef APART
    :: d_step { apart[1] != 0 -> connect(1); tidy(); truth() }
    :: d_step { apart[2] != 0 -> connect(2); tidy(); truth() }
    :: d_step { apart[3] != 0 -> connect(3); tidy(); truth() }
#endif
    od
}

/* Writes the news on the target, when there is one and room for it. */
#define nothingToDo (target == 0 || (news != 0 && !room))
inline forget() { who = 0; target = 0; news = 0 }
inline writeIt() { if :: news != 0 -> make(news) :: else -> w = 0 fi; take() }

/* Nobody is told an end because a resolver has confirmed it. */
#ifdef TELLS_CONFIRMED
inline tellConfirmed() { if :: isFinished(w) -> tellEnd(token(w)) :: else fi }
#else
inline tellConfirmed() { skip }
#endif

/* Resolver: it deletes all that lost when it read, each in a step of its own, whatever has happened since. */
#define isDying(r) has(dying[me - 5], r)
proctype Resolver(byte me) {
    bool isProof;
    short grave;
    do
    :: atomic { dying[me - 5] == 0 ->
#ifndef READS_ALONE
        if :: ref[me] == 0 -> chooseReaders() :: else -> chooseMajority() fi;
#else
        chooseReaders();
#endif
#ifdef LONGEST_BRANCH
        if :: longest = 1 :: longest = 2 :: longest = 3 fi;
#endif
        d_step {
            look(); resolve(ref[me]); act(); isProof = (verdict == CONFIRM); ref[me] = 0;
            if :: verdict == DELETE -> dying[me - 5] = losers; grave = news; target = 0 :: else fi
        };
        if
        :: nothingToDo -> d_step { isProof = false; tidy() }
        :: else ->
            chooseTakers(target);
            d_step {
                writeIt();
                if :: isProof && isMajority -> ref[me] = w; tellConfirmed() :: else fi;
                isProof = false;
#ifdef LONGEST_BRANCH
                longest = 0;
#endif
                tidy(); truth()
            }
        fi
      }
    :: atomic { dying[me - 5] != 0 && (grave == 0 || room) ->
        selectOne(isDying);
        chooseTakers(target);
        d_step {
            dying[me - 5] = dying[me - 5] & ~bit(target); news = grave; writeIt();
            if :: dying[me - 5] == 0 -> grave = 0 :: else fi;
            tidy(); truth()
        }
      }
    od
}

/* Sets the target to the only leaf that was read, if it is so. */
inline findOnly(which) {
    i = 1;
    do
    :: i <= last && !(leaves == bit(i) && (which)) -> i++
    :: else -> break
    od;
    target = (i <= last -> i : 0); i = 0; who = 0
}

/* As before, and readers do not see a tombstone beside a live leaf. */
inline findSeen(which) {
    if :: live != 0 -> leaves = live :: else fi;
    findOnly(which)
}

#ifdef MONITOR
/* ActivityMonitor: it knows who is dead, and acts on a leaf when a reading of the document has shown it before. */
#define watched ref[8]
/* DeadOwners.free: beside a tombstone that would have contested the claim this is withdrawn, and does not expire; a tombstone of an earlier life of the job
   says nothing. Beside other live leaves the resolver withdraws it. */
#ifdef CALLS_IT_PAST
#define mayBePast(gone,r) (fence(gone) < fence(r))
#else
#define mayBePast(gone,r) (fence(gone) + 1 < fence(r))
#endif
inline findWatched() {
    news = 0; target = (has(leaves, watched) && mayExpire(watched) && isSeenDead(watched) -> watched : 0); i = 1;
    do
    :: i <= last && target != 0 ->
        if
        :: !has(leaves, i) || i == watched
        :: has(leaves, i) && i != watched && isLiveKind(kind(i)) -> target = 0
        :: has(leaves, i) && isGoneKind(kind(i)) -> if :: !mayBePast(i, watched) -> news = asWithdrawn(watched) | EXPIRED :: else fi
        fi;
        i++
    :: else -> break
    od;
    if :: target == 0 -> news = 0 :: target != 0 && news == 0 -> news = asExpired(target) :: else fi;
    i = 0; who = 0
}
#define isSilent(r) (isShown(r) && mayExpire(r) && isSeenDead(r))
proctype Monitor() {
    do
    :: atomic { watched == 0 ->
        selectOne(isSilent);
        d_step { watched = target; target = 0 }
      }
    :: atomic { watched != 0 ->
        chooseMajority();
        d_step { look(); findWatched(); watched = 0; leaves = 0 };
        if
        :: target == 0 || !room -> d_step { target = 0; news = 0 }
        :: else ->
            chooseTakers(target);
            d_step { writeIt(); tidy(); truth() }
        fi
      }
    od
}
#endif

#ifdef RETENTION
/* It deletes what has ended. It sees the leaf that readers see, of whatever copies. */
proctype Retention() {
    do
    :: atomic {
        chooseReaders();
        d_step { look(); findOnly(mayBeRetired(i)) };
        if
        :: target == 0 || !room -> target = 0
        :: else -> chooseTakers(target); d_step { news = asRetired(target); writeIt(); tidy(); truth() }
        fi
      }
    od
}
#endif

#if ADDS > 0 || defined(CANCELS)
/* Resolution.stands: a leaf counts more than the run that the owner was asked for, or than the claim, or the job that is to wait. A cancellation does not
   stand beside an owner, nor a leaf that will count less than the end of one. */
#ifdef TRUSTS_OWNERS
#define standsUntilClaimed(r) (kind(r) == OWNED)
#else
#define standsUntilClaimed(r) (kind(r) == OWNED && isFlagged(r))
#endif
#ifdef CANCELS_OWNED
#define ownsBeside(r) false
#else
#define ownsBeside(r) (kind(w) == CANCELLED && as[r] == OWNED)
#endif
#ifdef TRUSTS_APART
#define isLeftBehind false
#else
#define isLeftBehind mayBeOutweighed(w)
#endif
inline askedInVain() {
    rank(); other = isLeftBehind;
#if defined(TRUSTS_CLAIMS)
#define isTrusted (kind(w) == OWNED)
#elif defined(TRUSTS_ENDS)
#define isTrusted (!isClaim(w))
#elif defined(ASKS_NOBODY)
#define isTrusted (kind(w) == WITHDRAWN)
#else
#define isTrusted false
#endif
    i = (isTrusted -> last + 1 : 1);
    do
    :: i <= last ->
        if
        :: has(leaves, i) && i != w && (ownsBeside(i) || (standsUntilClaimed(w) -> counts[i] > fence(w) : beats(i, w))) -> other = true
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0
}
#endif

#ifdef FINDS
/* Confirmation.isShown: what was found counts. A request to cancel must be on the leaf that readers are shown. */
#define found ref[7]
#ifdef TRUSTS_ONE_LEAF
#define isStillThere (has(leaves, found) && !other)
#elif defined(TRUSTS_FOUND)   /* all leaves in this configuration go back to what was found */
#define isStillThere true
#else
#define isStillThere (has(leaves, found) && !other && (wasShown || !(isToCancel(found) || isToEnd(found))))
#endif
inline confirmFound() {
    resolve(0);
    if
    :: verdict == SETTLED -> other = !(best != 0 && best == found && wasShown)
    :: else -> w = found; askedInVain(); other = !isStillThere
    fi;
    x = !other; verdict = 0; losers = 0
}
#endif

#if ADDS > 0
/* Creator.add of a job that exists: its owner is asked for another run, or an end or a tombstone is followed by a job that waits. A claim that
   was withdrawn has no owner: it is resolved first. */
proctype Creator() {
    byte adds;
    bool sure;
#ifdef ADDS_WAITING
    bool wasShown;
#endif
    do
#ifdef ADDS_WAITING
    /* Confirmation.ofFound: an add of a job that waits for that time already, or an add if new of one that has an owner. Nothing is written,
       and its caller is told UNCHANGED: the job has not ended. */
    :: atomic { adds < ADDS && found == 0 ->
        chooseReaders();
        d_step {
            look(); rank();
            if :: best != 0 && (as[best] == PENDING || as[best] == OWNED) -> found = best :: else fi;
            tidy()
        }
      }
    :: atomic { found != 0 && !wasShown && isShown(found) -> wasShown = true }
    :: atomic { found != 0 ->
#ifdef TRUSTS_WAITING
        chooseReaders();
#else
        chooseMajority();
#endif
        d_step {
            look(); confirmFound(); wasShown = false;
            if
            :: x && kind(found) == OWNED && !isFlagged(found) -> adds++; assert(told == 0 && !goneTold)
            :: x && !(kind(found) == OWNED && !isFlagged(found)) -> adds++; askedAgain = true; told = 0; goneTold = false; wished = true
            :: else
            fi;
            found = 0; x = 0;
            tidy(); truth()
        }
      }
#define isSearching (found != 0)
#else
#define isSearching false
#endif
    :: atomic { adds < ADDS && !isSearching ->
        chooseReaders();
        d_step { look(); rank(); findSeen(mayBeAsked(i) || isGoneKind(kind(i))) };
        if
        :: target == 0 || !room -> target = 0
        :: else ->
            chooseTakers(target);
            d_step {
                adds++;
                news = asAsked(target);
                askedAgain = true; told = 0; goneTold = false;
                writeIt();
                sure = isMajority
            };
            /* Whether it is the leaf that the others know. If not, nobody is told anything. */
            if
#ifdef ASKS_ALONE     /* its node may have lost the others since its write was confirmed */
            :: sure -> chooseReaders(); d_step { look(); askedInVain(); sure = !other }
#else
            :: sure -> chooseMajority(); d_step { look(); askedInVain(); sure = !other }
#endif
            :: else
            fi;
            d_step {
                if :: sure -> wished = true :: else fi;
                sure = false; tidy(); truth()
            }
        fi
      }
    od
}
#endif

#ifdef CANCELS
/* Creator.cancel: a job that waits is cancelled, an owner is asked to cancel it. A change that was answered 202 is written once more as it
   is: Confirmation. What was not confirmed may be tried again. */
#define unheard ref[9]
/* The end of a run that expired may turn up, and may have been told: only a claim ends such a job. */
#ifdef CANCELS_EXPIRED
#define endsAtOnce(r) true
#else
#define endsAtOnce(r) (!isObituary(r))
#endif
#ifdef CANCEL_APART   /* requests to owners beside a wish for another run are not in the model */
#define mayBeStopped(r) (as[r] == PENDING && mayBeCancelled(r))
#else
#define mayBeStopped(r) ((as[r] == PENDING && (endsAtOnce(r) -> mayBeCancelled(r) : mayEndLater(r))) || (as[r] == OWNED && mayBeAskedToCancel(r)))
#endif
#ifdef CANCEL_ON_202
#define countsAsCancelled true
#else
#define countsAsCancelled isMajority
#endif
#ifdef CANCELS_UNSEEN
#define isInVain false
#else
#define isInVain other
#endif
inline tellCancelled() {
    if
    :: kind(w) == CANCELLED -> tellEnd(CANCELLER)
    :: else -> cancelAsked = claims; wished = false
    fi;
    done = true; unheard = 0
}
proctype Canceller() {
    byte tries;
    bool sure, done;
#ifdef FINDS
    bool wasShown;
#endif
    do
#ifdef FINDS
    /* The owner was asked already: nothing is written. */
    :: atomic { !done && found == 0 ->
        chooseReaders();
        d_step { look(); rank(); if :: best != 0 && as[best] == OWNED && isToCancel(best) && !isFlagged(best) -> found = best :: else fi; tidy() }
      }
    :: atomic { found != 0 && !wasShown && isShown(found) -> wasShown = true }
    :: atomic { found != 0 ->
        chooseMajority();
        d_step {
            look(); confirmFound(); wasShown = false;
            if :: x -> w = found; tellCancelled() :: else fi;
            found = 0; x = 0;
            tidy(); truth()
        }
      }
#endif
    :: atomic { room && !done && tries < CANCELS ->
        chooseReaders();
        d_step { look(); rank(); target = (best != 0 && mayBeStopped(best) -> best : 0); who = 0 };
        if
        :: target == 0
        :: else ->
            chooseTakers(target);
            d_step {
                tries++; news = (kind(target) != PENDING -> asAskedToCancel(target) : (endsAtOnce(target) -> asCancelled(target) : asEndingLater(target)));
                writeIt(); sure = countsAsCancelled; unheard = (sure -> 0 : w)
            };
            if
            :: sure -> chooseMajority(); d_step { look(); askedInVain(); sure = !isInVain }
            :: else
            fi;
            d_step { if :: sure -> tellCancelled() :: else fi; sure = false; tidy(); truth() }
        fi
      }
    :: atomic { room && !done && unheard != 0 ->
        target = unheard;
        chooseTakers(target);
        d_step { make(rev[target]); take(); sure = isMajority; unheard = w };
        if
        :: sure -> chooseMajority(); d_step { look(); rank(); sure = (best == w && (live & ~bit(w)) == 0) }
        :: else
        fi;
        d_step { if :: sure -> tellCancelled() :: else fi; sure = false; tidy(); truth() }
      }
    od
}
#endif

#ifdef REMOVAL_ON_202
#define countsAsRemoved true
#else
#define countsAsRemoved isMajority
#endif
inline goneIsTold() { goneTold = true; wished = false }

#define shown ref[7]
#ifdef REMOVAL
#define isTombstone(r) (isShown(r) && isGoneKind(kind(r)))
/* Creator.remove and Removal: deletes each live leaf that it reads. It is done when all of that was answered 201, or a majority has none. */
proctype Remover() {
    bool begun, sure, done;
    short victims;
    do
    :: atomic { !done ->
        chooseReaders();
        d_step { look(); rank(); victims = live; sure = isMajority; who = 0 };
        if
        :: victims == 0
        :: else ->
            do
            :: victims != 0 && !room -> victims = 0; sure = false
            :: victims != 0 && room ->
                target = 1;
                do
                :: !has(victims, target) -> target++
                :: else -> break
                od;
                chooseTakers(target);
                d_step {
                    x = last; victims = victims & ~bit(target);
                    news = asRemoved(target);
                    make(news);
                    if :: last > x -> victims = spread(victims, w) :: else fi;
                    take(); sure = sure && countsAsRemoved
                }
            :: else -> break
            od;
            begun = true;
            d_step { if :: sure -> goneIsTold(); done = true :: else fi; tidy(); truth() }
        fi;
        sure = false
      }
    :: atomic { begun && !done && shown == 0 ->
        selectOne(isTombstone);
        d_step { shown = target; target = 0 }
      }
    :: atomic { begun && !done && shown != 0 ->
        chooseMajority();
        d_step { look(); rank(); if :: live == 0 && has(leaves, shown) -> goneIsTold(); done = true :: else fi; shown = 0; tidy(); truth() }
      }
    od
}
#endif

#ifdef SUBSCRIBER
/* ConfirmedEnds: reads the document, next all leaves, and tells what counts among them when it is what was shown. */
#define isEnd(r) (isShown(r) && (isFinished(r) || isGoneKind(kind(r))))
#ifdef ENDS_OF_WINNERS
#define isSettledBy(r) true
#else
#define isSettledBy(r) (best == (r) && (live & ~bit(r)) == 0)
#endif
proctype Subscriber() {
    do
    :: atomic { told == 0 && !goneTold && shown == 0 ->
        selectOne(isEnd);
        d_step { shown = target; tidy(); truth() }
      }
    :: atomic { shown != 0 ->
#ifdef ENDS_FROM_ONE_COPY
        chooseReaders();
#else
        chooseMajority();
#endif
        d_step {
            look(); rank();
            if
            :: isSettledBy(shown) && isFinished(shown) -> tellEnd(token(shown))
            :: isSettledBy(shown) && isGoneKind(kind(shown)) -> goneIsTold()
            :: else
            fi;
            shown = 0;
            tidy(); truth()
        }
      }
    od
}
#endif

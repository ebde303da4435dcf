/* Resolution.of and Resolver: what becomes of a document with several leaves. */

#define SETTLED   0
#define UNDECIDED 1
#define CONFIRM   2
#define DELETE    3

#define isAlive(t) ((mine[1] == t && !has(over, 1)) || (mine[2] == t && !has(over, 2)))

#ifdef OLD_A2
#define isDisputedEnd(r) false
#else
#define isDisputedEnd(r) isEnd(r)
#endif

/* From a view and the revision that was confirmed just now to a verdict; with it the winner as it is to be. */
inline resolve(seen, confirmed) {
    leavesOf(seen);
    verdict = SETTLED; least = 0; other = false; asked = false;
    if
    :: live != 0 && !isGone(best) ->
        /* Whether it cannot be known yet who owns the job. */
        i = 1;
        do
        :: i <= last ->
            if
            :: i != best && has(leaves, i) && kind[i] != RESOLVED ->
#ifndef NO_C
                if
                :: kind[i] == OWNED && token[i] != token[best] -> other = true
                :: kind[best] == OWNED && token[i] != token[best] && (counts(i) >= counts(best) || isDisputedEnd(i)) -> other = true
                :: else
                fi;
#ifdef OLD_A2
                if :: isEnd(best) && kind[i] == OWNED -> other = false :: else fi;
#endif
#endif
                if :: has(expired, i) && kind[i] == WITHDRAWN && fence[i] > least -> least = fence[i] :: else fi;
                if
                :: (kind[i] == OWNED || kind[i] == WITHDRAWN) && has(flagged, i) && fence[i] >= counts(best) -> asked = true
                :: else
                fi
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 0;
        nk = kind[best]; nf = fence[best]; nx = has(flagged, best);
        if
        :: other -> verdict = UNDECIDED
#ifdef NO_A
        :: !other && live != bit(best) -> verdict = DELETE
#endif
        :: else ->
            if
            :: kind[best] == WITHDRAWN && confirmed != best -> verdict = CONFIRM
            :: kind[best] == WITHDRAWN && confirmed == best ->
                verdict = CONFIRM;
                nk = PENDING;
                if :: has(expired, best) :: else -> nf = fence[best] - 1 fi;
#ifndef NO_G
                if :: has(flagged, best) -> nf = fence[best] + 1 :: else fi;
#endif
                nx = 0
            :: else
            fi;
            if
            :: asked && nk == OWNED && nx == 0 -> nx = 1; verdict = CONFIRM
            :: asked && nk == ENDED -> nk = PENDING; nf = nf + 1; verdict = CONFIRM
            :: asked && nk == PENDING -> nf = nf + 1; verdict = CONFIRM
            :: else -> if :: nk != OWNED && nk != WITHDRAWN && nf + 1 <= least -> nf = least; verdict = CONFIRM :: else fi
            fi;
            if
            :: verdict == SETTLED && live != bit(best) ->
#ifdef OLD_A1
                verdict = DELETE
#else
                if :: confirmed == best -> verdict = DELETE :: else -> verdict = CONFIRM fi
#endif
            :: else
            fi
        fi
    :: live != 0 && isGone(best) -> verdict = DELETE
    :: else
    fi;
    if
    :: verdict == CONFIRM || verdict == UNDECIDED -> target = best
    :: else
    fi;
    losers = 0;
    if
    :: verdict == DELETE -> losers = live & ~bit(best)
    :: verdict == UNDECIDED ->  /* claims of the dead */
        target = 0; i = 1;
        do
        :: i <= last && !(has(leaves, i) && kind[i] == OWNED && !isAlive(token[i])) -> i++
        :: i <= last && has(leaves, i) && kind[i] == OWNED && !isAlive(token[i]) -> target = i; break
        :: else -> break
        od;
        i = 0
    :: else
    fi;
    best = 0; leaves = 0; live = 0; least = 0
}

/* The revision of what was decided. A claim that is withdrawn again is written at this moment, and so is always a new revision. */
inline makeResolved() {
    if
    :: verdict == UNDECIDED -> makeOnce(target, WITHDRAWN, fence[target], token[target], has(flagged, target), 1)
    :: verdict != UNDECIDED && nk == WITHDRAWN ->
        make(target, WITHDRAWN, nf, token[target]);
        flagged = flagged | (has(flagged, target) << w); expired = expired | (has(expired, target) << w)
    :: verdict != UNDECIDED && nk == OWNED -> makeOnce(target, OWNED, nf, token[target], nx, 0)
    :: else -> makeOnce(target, nk, nf, 0, nx, 0)
    fi
}

proctype Resolver(byte me) {
    byte w, c, answer, confirmed, verdict, target, nk, nf, nx;
    short view, losers;

    do
    :: atomic { room && confirmed == 0 && losers == 0 && verdict == SETTLED ->
again:
        read();
        d_step { resolve(view, confirmed); confirmed = 0 };
        if
        :: verdict == UNDECIDED && (target == 0 || view == known[3]) -> verdict = SETTLED
        :: else
        fi;
        if
        :: verdict == SETTLED || verdict == DELETE -> nk = 0; nf = 0; nx = 0; target = 0
        :: else
        fi;
        view = 0;
        if :: verdict == SETTLED -> busy = busy & ~bit(me) :: else -> busy = busy | bit(me) fi
      }
    :: atomic { (verdict == CONFIRM || verdict == UNDECIDED) && room && has(any, target) ->
        first(target);
        d_step { makeResolved(); take(c); target = 0; nk = 0; nf = 0; nx = 0 };
        second();
        if
        :: verdict == UNDECIDED || answer == ACCEPTED -> busy = busy & ~bit(me); confirmed = 0; w = 0; answer = 0; verdict = SETTLED
        :: else -> confirmed = w; w = 0; answer = 0; verdict = SETTLED; goto again
        fi
      }
    :: atomic { (verdict == CONFIRM || verdict == UNDECIDED) && isRefused(target) && !finished ->
        target = 0; nk = 0; nf = 0; nx = 0; verdict = SETTLED; busy = busy & ~bit(me)
      }
    :: atomic { verdict == DELETE && room ->
        d_step { w = 1; do :: !has(losers, w) -> w++ :: else -> break od; target = w; losers = losers & ~bit(w); w = 0 };
        if
        :: room && has(any, target) -> first(target); d_step { makeOnce(target, RESOLVED, fence[target], 0, 0, 0); take(c); c = 0; w = 0 }
        :: isRefused(target)
        fi;
        target = 0;
        if :: losers == 0 -> verdict = SETTLED; busy = busy & ~bit(me) :: else fi
      }
    od
}

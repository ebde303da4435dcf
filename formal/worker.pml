/* Claimer, Branches, Rivals and Ownership: a worker claims the job, runs it and writes its end. */

#ifndef CLAIMS
#define CLAIMS 1      /* claims of one worker */
#endif
#ifndef TRIES
#define TRIES 2       /* writes of one end */
#endif

/* What a reading says about a claim: whether it is among what was read, and whether another leaf contests it. */
#define ABSENT    0
#define ALONE     1
#define CONTESTED 2

inline judge(claim) {
    leavesOf(view);
    verdict = ABSENT; other = false; i = 1;
    do
    :: i <= last ->
        if
        :: !has(leaves, i) || kind[i] == RESOLVED
        :: else ->
            if
            :: token[i] == claim -> verdict = ALONE
            :: token[i] != claim && isGone(i) ->
#ifdef NO_E
                if :: fence[i] >= fence[claim] -> other = true :: else fi
#else
                if :: fence[i] >= fence[claim] - 1 -> other = true :: else fi
#endif
            :: token[i] != claim && !isGone(i) && token[i] != 0 ->
                /* Claims of one revision do not contest each other. */
                if :: fence[i] != fence[claim] || parent[token[i]] != parent[claim] -> other = true :: else fi
            :: else -> other = true
            fi
        fi;
        i++
    :: else -> break
    od;
    if :: verdict == ALONE && other -> verdict = CONTESTED :: else fi;
    i = 0; best = 0; leaves = 0; live = 0; other = false; view = 0
}

/* What an owner finds when it reads: the leaf that it can write on, be that its claim or its end; none when it has lost the job. */
inline find() {
    leavesOf(view);
    at = 0; i = 1;
    do
    :: i <= last ->
        if
        :: has(leaves, i) && kind[i] == OWNED && token[i] == mine[me] -> at = i
        :: has(leaves, i) && kind[i] != OWNED && end != 0 && at == 0 ->
            x = i;
            do
            :: x > end && parent[x] >= end && kind[parent[x]] == kind[x] && fence[parent[x]] == fence[x] -> x = parent[x]
            :: else -> break
            od;
            if :: x == end -> at = i :: else fi;
            x = 0
        :: else
        fi;
        i++
    :: else -> break
    od;
    if
    :: has(over, me) ->
        i = 1;
        do
        :: i <= last ->
            if
            :: at != 0 && i != at && has(leaves, i) && kind[i] != RESOLVED && counts(i) >= fence[mine[me]] && token[i] != mine[me] -> at = 0
            :: else
            fi;
            i++
        :: else -> break
        od
    :: else
    fi;
    if :: at != 0 && end != 0 && parent[end] != at && kind[at] == OWNED -> end = 0 :: else fi;
    i = 0; best = 0; leaves = 0; live = 0; view = 0
}

/* Rivals.haveOvertaken */
inline lookBack() {
    leavesOf(view);
    other = false; i = 1;
    do
    :: i <= last ->
        if :: has(leaves, i) && kind[i] != RESOLVED && counts(i) > fence[w] -> other = true :: else fi;
        i++
    :: else -> break
    od;
    at = (other -> 0 : at);
    i = 0; best = 0; leaves = 0; live = 0; other = false; view = 0
}

#ifdef NO_FENCING
#define believesInLease true
#else
#define believesInLease !has(over, me)
#endif

#define letGo  d_step { mine[me] = 0; owns = owns & ~bit(me); over = over & ~bit(me); busy = busy & ~bit(me); \
                        w = 0; c = 0; answer = 0; at = 0; end = 0; tries = 0 }

proctype Worker(byte me) {
    byte w, c, answer, verdict, at, end, tries, left = CLAIMS;
    short view;

rest:
    do
    :: atomic { room && left > 0 && (me == 1 || begun) ->
        do
        :: at < last -> at++
        :: at > 0 && kind[at] == PENDING && has(any, at) -> break
        :: at == last -> at = 0; goto rest
        od;
        first(at);
        d_step { make(at, OWNED, fence[at] + 1, 0); token[w] = w; take(c); at = 0; left--; begun = true; busy = busy | bit(me) };
#ifndef NO_F
        mine[me] = w;
#endif
#ifndef SLOW
        /* Without a pause between the copies, and so without a state of its own. */
        goto answered
#endif
      }
      break
    od;

    /* The claim is under way. */
    if
    :: atomic { !finished ->
answered:
        second();
#ifdef LOST_ANSWERS
        if :: true :: answer = UNKNOWN fi;
#endif
        if
        :: answer == STORED -> goto confirmed
#ifdef OWN_202
        :: answer == ACCEPTED -> goto judged
#endif
#ifdef BUILD_ON_202
        :: answer == ACCEPTED && room && has(any, w) -> at = w; first(at);
            d_step { make(at, OWNED, fence[at], token[at]); take(c); at = token[w] };
            second();
            w = at; at = 0;
            if :: answer == STORED -> goto confirmed :: else -> goto withdraw fi
#endif
        :: else -> goto withdraw
        fi
      }
#ifdef CRASH
    :: atomic { !finished -> died(); letGo; goto rest }
#endif
    fi;

confirmed:
    atomic { !finished ->
        answer = 0;
        readConfirmed();
        d_step { judge(w) };
        if
        :: verdict == ALONE && !has(over, me) -> verdict = 0
        :: else -> verdict = 0; goto withdraw
        fi
#ifdef OWN_202
      ;
judged: skip
#endif
      ;
        mine[me] = w;
        becomesOwner();
        owns = owns | bit(me);
        at = w; w = 0; answer = 0; c = 0
    };

own:
    if
    /* It ends, on the leaf that it knows. What was sent before is sent again as it is. */
    :: atomic { at != 0 && tries < TRIES && room && has(any, at) && believesInLease -> goto write }
#ifdef FROZEN
#ifndef NO_FENCING
    /* It wakes late: before it writes, it reads. */
    :: atomic { at != 0 && has(over, me) && tries < TRIES && room ->
        read();
        d_step { find() };
        if
        :: at != 0 && has(any, at) -> goto write
        :: else -> letGo; goto rest
        fi
      }
#endif
#endif
    :: atomic { at != 0 && isRefused(at) && !finished -> at = 0 }; goto reads
    /* The end cannot be confirmed for as long as the lease. */
    :: atomic { tries > 0 && !finished -> letGo; goto rest }
#ifdef CRASH
    :: atomic { !finished -> died(); letGo; goto rest }
#endif
    fi;

write:
    if
    :: atomic { isRefused(at) && !finished -> at = 0; goto reads }
    :: atomic { room && has(any, at) ->
        first(at);
        if
        :: end != 0 && parent[end] == at -> w = end
        :: else ->
            d_step {
                if
                :: kind[at] != OWNED -> make(at, kind[at], fence[at], 0)
                :: else ->
                    if
#ifdef NO_G
                    :: has(flagged, at) -> make(at, PENDING, fence[at], 0)
#else
                    :: has(flagged, at) -> make(at, PENDING, fence[at] + 1, 0)
#endif
                    :: else -> make(at, ENDED, fence[at], 0)
                    fi;
                    end = w
                fi
            }
        fi;
        d_step { take(c); tries++ }
      }
    fi;
    atomic { !finished ->
        second();
#ifdef LOST_ANSWERS
        if :: true :: answer = UNKNOWN fi;
#endif
        if
        :: answer == STORED ->
            answer = 0;
#ifdef NO_D
            goto told
#else
            if
            :: has(over, me)
            :: else -> goto told
            fi
#endif
        :: else -> answer = 0; w = 0; at = 0; goto reads
        fi
    };
    /* Its lease is over: others may have got the job before this end was confirmed. */
    atomic { !finished ->
        readConfirmed();
        d_step { lookBack() };
        if
        :: at != 0
        :: else -> letGo; goto rest
        fi
    };
told:
    atomic { toldEnd(); letGo; goto rest };

reads:
    if
    :: atomic { !finished ->
        read();
        d_step { find() };
        if
        :: at != 0 -> goto own
        :: else -> letGo; goto rest
        fi
      }
    fi;

    /* A claim that made no owner is taken back wherever its leaf is. */
withdraw:
    if
    :: atomic { room ->
        c = 0; answer = 0; w = (w -> token[w] : w); end = w; at = 0;
        do
        :: at < last -> at++
        :: at > 0 && kind[at] == OWNED && token[at] == end && has(any, at) -> break
        :: at == last -> letGo; goto rest
        od;
        first(at);
        d_step {
#ifdef LOSERS_DELETE
            makeOnce(at, RESOLVED, fence[at], 0, 0, 0);
#else
            makeOnce(at, WITHDRAWN, fence[at], token[at], has(flagged, at), 0);
#endif
            take(c)
        };
        second(); letGo; goto rest
      }
#ifdef CRASH
    :: atomic { !finished -> died(); letGo; goto rest }
#endif
    fi
}

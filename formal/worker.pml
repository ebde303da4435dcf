/* Claimer, Branches, Rivals and Ownership: a worker claims the job, runs it and writes its end. */

inline letGo() {
    phase[me] = REST; mine[me] = 0; runs[me] = 0; over[me] = false; disputed[me] = false; at(me) = 0; sent(me) = 0
}

#define isMineAt(r) (kind(r) == OWNED && token(r) == mine[me])
#if defined(NO_D) || defined(NO_FENCING)
#define looksBack false
#else
#define looksBack true
#endif
#ifdef NO_E
#define contests(gone,claim) (gone >= claim)
#elif defined(BLIND_TO_TOMBSTONES)
#define contests(gone,claim) false
#else
#define contests(gone,claim) (gone + 1 >= claim)
#endif

#ifdef RETRIES
bool fails;
#define ends(r) (fails && !isFlagged(r) -> asFailed(r) : asEnded(r))
inline tellFailure() { if :: fails && !disputed[me] && !over[me] && errors(w) != 0 -> keptTold = true :: else fi }
#elif defined(CANCELS)
bool obeys;           /* an owner that was asked to cancel stops, or ends before it hears of that */
#define ends(r) (obeys && mayAcknowledge(r) -> asAcknowledged(r) : asEnded(r))
inline tellFailure() { skip }
#else
#define ends(r) asEnded(r)
inline tellFailure() { skip }
#endif

/* Subscribers in the process that writes an end hear its answer before others do: OwnWrites. */
#ifdef TOLD_BEFORE_LOOK
inline tellOwnProcess() { tellEnd(mine[me]) }
#else
inline tellOwnProcess() { skip }
#endif

#define isOurEnd(r) (!isClaim(r) && token(r) == mine[me])

#ifdef ENDS
#define forgetUnlessEnds at(me) = w
#else
#define forgetUnlessEnds skip
#endif
/* A claim of a revision that was written on the one this worker has claimed has the same fence, unless that write took the next one. It contests the claim
   until its claimer has taken it back. */
#ifdef CLAIMS_BELOW
byte later[CLAIMS + 1];
#define isTakenForSibling(r) has(later[mine[me]], token(r))
#elif defined(LATE)
#define isTakenForSibling(r) (kind(r) == WITHDRAWN && !isExpired(r))
#else
#define isTakenForSibling(r) false
#endif
/* Rivals.of: whether the claim is among what was read, and no other leaf contests it. */
inline judge() {
    j = 1;
    do
    :: j <= last && !(has(leaves, j) && isClaim(j) && token(j) == mine[me]) -> j++
    :: else -> break
    od;
    other = (j > last); isAsked = (j <= last && (isToEnd(j) || isToCancel(j))); i = 1;
    do
    :: i <= last && !other ->
        if
        :: !has(leaves, i) || (isClaim(i) && token(i) == mine[me])
        :: has(leaves, i) && isClaim(i) && token(i) != mine[me] ->
            other = !(fence(i) == fence(j) && (has(siblings[mine[me]], token(i)) || isTakenForSibling(i)))
        :: has(leaves, i) && isGoneKind(kind(i)) -> other = contests(fence(i), fence(j))
        :: has(leaves, i) && !isClaim(i) && !isGoneKind(kind(i)) -> other = true
        fi;
        i++
    :: else -> break
    od;
    i = 0; j = 0
}

/* After a conflict: the leaf to write on, be that its claim or its end; 0 when it has lost the job. Ownership.settles */
inline find() {
    at(me) = 0; i = 1;
    do
    :: i <= last ->
        if
        :: has(leaves, i) && (isOurEnd(i) || (kind(i) == OWNED && token(i) == mine[me] && at(me) == 0)) -> at(me) = i
        :: else
        fi;
        i++
    :: else -> break
    od;
    /* haltIfRivalled */
    if
    :: over[me] && at(me) != 0 ->
        rank(); i = 1;
        do
        :: i <= last ->
            if
            :: has(leaves, i) && i != at(me) && isLiveKind(kind(i)) && !(kind(i) == OWNED && token(i) == mine[me]) && (counts[i] > fence(at(me)) || (counts[i] == fence(at(me)) && !isFinished(at(me)))) -> other = true
            :: else
            fi;
            i++
        :: else -> break
        od;
        if :: other -> at(me) = 0 :: else fi
    :: else
    fi;
    i = 0
}

/* Rivals.haveOvertaken: a greater fence, but not that of a leaf which will count less than the end. */
#ifdef HALTS_IN_VAIN
#define overtakes(r) (counts[r] > runs[me])
#else
#define overtakes(r) (counts[r] > runs[me] && !mayBeOutweighed(r))
#endif
inline lookBack() {
    rank(); other = false; i = 1;
    do
    :: i <= last -> if :: has(leaves, i) && overtakes(i) -> other = true :: else fi; i++
    :: else -> break
    od;
    i = 0
}

#ifndef KEEPS
#define KEEPS 3
#endif

proctype Worker(byte me) {
    do
    /* Claims a leaf that waits. */
    :: atomic { room && phase[me] == REST && claims < CLAIMS && (me == 1 || claims > 0) ->
        selectOne(mayBeClaimed);
        if
        :: target == 0
        :: else ->
            chooseTakers(target);
            d_step {
                claims++; mine[me] = claims; base[claims] = target; news = asClaimed(target, claims); runs[me] = fence(target) + 1;
                i = 1;
                do
                :: i < claims -> if :: base[i] == target -> siblings[i] = siblings[i] | bit(claims); siblings[claims] = siblings[claims] | bit(i) :: else fi; i++
                :: else -> break
                od;
#ifdef CLAIMS_BELOW
                i = 1;
                do
                :: i < claims -> if :: base[i] != 0 && base[i] == parent[target] -> later[i] = later[i] | bit(claims) :: else fi; i++
                :: else -> break
                od;
#endif
                make(news); forgetUnlessEnds; take();
#ifdef LATE
                sent(me) = (isStored -> 0 : w); phase[me] = (isStored -> SENT : SENDING);
#elif defined(OWN_202)
                phase[me] = SENT;
#else
                phase[me] = (isStored -> SENT : LOST);
#endif
                tidy(); truth()
            }
        fi
      }
#ifdef LATE
    /* Another copy stores it, or nobody waits for that any more. */
    :: atomic { phase[me] == SENDING ->
        target = base[mine[me]];
        if
        :: target != 0 && sent(me) != 0 -> chooseLate(target, sent(me)); d_step { w = sent(me); take(); sent(me) = 0; phase[me] = SENT; tidy(); truth() }
        :: d_step { target = 0; sent(me) = 0; phase[me] = LOST; truth() }
        fi
      }
#endif
    /* Its claim was confirmed: it reads all leaves. */
    :: atomic { room && phase[me] == SENT ->
#ifdef CLAIMS_ALONE   /* its node may have lost the others since its claim was confirmed */
        chooseReaders();
#else
        chooseMajority();
#endif
        d_step {
            look(); judge();
            if
            :: other || over[me] -> phase[me] = LOST
            :: else -> phase[me] = OWNS; becomesOwner()
            fi;
            tidy(); truth()
        }
      }
#ifdef BUILD_ON_202
    /* It writes on its own claim, and takes the answer to that for the answer to the claim. */
    :: atomic { room && phase[me] == LOST ->
        selectOne(isMineAt);
        if
        :: target == 0
        :: else ->
            chooseTakers(target);
            d_step { make(rev[target]); take(); if :: isStored -> phase[me] = SENT :: else fi; tidy(); truth() }
        fi
      }
#endif
    /* The claim that made no owner is taken back. */
    :: atomic { room && phase[me] == LOST ->
        selectOne(isMineAt);
        if
        :: target == 0 -> d_step { letGo(); tidy() }
        :: else ->
            chooseTakers(target);
            d_step {
#ifdef LOSERS_DELETE
                w = 0;
#else
                news = asWithdrawn(target); make(news);
#endif
                take(); letGo(); tidy(); truth()
            }
        fi
      }
#ifdef MONITOR
    :: d_step { (phase[me] == SENT || phase[me] == OWNS || phase[me] == DOUBT) && !over[me] -> over[me] = true; truth() }
    :: d_step { over[me] && (phase[me] == OWNS || phase[me] == DOUBT) ->
#ifdef KEEPS_AGAIN
        keeping[me] = false;
#endif
        letGo(); tidy() }
#endif
#ifdef REVIVES
    :: d_step { phase[me] == OWNS && over[me] -> over[me] = false; truth() }
#endif
#ifdef ENDS
    /* It ends; what was sent before is sent again. */
    :: atomic { room && phase[me] == OWNS && at(me) != 0 ->
        target = at(me);
        chooseTakers(target);
#ifdef RETRIES
        if :: fails = false :: fails = true fi;
#elif defined(CANCELS)
        if :: obeys = false :: isToCancel(target) -> obeys = true fi;
#endif
        d_step {
            if
            :: sent(me) != 0 && kind(target) == OWNED -> w = sent(me)
            :: kind(target) != OWNED -> make(rev[target])
            :: sent(me) == 0 && mayEnd(target) -> news = ends(target); make(news)
            fi;
            take(); sent(me) = w;
#ifdef CANCELS
            obeys = false;
#endif
            if
            :: !isStored -> disputed[me] = true
            :: isStored && !isFinished(w) -> tellFailure(); letGo()
            :: isStored && isFinished(w) && (disputed[me] || over[me]) && looksBack -> tellOwnProcess(); phase[me] = DOUBT
            :: isStored && isFinished(w) && !((disputed[me] || over[me]) && looksBack) -> tellEnd(mine[me]); letGo()
            fi;
            tidy(); truth()
        }
      }
#ifdef KEEPS_AGAIN
    /* When its lease is over it reads all leaves, writes on its claim, reads again, and takes its lease for one again. */
    :: atomic { room && keeps < KEEPS && phase[me] == OWNS && over[me] && !keeping[me] && sent(me) == 0 && !disputed[me] ->
        chooseMajority();
        d_step { look(); other = false; find(); other = (at(me) == 0 || kind(at(me)) != OWNED) };
        if
        :: other -> d_step { letGo(); tidy() }
        :: else ->
            target = at(me);
            chooseTakers(target);
            d_step { if :: keeps == 0 -> dying[2] = everywhere :: else fi; keeps++; isUnlike = true; make(rev[target]); parent[w] = 0; isUnlike = false; take(); at(me) = w; keeping[me] = isStored; tidy(); truth() }
        fi
      }
    :: atomic { keeping[me] ->
        chooseMajority();
        d_step {
            look(); lookBack(); keeping[me] = false;
            if
            :: other -> letGo()
            :: else -> over[me] = false; assert(!owns(3 - me))
            fi;
            tidy(); truth()
        }
      }
#endif
#ifdef UPDATES
    /* It writes on its claim, such as progress. What was answered 202 is sent again, which is not in the model: it ends on what it had. */
    :: atomic { room && updates < UPDATES && phase[me] == OWNS && at(me) != 0 && sent(me) == 0 && !disputed[me] ->
        target = at(me);
        chooseTakers(target);
        d_step { updates++; make(rev[target]); take(); if :: isStored -> at(me) = w :: else fi; tidy(); truth() }
      }
#endif
    /* The copies refuse it. */
    :: atomic { room && phase[me] == OWNS && (at(me) == 0 || !has(leaf[1] & leaf[2] & leaf[3], at(me))) ->
        chooseMajority();
        d_step {
            look(); find();
            if
            :: at(me) == 0 -> letGo()
            :: else -> if :: kind(at(me)) == OWNED && at(me) != 0 -> sent(me) = 0 :: else fi; disputed[me] = true
            fi;
            tidy()
        }
      }
    :: atomic { room && phase[me] == DOUBT ->
#ifdef LOOKS_ALONE    /* its node may have lost the others since its end was confirmed */
        chooseReaders();
#else
        chooseMajority();
#endif
        d_step {
            look(); lookBack();
            assert(!(other && best != 0 && isOurEnd(best) && fence(best) == runs[me]));   /* nobody halts whose end counts most */
            if :: other :: else -> tellEnd(mine[me]) fi;
            letGo(); tidy(); truth()
        }
      }
#endif
    od
}

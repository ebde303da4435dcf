/* Replication, Resolver and ActivityMonitor: one step each. */

active proctype Network() {
    do
    :: d_step { isNews(1, 2) -> replicate(1, 2); tidy(); truth() }
    :: d_step { isNews(2, 1) -> replicate(2, 1); tidy(); truth() }
    :: d_step { isNews(1, 3) -> replicate(1, 3); tidy(); truth() }
    :: d_step { isNews(3, 1) -> replicate(3, 1); tidy(); truth() }
    :: d_step { isNews(2, 3) -> replicate(2, 3); tidy(); truth() }
    :: d_step { isNews(3, 2) -> replicate(3, 2); tidy(); truth() }
    od
}

/* One round: reads, decides, writes. Losers are deleted one after the other: what was confirmed counts for all. */
proctype Resolver(byte me) {
    bool isProof;
    do
    :: atomic {
        chooseReaders();
        d_step { look(); resolve(ref[me]); isProof = (verdict == CONFIRM); if :: verdict == DELETE && losers != bit(target) :: else -> ref[me] = 0 fi };
        if
        :: target == 0 || (news != 0 && !room) -> who = 0; target = 0; news = 0; isProof = 0
        :: else ->
            chooseTakers(target);
            d_step {
                if :: news != 0 -> make(news) :: else -> w = 0 fi;
                take();
                if :: isProof && isMajority -> ref[me] = w :: else fi;
                isProof = false;
                tidy(); truth()
            }
        fi
      }
    od
}

#ifdef MONITOR
/* It reads between two confirmed writes, and writes. */
active proctype Monitor() {
    do
    :: atomic {
        chooseMajority();
        d_step {
            look(); i = 1;
            do
            :: i <= last && !(leaves == bit(i) && kind(i) == OWNED && !isHeld(token(i))) -> i++
            :: else -> break
            od;
            target = (i <= last -> i : 0); i = 0; who = 0
        };
        if
        :: target == 0 || !room -> target = 0
        :: else ->
            chooseTakers(target);
            d_step {
                if :: isFlagged(target) -> news = revision(PENDING, again(fence(target)), 0) :: else -> news = revision(PENDING, fence(target), 0) fi;
                make(news);
                take(); tidy(); truth()
            }
        fi
      }
    od
}
#endif

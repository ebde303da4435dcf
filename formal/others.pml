/* ActivityMonitor, Creator, Retention and a subscriber. */

#ifdef MONITOR
/* The lease of a claim that nobody holds is over. The monitor reads between two confirmed writes. */
proctype Monitor() {
    byte w, c, answer, at;
    short view;

    do
    :: atomic { room ->
idle:
        do
        :: at < last -> at++
        :: at > 0 && kind[at] == OWNED && has(any, at) && !isAlive(token[at]) -> break
        :: at == last -> at = 0; goto rest
        od;
        readConfirmed();
        d_step {
            leavesOf(view);
            c = (has(live, at) -> 1 : 0);
            other = (live != bit(at));
            answer = (other -> 1 : 0);
            best = 0; leaves = 0; live = 0; other = false; view = 0
        };
        if
        :: c == 0 -> at = 0; answer = 0; goto rest
        :: else -> c = 0; busy = busy | bit(4)
        fi
      }
      if
      :: atomic { room && has(any, at) ->
            first(at);
            d_step {
                if
                :: answer == 1 -> makeOnce(at, WITHDRAWN, fence[at], token[at], has(flagged, at), 1)
                :: else ->
#ifdef NO_G
                    makeOnce(at, PENDING, fence[at], 0, 0, 0)
#else
                    makeOnce(at, PENDING, fence[at] + has(flagged, at), 0, 0, 0)
#endif
                fi;
                take(c); at = 0; answer = 0
            };
            second(); w = 0; answer = 0; busy = busy & ~bit(4) }
      :: atomic { isRefused(at) && !finished -> at = 0; answer = 0; busy = busy & ~bit(4) }
      fi;
rest:
      skip
    od
}
#endif

#ifdef FROZEN
/* The lease of the first worker runs out while it does not know it. */
active proctype Clock() {
    atomic { mine[1] != 0 && !finished -> over = over | bit(1) }
}
#endif

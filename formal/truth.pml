/* What must hold. */

bool begun;           /* somebody has claimed the job */
byte end_told;        /* the end that somebody was told */

inline died() { skip }

#ifdef NO_FENCING
#define otherOwns ((owns & ~bit(me)) != 0)
#else
#define otherOwns ((owns & ~bit(me) & ~over) != 0)
#endif

inline becomesOwner() {
    printf("worker %d owns the job by revision %d\n", me, w);
    assert(!otherOwns);          /* never two owners */
    assert(end_told == 0)        /* nobody runs a job that has ended */
}

inline toldEnd() {
    printf("worker %d is told that end %d is stored\n", me, w);
    assert(!otherOwns);
    if :: kind[w] == ENDED -> end_told = w :: else fi
}

/* When all is at rest, all copies are the same, and the leases of the dead are over: the leaves are resolved to the end. */
active proctype Rest() {
    byte w, verdict, target, nk, nf, nx, confirmed;
    short view, losers;

    d_step { begun && busy == 0 && owns == 0 && mine[1] == 0 && mine[2] == 0 && !finished ->
        view = known[1] | known[2] | known[3];
        do
        :: w < 12 ->
            resolve(view, confirmed);
            confirmed = 0;
            /* No new revisions here: nobody else sees them. */
            if
            :: verdict == SETTLED -> break
            :: verdict == DELETE ->
                i = 1;
                do
                :: i <= last -> if :: has(losers, i) -> kind[i] = RESOLVED :: else fi; i++
                :: else -> break
                od
            :: verdict == UNDECIDED -> kind[target] = WITHDRAWN; expired = expired | bit(target)
            :: else -> kind[target] = nk; fence[target] = nf; confirmed = target; 
                flagged = flagged & ~bit(target); flagged = flagged | (nx << target)
            fi;
            losers = 0; w++
        :: else -> break
        od;
        assert(w < 12);                                                  /* resolution comes to an end */
        leavesOf(view);
        printf("all is at rest: what counts is revision %d, kind %d, fence %d\n", best, kind[best], fence[best]);
        assert(best != 0 && (isLive(best) || kind[best] == RETIRED));    /* no job is lost */
        assert(live == 0 || live == bit(best));                          /* and one leaf is left */
        if
        :: end_told != 0 -> assert((kind[best] == ENDED || kind[best] == RETIRED) && fence[best] == fence[end_told])
        :: else
        fi;
        /* Nothing comes after this; one state is enough. */
        finished = true;
        i = 1;
        do
        :: i < SIZE -> parent[i] = 0; kind[i] = 0; fence[i] = 0; token[i] = 0; depth[i] = 0; i++
        :: else -> break
        od;
        known[1] = 0; known[2] = 0; known[3] = 0; leaf[1] = 0; leaf[2] = 0; leaf[3] = 0;
        last = 0; flagged = 0; expired = 0; begun = 0; end_told = 0;
        i = 0; best = 0; leaves = 0; live = 0; view = 0; w = 0; target = 0; nk = 0; nf = 0; nx = 0; confirmed = 0
    }
}

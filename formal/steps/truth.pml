/* What must hold, after each step. */

byte told;            /* the run whose end somebody was told */
bool goneTold;        /* somebody was told that the job is gone */

#ifdef NO_FENCING
#define owns(me) (phase[me] == OWNS)
#else
#define owns(me) (phase[me] == OWNS && !over[me])
#endif

inline becomesOwner() {
    assert(!(owns(1) && owns(2)));   /* never two owners */
    assert(told == 0);               /* nobody runs what has ended */
    assert(!goneTold)
}

inline tellEnd(run_, what) {
    if :: what == ENDED -> told = run_ :: else fi
}

inline truth() {
    past = (known[1] & ~leaf[1]) | (known[2] & ~leaf[2]) | (known[3] & ~leaf[3]);
    seen = everywhere & ~past;
    assert(seen != 0);               /* no job is lost */
    if
    :: told != 0 ->                  /* an end that was told stands */
        i = 1;
        do
        :: i <= last && !(has(seen, i) && ((kind(i) == ENDED && token(i) == told) || kind(i) == RETIRED)) -> i++
        :: else -> break
        od;
        assert(i <= last)
    :: else
    fi;
    seen = 0; past = 0; i = 0
}

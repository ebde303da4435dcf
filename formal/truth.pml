/* What must hold, after each step. */

byte told;            /* the run whose end somebody was told */
bool goneTold;        /* somebody was told that the job is gone */
bool askedAgain;      /* somebody has asked for another run, so no end is the last */
bool wished;          /* somebody was told that the job will be run once more, and it was not yet */
bool keptTold;        /* a run has failed, and its retry was confirmed; of a chunk, the end of an item was confirmed */
#ifdef CANCELS
byte cancelAsked;     /* it was confirmed that somebody asks the owner to cancel the job; so many claims were made before */
#define isLateRun(me) (cancelAsked != 0 && mine[me] > cancelAsked && !isAsked)
#define hasRequest(r) (cancelAsked == 0 || isToCancel(r) || isToEnd(r) || isFinished(r) || isGoneKind(kind(r)))
#else
#define isLateRun(me) false
#define hasRequest(r) true
#endif
hidden byte isAsked;  /* the claim of a worker that looks has the request, or was made only to end the job */
hidden byte isToStop;
byte greatest;        /* the greatest fence of an owner */

/* It runs the job. A worker that has sent its end has run it. */
#ifdef NO_FENCING
#define owns(me) (phase[me] == OWNS && !disputed[me])
#else
#define owns(me) (phase[me] == OWNS && !disputed[me] && !over[me])
#endif

inline becomesOwner() {
    assert(!(owns(1) && owns(2)));   /* never two owners */
    assert(told == 0);               /* nobody runs what has ended, */
    assert(!goneTold);               /* or is gone */
    assert(runs[me] > greatest);     /* each owner has a greater fence than the one before */
    assert(!isLateRun(me));          /* when somebody was told that an owner is asked to cancel, the next one is asked, too */
    greatest = runs[me];
    wished = false
}

inline tellEnd(run_) {
    assert(!(owns(1) && mine[1] != run_) && !(owns(2) && mine[2] != run_));   /* while nobody else runs the job */
    assert(!goneTold);
#ifdef CANCELS
    assert(told == 0 || told == run_);   /* nor another end than before */
#endif
    told = (askedAgain -> 0 : run_)
}

#ifdef ARRAYS
#define remembers(r) (!isOpen(r))
#else
#define remembers(r) (errors(r) != 0)
#endif
inline truth() {
    past = (known[1] & ~leaf[1]) | (known[2] & ~leaf[2]) | (known[3] & ~leaf[3]);
    seen = everywhere & ~past; live = 0; other = false; w = !keptTold;
    assert(seen != 0);               /* no job is lost */
    isToStop = false; i = 1;
    do
    :: i <= last ->
        if :: has(seen, i) && hasRequest(i) -> isToStop = true :: else fi;
        if :: has(seen, i) && (remembers(i) || isGoneKind(kind(i))) -> w = true :: else fi;
        if
        :: !has(seen, i)
        :: has(seen, i) && (kind(i) == OWNED || kind(i) == PENDING || kind(i) == WITHDRAWN) -> live = 1
        :: has(seen, i) && (isGoneKind(kind(i)) || (isFinished(i) && token(i) == told)) -> other = true
        :: else
        fi;
        i++
    :: else -> break
    od;
    assert(told == 0 || other);      /* an end that was told stands, or was deleted by somebody */
    assert(!wished || live != 0);    /* no wish for another run is lost */
    assert(w);                       /* nor the error of a run that failed, or the end of an item */
    assert(isToStop);                /* nor a request to cancel */
    seen = 0; past = 0; i = 0; w = 0; live = 0; other = false
}

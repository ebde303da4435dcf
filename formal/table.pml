/* Prints the rules on all small inputs. The tests of the classes compare these lines with what the classes do. */
#include "document.pml"
#include "held.pml"
#include "resolution.pml"
#include "transitions.pml"

#define MOST_LEAVES 60
CODE alphabet[MOST_LEAVES + 1];
byte size, a, b, c, n;
int mark;

/* Claims t1 and t2 are of one revision, t3 is a later one. */
#define isSmallClaim(r) (token(r) >= 1 && token(r) <= 3 && fence(r) == (token(r) == 3 -> 2 : 1) && (kind(r) == WITHDRAWN || !isExpired(r)) && !isObituary(r))
#define isSmall(r,least,most) (fence(r) >= least && fence(r) <= most)
#define isSmallOther(r) (token(r) == 0 && flags(r) == 0 && !isExpired(r) \
    && ((kind(r) == PENDING && isSmall(r, isObituary(r), 2)) || (kind(r) == ENDED && isSmall(r, 1, 2)) \
    || (kind(r) == RETIRED && isSmall(r, 1, 2) && !isObituary(r)) || (kind(r) == REMOVED && isSmall(r, 1, 3) && !isObituary(r))))

/* Leaves that have to do with cancellation, and those that they may meet. */
#define marks(r) (rev[r] & (FLAGGED | CANCEL | END_AS))
#define isCancelClaim(r) (kind(r) == OWNED || kind(r) == WITHDRAWN) && (kind(r) == WITHDRAWN || !isExpired(r)) && !isObituary(r) \
    && ((token(r) == 1 && fence(r) == 1 && (marks(r) == 0 || marks(r) == CANCEL || marks(r) == (CANCEL | FLAGGED))) \
    || (token(r) == 3 && fence(r) == 2 && (marks(r) == 0 || marks(r) == CANCEL || marks(r) == END_AS)))
#define isCancelOther(r) (token(r) == 0 && !isExpired(r) \
    && ((kind(r) == PENDING && isSmall(r, 1, (isObituary(r) -> 1 : 2)) && (marks(r) == 0 || marks(r) == END_AS)) \
    || (marks(r) == 0 && !isObituary(r) && ((kind(r) == CANCELLED && isSmall(r, 1, 2)) || (kind(r) == ENDED && isSmall(r, 1, 1)) \
    || (kind(r) == REMOVED && isSmall(r, 2, 2)) || (kind(r) == RETIRED && isSmall(r, 1, 1))))))
#define isOfCancel(r) ((isClaim(r) && isCancelClaim(r)) || isCancelOther(r))
#define isOfOthers(r) ((isClaim(r) && isSmallClaim(r) && marks(r) == (rev[r] & FLAGGED)) || isSmallOther(r))
#ifndef CANCELS
#define isInTable(r) isOfOthers(r)
#elif defined(TRANSITIONS)
#define isInTable(r) (isOfOthers(r) || isOfCancel(r))
#else
#define isInTable(r) isOfCancel(r)
#endif

inline tellLeaf(r) {
    if
    :: kind(r) == RETIRED -> printf("retired")
    :: kind(r) == ENDED -> printf("ended")
    :: kind(r) == OWNED -> printf("owned")
    :: kind(r) == CANCELLED -> printf("cancelled")
    :: kind(r) == PENDING -> printf("pending")
    :: kind(r) == REMOVED -> printf("removed")
    :: kind(r) == WITHDRAWN -> printf("withdrawn")
    fi;
    printf(" %d", fence(r));
    if :: isClaim(r) -> printf(" t%d", token(r)) :: else fi;
    if :: isExpired(r) || (!isClaim(r) && isObituary(r)) -> printf(" expired") :: else fi;
    if :: isFlagged(r) -> printf(" asked") :: else fi;
    if :: isToCancel(r) -> printf(" cancelRequested") :: else fi;
    if :: isToEnd(r) -> printf(" endAs") :: else fi
}

inline tellSet(set) {
    n = 1;
    do
    :: n <= last -> if :: has(set, n) -> printf(" %d", n) :: else fi; n++
    :: else -> break
    od
}

inline tellVerdict() {
    if
    :: verdict == SETTLED -> printf("settled")
    :: verdict == UNDECIDED -> printf("undecided")
    :: verdict == CONFIRM -> printf("write on %d: ", target); rev[0] = news; tellLeaf(0)
    :: verdict == DELETE ->
        act();
        printf("delete"); tellSet(losers);
        if :: news != 0 -> printf(": "); rev[0] = news; tellLeaf(0) :: else fi
    fi
}

inline addLeaf(l) { if :: l != 0 -> last++; rev[last] = alphabet[l]; leaves = leaves | bit(last) :: else fi }

inline tellResolution() {
    last = 0; leaves = 0; addLeaf(a); addLeaf(b); addLeaf(c);
    n = 1;
    do
    :: n <= last -> if :: n > 1 -> printf(", ") :: else fi; tellLeaf(n); n++
    :: else -> break
    od;
    printf("\t"); resolve(0); tellVerdict();
    printf("\t"); w = best; resolve(w); tellVerdict();
    printf("\n")
}

/* What is written on leaf 1; nothing, where the model does not do so. */
#define tellStep(may, written) \
    printf("\t"); \
    if \
    :: may -> rev[0] = written; tellLeaf(0) \
    :: else -> printf("-") \
    fi

/* A claim, a withdrawal, an end, an expiry, retention, a wish for a run, a removal; the end of an owner that stops, a cancellation, a request to cancel. */
inline tellTransitions() {
    rev[1] = alphabet[a]; tellLeaf(1);
    tellStep(mayBeClaimed(1), asClaimed(1, 3));
    tellStep(mayBeWithdrawn(1), asWithdrawn(1));
    tellStep(mayEnd(1), asEnded(1));
    tellStep(mayExpire(1), asExpired(1));
    tellStep(mayBeRetired(1), asRetired(1));
    tellStep(mayBeAsked(1), asAsked(1));
    tellStep(mayBeRemoved(1), asRemoved(1));
    tellStep(mayAcknowledge(1), asAcknowledged(1));
    tellStep(mayBeCancelled(1), asCancelled(1));
    tellStep(mayBeAskedToCancel(1), asAskedToCancel(1));
    printf("\n")
}

init {
    do
    :: x = 1;
       do
       :: x < FAILURE ->
           rev[0] = x | mark;
           if
           :: isInTable(0) -> size++; alphabet[size] = rev[0]
           :: else
           fi;
           x++
       :: else -> break
       od;
       if
       :: mark == 0 && CANCEL != 0 -> mark = CANCEL
       :: mark == CANCEL && CANCEL != 0 -> mark = END_AS
       :: else -> break
       fi
    od;
#ifdef TRANSITIONS
    a = 1;
    do
    :: a <= size -> tellTransitions(); a++
    :: else -> break
    od;
    a = size + 1;
#endif
    do
    :: a <= size ->
        b = a;
        do
        :: b <= size ->
            c = (b == 0 -> 1 : b);
            do
            :: c <= size -> tellResolution(); c++
            :: else -> break
            od;
            b++
        :: else -> break
        od;
        a++
    :: else -> break
    od
}

/* One job document on three copies that take writes on their own. */

#define RETIRED   1   /* Leaf.Kind, in its order: among leaves of one fence the first counts most */
#define ENDED     2
#define OWNED     3
#define CANCELLED 4
#define PENDING   5
#define RESUBMITTED 6   /* what a withdrawn claim counts as whose owner was asked for another run */
#define REMOVED   7
#define WITHDRAWN 8

#ifndef REVS
#define REVS 6        /* this many revisions are a leaf somewhere at one time, at most */
#endif
#ifndef CLAIMS
#define CLAIMS 2      /* claims in all */
#endif

/* A revision says: its kind, its fence, the token of its claim (of an end or a retry: which run ended), and some marks. */
#define kind(r)    (rev[r] & 15)
#define fence(r)   ((rev[r] >> 4) & 15)
#define token(r)   ((rev[r] >> 8) & 7)
#define FLAGGED    2048   /* somebody asks the owner for another run */
#define EXPIRED    4096   /* the claim was withdrawn because its lease was over */
#define OBITUARY   8192   /* the last run ended when its lease was over. A claim has the mark while it may be withdrawn */
#define FAILURE   16384   /* the error of the first run that failed is among the errors */
#ifdef ARRAYS
#define OPEN      32768   /* an item of the chunk has not ended. Of two leaves that are equal else this one counts more, for the worst */
#else
#define OPEN          0
#endif
#if defined(CANCELS) || defined(PARTED)
#define CODE    int
#else
#define CODE  short
#endif
#ifdef CANCELS
#define CANCEL  65536     /* somebody asks the owner to cancel the job */
#define END_AS 131072     /* the next claim cancels the job, and does not run it; a claim with the mark was made for that */
#else
#define CANCEL        0
#define END_AS        0
#endif
#ifdef PARTED
#define FRESH  262144     /* the job was never run on this branch, which parted from the others before they claimed it. A claim has the mark while it may be withdrawn */
#else
#define FRESH         0
#endif
#define flags(r)   (rev[r] & (FLAGGED | CANCEL | END_AS))
#define isToCancel(r) ((rev[r] & CANCEL) != 0)
#define isToEnd(r) ((rev[r] & END_AS) != 0)
#define isFlagged(r) ((rev[r] & FLAGGED) != 0)
#define isExpired(r) ((rev[r] & EXPIRED) != 0)
#define isObituary(r) ((rev[r] & OBITUARY) != 0)
#define isOpen(r)  ((rev[r] & OPEN) != 0)
#define errors(r)  (rev[r] & FAILURE)
#define kept(r)    (rev[r] & (FAILURE | OPEN))
#define story(r)   (rev[r] & (OBITUARY | FAILURE | OPEN | FRESH))
#define isFinished(r) (kind(r) == ENDED || kind(r) == CANCELLED)
#define isClaim(r) (kind(r) == OWNED || kind(r) == WITHDRAWN)
#define isLiveKind(k) (k >= ENDED && k != REMOVED)
#define isGoneKind(k) (k == RETIRED || k == REMOVED)
#define revision(k,f,t) ((k) | ((f) << 4) | ((t) << 8))

#define bit(r)     (1 << (r))
#define has(set,r) (((set) >> (r)) & 1)

CODE rev[REVS + 1];  /* in order, so that a document has one form only; of equal ones the newest comes first, as its branch is longer; 0 is none */
byte parent[REVS + 1];
byte last;            /* how many there are */
short known[4];       /* copy 1 to 3: the revisions that it knows, */
short leaf[4];        /* and those of them that are leaves there. A leaf that has lost is known and no leaf: its tombstone says nothing */
#ifdef APART
short apart[4];       /* those leaves that a copy does not know for ancestors of its other leaves: it stored a later revision first, without its history */
#define isApart(c)    apart[c]
#else
#define isApart(c)    0
#endif

byte base[CLAIMS + 1];    /* what a claim was made on */
byte siblings[CLAIMS + 1];  /* claims of the same revision */
byte claims;          /* how many were made */

byte who;             /* the copies that take a write or answer a reading: 1, 2, 4, and their sums */
byte target;          /* what is written on */
CODE news;            /* what is written; 0 is the tombstone of a leaf that lost */

/* What processes remember: 1, 2: what a worker writes on; 3, 4: what it has sent; 5, 6: what a resolver has had confirmed; 7: what a
   subscriber or a remover was shown, or a creator has found; 8: what a monitor was; 9: what a canceller has written, and nobody confirmed. */
#if defined(CANCELS)
#define MOST 9
#elif defined(MONITOR)
#define MOST 8
#elif defined(SUBSCRIBER) || defined(REMOVAL) || defined(FINDS)
#define MOST 7
#else
#define MOST 6
#endif
byte ref[MOST + 1];
short dying[3];       /* what resolvers 5 and 6 are about to delete, as they decided when they read; [2] is what was there before an owner wrote after its lease */

/* Scratch, of single steps only. */
hidden byte isUnlike; /* what is written has other bytes than what a resolver writes */
hidden byte i, j, w, best;
hidden short leaves, live, seen, past, x;
hidden byte other;

#define isIn(c)    (who & (1 << ((c) - 1)))
#define isMajority (who == 3 || who >= 5)
#ifdef W1
#define isStored true         /* answered 201 */
#else
#define isStored isMajority
#endif
#define everywhere (leaf[1] | leaf[2] | leaf[3])
#define isAlike(a,b) (known[a] == known[b] && leaf[a] == leaf[b] && isApart(a) == isApart(b))

/* The copies that take a write are some of those that have p as a leaf. Copies are in order, so of two alike it is the first. */
inline chooseTakers(p) {
    if
    :: has(leaf[1], p) -> who = 1
    :: has(leaf[2], p) && !isAlike(1, 2) -> who = 2
    :: has(leaf[3], p) && !isAlike(2, 3) -> who = 4
    :: has(leaf[1], p) && has(leaf[2], p) -> who = 3
    :: has(leaf[1], p) && has(leaf[3], p) && !isAlike(2, 3) -> who = 5
    :: has(leaf[2], p) && has(leaf[3], p) && !isAlike(1, 2) -> who = 6
    :: has(leaf[1], p) && has(leaf[2], p) && has(leaf[3], p) -> who = 7
    fi
}

/* One more copy stores what another one has: it has p as a leaf. */
inline chooseLate(p, r) {
    if
    :: has(leaf[1], p) && !has(known[1], r) -> who = 1
    :: has(leaf[2], p) && !has(known[2], r) -> who = 2
    :: has(leaf[3], p) && !has(known[3], r) -> who = 4
    fi
}

/* What a reading of the document by quorum may show: a leaf that two copies have, or have after CouchDB has repaired them. Another leaf may be hidden. */
#if defined(ENDS_FROM_ONE_COPY) || defined(READS_LEAVES_ONLY)
#define isShown(r) has(everywhere, r)
#else
#define isShown(r) (has(leaf[1] & leaf[2], r) || has(leaf[1] & leaf[3], r) || has(leaf[2] & leaf[3], r))
#endif

/* Sets the target to one of the revisions that are so, if there is one. */
#define selectOne(which) \
    if \
    :: last >= 1 && which(1) -> target = 1 \
    :: last >= 2 && which(2) -> target = 2 \
    :: last >= 3 && which(3) -> target = 3 \
    :: last >= 4 && which(4) -> target = 4 \
    :: last >= 5 && which(5) -> target = 5 \
    :: last >= 6 && which(6) -> target = 6 \
    :: last >= 7 && which(7) -> target = 7 \
    :: last >= 8 && which(8) -> target = 8 \
    :: else \
    fi

/* A node that is cut off is answered by one copy, others by two. What is read between two confirmed writes is all leaves of two copies,
   which need not agree. */
inline chooseMajority() {
    if
    :: who = 3
    :: !isAlike(2, 3) -> who = 5
    :: !isAlike(1, 2) -> who = 6
    fi
}

inline chooseReaders() {
    if
    :: who = 1
    :: !isAlike(1, 2) -> who = 2
    :: !isAlike(2, 3) -> who = 4
    :: who = 3
    :: !isAlike(2, 3) -> who = 5
    :: !isAlike(1, 2) -> who = 6
    fi
}

/* All leaves of those copies together. */
inline look() {
    leaves = 0; past = 0; i = 1;
    do
    :: i <= 3 -> if :: isIn(i) -> leaves = leaves | leaf[i]; past = past | (known[i] & ~leaf[i]) :: else fi; i++
    :: else -> break
    od;
    leaves = leaves & ~past; i = 0; past = 0
}

#define below(set,r)  ((set) & (bit(r) - 1))
#define spread(set,r) (below(set, r) | (((set) & ~(bit(r) - 1)) << 1))
#define squeeze(set,r) (below(set, r) | (((set) >> 1) & ~(bit(r) - 1)))

#ifdef APART
#define spreadApart(c,r)  apart[c] = spread(apart[c], r)
#define squeezeApart(c,r) apart[c] = squeeze(apart[c] & ~bit(r), r)
#define joinApart(c,r)    apart[c] = apart[c] & ~bit(r)
#define swapApart(a,b)    x = apart[a]; apart[a] = apart[b]; apart[b] = x
#else
#define spreadApart(c,r)  skip
#define squeezeApart(c,r) skip
#define joinApart(c,r)    skip
#define swapApart(a,b)    skip
#endif

#define room (last < REVS)

/* A new revision finds its place. */
inline make(what) {
    w = 1;
    do
    :: w <= last && !(!isUnlike && rev[w] == what && parent[w] == target) -> w++
    :: else -> break
    od;
    if
    :: w <= last   /* the same bytes on the same revision are the same revision */
    :: else ->
    w = 1;
    do
    :: w <= last && rev[w] < what -> w++
    :: else -> break
    od;
    i = last;
    do
    :: i >= w -> rev[i + 1] = rev[i]; parent[i + 1] = parent[i]; i--
    :: else -> break
    od;
    rev[w] = what; parent[w] = 0; last++;
    i = 1;
    do
    :: i <= last -> if :: parent[i] >= w -> parent[i]++ :: else fi; i++
    :: else -> break
    od;
    i = 1;
    do
    :: i <= 3 -> known[i] = spread(known[i], w); leaf[i] = spread(leaf[i], w); spreadApart(i, w); i++
    :: else -> break
    od;
    i = 1;
    do
    :: i <= CLAIMS -> if :: base[i] >= w -> base[i]++ :: else fi; i++
    :: else -> break
    od;
    i = 1;
    do
    :: i <= MOST -> if :: ref[i] >= w -> ref[i]++ :: else fi; i++
    :: else -> break
    od;
    dying[0] = spread(dying[0], w); dying[1] = spread(dying[1], w); dying[2] = spread(dying[2], w);
    if :: target >= w -> target++ :: else fi;
    parent[w] = target
    fi;
    i = 0
}

/* Those copies take w on the target. */
inline take() {
    i = 1;
    do
    :: i <= 3 ->
        if
        :: isIn(i) -> leaf[i] = leaf[i] & ~bit(target); joinApart(i, target);
            if :: w != 0 -> known[i] = known[i] | bit(w); leaf[i] = leaf[i] | bit(w) :: else fi
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

#define isLess(a,b) (known[a] < known[b] || (known[a] == known[b] && (leaf[a] < leaf[b] || (leaf[a] == leaf[b] && isApart(a) < isApart(b)))))
inline swap(a, b) {
    x = known[a]; known[a] = known[b]; known[b] = x;
    x = leaf[a]; leaf[a] = leaf[b]; leaf[b] = x; swapApart(a, b); x = 0
}

/* What is a leaf nowhere is forgotten, and the copies are put in order. */
inline tidy() {
    j = last;
    do
    :: j >= 1 ->
        if
        :: !has(everywhere, j) ->
            i = j;
            do
            :: i < last -> rev[i] = rev[i + 1]; parent[i] = parent[i + 1]; i++
            :: else -> break
            od;
            rev[last] = 0; parent[last] = 0; last--;
            i = 1;
            do
            :: i <= last -> if :: parent[i] == j -> parent[i] = 0 :: parent[i] > j -> parent[i]-- :: else fi; i++
            :: else -> break
            od;
            i = 1;
            do
            :: i <= 3 -> known[i] = squeeze(known[i] & ~bit(j), j); leaf[i] = squeeze(leaf[i] & ~bit(j), j); squeezeApart(i, j); i++
            :: else -> break
            od;
            dying[0] = squeeze(dying[0] & ~bit(j), j); dying[1] = squeeze(dying[1] & ~bit(j), j); dying[2] = squeeze(dying[2] & ~bit(j), j);
            i = 1;
            do
            :: i <= CLAIMS -> if :: base[i] == j -> base[i] = 0 :: base[i] > j -> base[i]-- :: else fi; i++
            :: else -> break
            od;
            i = 1;
            do
            :: i <= MOST -> if :: ref[i] == j -> ref[i] = 0 :: ref[i] > j -> ref[i]-- :: else fi; i++
            :: else -> break
            od
        :: else
        fi;
        j--
    :: else -> break
    od;
    if :: isLess(2, 1) -> swap(1, 2) :: else fi;
    if :: isLess(3, 2) -> swap(2, 3) :: else fi;
    if :: isLess(2, 1) -> swap(1, 2) :: else fi;
    who = 0; target = 0; news = 0; i = 0; j = 0; w = 0; leaves = 0; live = 0; best = 0; other = false
}
/* Internal replication brings the leaves that a copy does not know, with their histories. It connects nothing when there are none. */
inline replicate(from, to) {
    past = (known[from] & ~leaf[from]) | (known[to] & ~leaf[to]);
#ifdef APART
    if
    :: (leaf[from] & ~known[to]) != 0 -> apart[to] = (apart[to] | apart[from]) & ~past
    :: else -> past = past & ~apart[to]
    fi;
#endif
    known[to] = known[to] | known[from];
    leaf[to] = (leaf[to] | leaf[from]) & ~past;
    past = 0
}
#define isNews(from, to) ((known[from] & ~known[to]) != 0 || (known[from] & ~leaf[from] & leaf[to] & ~isApart(to)) != 0)

#ifdef APART
/* Somebody writes a leaf with its whole history. */
inline connect(to) { leaf[to] = leaf[to] & ~apart[to]; apart[to] = 0 }
#endif

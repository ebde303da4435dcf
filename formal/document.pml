/* One job document: a tree of revisions, and three copies of it that take writes on their own. */

#define RETIRED   1   /* Leaf.Kind, in its order: among leaves of one fence the first counts most */
#define ENDED     2
#define OWNED     3
#define CANCELLED 4
#define PENDING   5
#define REMOVED   6
#define WITHDRAWN 7
#define RESOLVED  8   /* the tombstone of a leaf that lost: it does not count */

#define STORED   201
#define ACCEPTED 202
#define CONFLICT 409
#define UNKNOWN  0    /* the answer was lost */

#ifndef REVS
#define REVS 9        /* this many revisions are written at most */
#endif
#define SIZE (REVS + 1)

byte last;            /* the newest revision; 1 is the first one, 0 is none */
byte parent[SIZE], kind[SIZE], fence[SIZE];
byte token[SIZE];     /* of a claim and what follows it: the revision of the claim, which is unique as its token is */
byte depth[SIZE];     /* CouchDB's generation */
short flagged;        /* revisions that ask the owner for another run */
short expired;        /* claims that were withdrawn because the lease was over */

short known[4];       /* copy 1 to 3: the revisions that it knows */
short leaf[4];        /* those without a known child */

byte mine[3];         /* the claim that a worker holds, or has under way; 0 is none */
byte owns;            /* workers that run the job now */
byte over;            /* workers whose lease is over while they do not know it */
byte busy;            /* processes in the middle of something */
bool finished;

#define bit(r)     (1 << (r))
#define has(set,r) (((set) >> (r)) & 1)
#define room       (last < REVS && !finished)
#define any        (leaf[1] | leaf[2] | leaf[3])
#define isLive(r)  (kind[r] <= WITHDRAWN && kind[r] != RETIRED && kind[r] != REMOVED)
#define isGone(r)  (kind[r] == RETIRED || kind[r] == REMOVED)
#define isEnd(r)   (kind[r] == ENDED || kind[r] == CANCELLED)

#ifdef NO_B
#define counts(r)  (kind[r] == WITHDRAWN && !has(expired, r) -> fence[r] - 1 : fence[r])
#else
#define counts(r)  (kind[r] == WITHDRAWN -> fence[r] - 1 : fence[r])
#endif

#define isLonger(a,b) (depth[a] > depth[b] || (depth[a] == depth[b] && a > b))
#ifdef LONGEST_BRANCH
#define beats(a,b) (isLive(a) > isLive(b) || (isLive(a) == isLive(b) && isLonger(a, b)))
#else
#define beats(a,b) (counts(a) > counts(b) || (counts(a) == counts(b) && (kind[a] < kind[b] || (kind[a] == kind[b] && isLonger(a, b)))))
#endif

/* Scratch, used inside of single steps only. */
hidden byte i, best, x, least;
hidden short leaves, live, path;
hidden byte other, asked;

inline make(from, what, number, claim) {
    last++;
    parent[last] = from; kind[last] = what; fence[last] = number; token[last] = claim; depth[last] = depth[from] + 1;
    w = last
}

/* Writes whose bytes depend on the leaf alone are one revision, whoever writes them. */
inline makeOnce(on, sort, digit, lock, flag, isExpired) {
    x = on + 1;
    do
    :: x <= last && !(parent[x] == on && kind[x] == sort && fence[x] == digit && token[x] == lock
            && has(flagged, x) == flag && has(expired, x) == isExpired) -> x++
    :: else -> break
    od;
    if
    :: x <= last -> w = x
    :: else -> make(on, sort, digit, lock); flagged = flagged | (flag << w); expired = expired | (isExpired << w)
    fi;
    x = 0
}

/* A copy takes a write when its parent is a leaf there. */
inline take(c) {
    known[c] = known[c] | bit(w);
    leaf[c] = (leaf[c] & ~bit(parent[w])) | bit(w)
}

/* A coordinator sends a write to all copies. One takes it first; any time later a second one may, which makes 201. What the third one
   takes it could have got by replication as well. To be entered when some copy has p as a leaf. */
inline first(p) {
    if
    :: has(leaf[1], p) -> c = 1
    :: has(leaf[2], p) && known[2] != known[1] -> c = 2
    :: has(leaf[3], p) -> c = 3
    fi
}

inline second() {
    if
    :: c != 1 && has(leaf[1], parent[w]) -> d_step { take(1); answer = STORED }
    :: c != 2 && has(leaf[2], parent[w]) && known[2] != known[1] -> d_step { take(2); answer = STORED }
    :: c != 3 && has(leaf[3], parent[w]) -> d_step { take(3); answer = STORED }
#ifdef W1
    :: answer = STORED
#else
    :: answer = ACCEPTED
#endif
    fi;
    c = 0
}

/* A node that is cut off with copy 3 answers by that alone, the others by theirs. */
#define isRefused(p) (!has(leaf[3], p) || !has(leaf[1] | leaf[2], p))

/* All leaves of two copies; of copy 3 alone where it is cut off. */
inline read() {
    if
    :: view = known[3]
    :: view = known[1] | known[2]
    :: known[1] != known[2] -> view = known[1] | known[3]
    :: view = known[2] | known[3]
    fi
}

/* With a majority in reach. */
inline readConfirmed() {
    if
    :: view = known[1] | known[2]
    :: known[1] != known[2] -> view = known[1] | known[3]
    :: view = known[2] | known[3]
    fi
}

inline leavesOf(seen) {
    leaves = seen; i = 1;
    do
    :: i <= last -> if :: has(seen, i) -> leaves = leaves & ~bit(parent[i]) :: else fi; i++
    :: else -> break
    od;
    live = 0; best = 0; i = 1;
    do
    :: i <= last ->
        if
        :: has(leaves, i) && kind[i] != RESOLVED ->
            if :: isLive(i) -> live = live | bit(i) :: else fi;
            if :: best == 0 -> best = i :: else -> if :: beats(i, best) -> best = i :: else fi fi
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

/* Internal replication brings all leaves of a document from one copy to another. */
inline merge(from, to) {
    path = known[from] & ~known[to];
    known[to] = known[to] | path;
    leaf[to] = leaf[to] | (path & leaf[from]);
    i = 1;
    do
    :: i <= last -> if :: has(path, i) -> leaf[to] = leaf[to] & ~bit(parent[i]) :: else fi; i++
    :: else -> break
    od;
    i = 0; path = 0
}

#define isAhead(from, to) ((known[from] & ~known[to]) != 0 && !finished)

active proctype Network() {
    do
    :: d_step { isAhead(1, 2) -> merge(1, 2) }
    :: d_step { isAhead(2, 1) -> merge(2, 1) }
    :: d_step { isAhead(1, 3) -> merge(1, 3) }
    :: d_step { isAhead(3, 1) -> merge(3, 1) }
    :: d_step { isAhead(2, 3) -> merge(2, 3) }
    :: d_step { isAhead(3, 2) -> merge(3, 2) }
    od
}

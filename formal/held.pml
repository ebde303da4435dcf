/* What a worker knows of its claim, and who holds which. */

#define REST  0
#define SENT  1   /* its claim was answered 201 */
#define LOST  2   /* its claim is to be withdrawn */
#define OWNS  3
#define DOUBT 4   /* its end was answered 201, but late, or after a 202: it reads before it tells */
#define SENDING 5  /* one copy has its claim, and it is not answered yet: another copy may store it */

byte phase[3];
byte mine[3];         /* the token of its claim */
bool over[3];         /* its lease is over, and it does not know that yet */
bool disputed[3];     /* its end was sent and not confirmed */
byte runs[3];         /* the fence of its claim */
#ifdef UPDATES
byte updates;         /* how often an owner has written on its claim */
#endif

#define at(me)   ref[me]
#define sent(me) ref[me + 2]

#ifdef NO_F
#define isUnderWay(me) false
#else
#define isUnderWay(me) (phase[me] == SENT || phase[me] == SENDING)
#endif
#define holds(me,t) (mine[me] == t && (isUnderWay(me) || phase[me] == OWNS || phase[me] == DOUBT) && !over[me])
#define isHeld(t) (holds(1, t) || holds(2, t))

/* A monitor, and who resolves, count anew from each revision that they see: what an owner has just written on its claim is not silent. */
#ifdef KEEPS_AGAIN
byte keeps;           /* how often owners have tried to get a lease back */
bool keeping[3];      /* that write was answered 201, and is to be followed by a reading */
#define isNew(r) (keeps != 0 && !has(dying[2], r))
#else
#define isNew(r) false
#endif
#define isSeenDead(r) (!isHeld(token(r)) && !isNew(r))

/* The claim protocol of couchjobs; see README.md. */

#ifdef CONTENDED
#define RESOLVERS 1
#endif
#ifdef LEASES
#define MONITOR
#define RESOLVERS 1
#endif
#ifdef FROZEN
#define MONITOR
#define RESOLVERS 1
#endif
#ifdef LOST_ANSWERS
#define RESOLVERS 1
#endif
#ifdef TWO_RESOLVERS
#define RESOLVERS 2
#endif
#ifdef CRASH
#define MONITOR
#define RESOLVERS 1
#endif

#include "document.pml"
#include "resolution.pml"
#include "truth.pml"
#include "worker.pml"
#include "others.pml"

init {
    atomic {
        d_step {
            last = 1; kind[1] = PENDING;
            known[1] = 2; known[2] = 2; known[3] = 2;
            leaf[1] = 2; leaf[2] = 2; leaf[3] = 2
        };
        run Worker(1);
        run Worker(2);
#ifdef MONITOR
        run Monitor();
#endif
        run Resolver(3);
#if RESOLVERS > 1
        run Resolver(5);
#endif
    }
}

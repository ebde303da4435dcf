/* Two claims of one job, step by step: what is sent, done and answered is one step. See ../README.md. */
#include "document.pml"
#include "held.pml"
#include "resolution.pml"
#include "truth.pml"
#include "worker.pml"
#include "others.pml"

init {
    atomic {
        d_step {
            rev[1] = revision(PENDING, 0, 0); last = 1;
            known[1] = 2; known[2] = 2; known[3] = 2;
            leaf[1] = 2; leaf[2] = 2; leaf[3] = 2
        };
        run Worker(1);
        run Worker(2);
#ifndef NO_RESOLVER
        run Resolver(5);
#endif
#if RESOLVERS > 1
        run Resolver(6);
#endif
    }
}

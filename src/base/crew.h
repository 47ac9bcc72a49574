/* crew: threads that share the items 0 .. n-1 of a loop. Which thread takes which item is not defined, so items must not write the same
 * memory; then results do not depend on the number of threads. Workers neither allocate nor record errors: they return a status. */
#ifndef BL_CREW_H
#define BL_CREW_H

#include "base/base.h"

typedef struct bl_crew bl_crew;

enum { BL_CREW_MOST = 256 };

/* threads: the total including the calling thread; 1 starts none. */
bl_status bl_crew_create(bl_context *ctx, int threads, bl_crew **crew);
void bl_crew_destroy(bl_crew *crew);      /* NULL is fine */
int bl_crew_threads(const bl_crew *crew); /* NULL: 1 */
/* Calls work(user, worker, item) for every item; worker: 0 .. threads-1, one item at a time. Returns the status of the lowest-numbered item
 * that did not return BL_OK, and its number in *failed (may be NULL); later items may have been skipped. */
bl_status bl_crew_run(bl_crew *crew, bl_index n, bl_status (*work)(void *user, int worker, bl_index item), void *user, bl_index *failed);

#endif

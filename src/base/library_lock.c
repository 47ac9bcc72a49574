/* One lock per library that keeps state of its own. The only data of biela that threads share and write (scripts/check_state). */
#include "base/library.h"

#include <pthread.h>

static pthread_mutex_t library_lock[BL_SOLE_COUNT] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

void bl_library_enter(bl_sole which) { pthread_mutex_lock(&library_lock[which]); }
void bl_library_leave(bl_sole which) { pthread_mutex_unlock(&library_lock[which]); }

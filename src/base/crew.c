/* Threads wait for a loop, take its items by an atomic counter, and wait again. See crew.h. */
#include "base/crew.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct worker {
    bl_crew *crew;
    int number;
    pthread_t thread;
} worker;

struct bl_crew {
    bl_context *ctx;
    int threads, made;
    worker *worker; /* [threads], the first is the caller */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    long round; /* loops so far */
    int busy;
    bool over;
    /* the loop */
    bl_index n;
    bl_status (*work)(void *user, int worker, bl_index item);
    void *user;
    atomic_int next;
    bl_index failed; /* the first item that failed, n: none */
    bl_status status;
};

static void fail_item(bl_crew *crew, bl_index item, bl_status status) {
    pthread_mutex_lock(&crew->lock);
    if (item < crew->failed) {
        crew->failed = item;
        crew->status = status;
    }
    pthread_mutex_unlock(&crew->lock);
}

/* Items are taken in ascending order: once one has failed, all before it have been taken. */
static void take_items(bl_crew *crew, int number) {
    for (;;) {
        bl_index item = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed);
        if (item >= crew->n)
            return;
        bl_status status = crew->work(crew->user, number, item);
        if (status != BL_OK) {
            fail_item(crew, item, status);
            atomic_store(&crew->next, crew->n);
        }
    }
}

static void *run_worker(void *user) {
    worker *me = user;
    bl_crew *crew = me->crew;
    long seen = 0;
    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (crew->round == seen && !crew->over)
            pthread_cond_wait(&crew->begin, &crew->lock);
        if (crew->over)
            break;
        seen = crew->round;
        pthread_mutex_unlock(&crew->lock);
        take_items(crew, me->number);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0)
            pthread_cond_signal(&crew->end);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

bl_status bl_crew_create(bl_context *ctx, int threads, bl_crew **out) {
    bl_crew *crew;
    *out = NULL;
    if (threads < 1 || threads > BL_CREW_MOST)
        return bl_fail(ctx, BL_E_ARG, NULL, "the number of threads must be from 1 to %d, not %d", BL_CREW_MOST, threads);
    BL_TRY(BL_NEW(ctx, crew, 1));
    if (BL_NEW(ctx, crew->worker, threads) != BL_OK) {
        bl_free(ctx, crew);
        return BL_E_MEMORY;
    }
    crew->ctx = ctx;
    crew->threads = threads;
    crew->made = 1;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begin, NULL);
    pthread_cond_init(&crew->end, NULL);
    for (; crew->made < threads; crew->made++) {
        crew->worker[crew->made] = (worker){.crew = crew, .number = crew->made};
        if (pthread_create(&crew->worker[crew->made].thread, NULL, run_worker, &crew->worker[crew->made]) != 0) {
            int got = crew->made;
            bl_crew_destroy(crew);
            return bl_fail(ctx, BL_E_MEMORY, NULL, "the system can start only %d of %d threads", got, threads);
        }
    }
    *out = crew;
    return BL_OK;
}

void bl_crew_destroy(bl_crew *crew) {
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->over = true;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
    for (int k = 1; k < crew->made; k++)
        pthread_join(crew->worker[k].thread, NULL);
    pthread_cond_destroy(&crew->begin);
    pthread_cond_destroy(&crew->end);
    pthread_mutex_destroy(&crew->lock);
    bl_free(crew->ctx, crew->worker);
    bl_free(crew->ctx, crew);
}

int bl_crew_threads(const bl_crew *crew) { return crew ? crew->threads : 1; }

bl_status bl_crew_run(bl_crew *crew, bl_index n, bl_status (*work)(void *user, int worker, bl_index item), void *user, bl_index *failed) {
    if (!crew || crew->threads == 1 || n <= 1) {
        for (bl_index i = 0; i < n; i++) {
            bl_status status = work(user, 0, i);
            if (status != BL_OK) {
                if (failed)
                    *failed = i;
                return status;
            }
        }
        return BL_OK;
    }
    pthread_mutex_lock(&crew->lock);
    crew->n = crew->failed = n;
    crew->status = BL_OK;
    crew->work = work;
    crew->user = user;
    atomic_store(&crew->next, 0);
    crew->busy = crew->threads - 1;
    crew->round++;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
    take_items(crew, 0);
    pthread_mutex_lock(&crew->lock);
    while (crew->busy > 0)
        pthread_cond_wait(&crew->end, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
    if (failed)
        *failed = crew->failed;
    return crew->status;
}

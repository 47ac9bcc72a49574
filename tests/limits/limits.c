/* The table of thresholds, and the runner of cases (limits.h). */
#include "limits/limits.h"

#define BIELA_MOVED_LIMITS /* inline functions of the lists read them */
#include "limits_moved.h"
#include "support/testing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the table: limits_all.h, made by cmake, includes every ROOM_limits.h */

#define BL_LIMIT_H /* base/limit.h stays out: here a limit is a number and a row */
#define BL_LIMIT(limit, number, unit, trade, test)      \
    bl_moved_limit moved_##limit = {number, 0, #limit}; \
    static bl_moved_limit *const in_table_##limit __attribute__((used, section("limit_rows"))) = &moved_##limit;
#include "limits_all.h"
extern bl_moved_limit *const __start_limit_rows[], *const __stop_limit_rows[];

size_t limit_count(void) { return (size_t)(__stop_limit_rows - __start_limit_rows); }

limit_row limit_at(size_t k) {
    bl_moved_limit *at = __start_limit_rows[k];
    return (limit_row){&at->value, &at->reads, at->name};
}

/* ---- answers */

typedef struct entry {
    char what[48];
    double value, within; /* within < 0: exact */
} entry;

struct answer {
    entry *entry;
    size_t n, room;
    char why[200]; /* error of the study */
};

static void add(answer *a, const char *what, double value, double within) {
    if (a->n == a->room) {
        a->room = a->room ? 2 * a->room : 256;
        a->entry = realloc(a->entry, a->room * sizeof *a->entry);
        assert_non_null(a->entry);
    }
    entry *e = &a->entry[a->n++];
    snprintf(e->what, sizeof e->what, "%s", what);
    e->value = value;
    e->within = within;
}

void answer_exact(answer *a, const char *what, double value) { add(a, what, value, -1); }
void answer_near(answer *a, const char *what, double value, double within) { add(a, what, value, isfinite(value) ? within : 0); }

bool answer_status(answer *a, bl_context *ctx, bl_status status) {
    answer_exact(a, "status", status);
    snprintf(a->why, sizeof a->why, "%.199s", status == BL_OK ? "" : bl_context_error(ctx)->what);
    bl_context_clear_error(ctx);
    return status == BL_OK;
}

size_t answer_count(const answer *a) { return a->n; }
void answer_take_back(answer *a, size_t count) { a->n = count; }

/* ---- samples as answers */

static bl_status begin(void *user, const bl_run_info *info) {
    ((answer_sink *)user)->info = *info;
    return BL_OK;
}

static void add_numbers(answer_sink *s, const char *what, bl_index n, const double *x, double *largest) {
    for (bl_index i = 0; i < n; i++)
        *largest = fmax(*largest, fabs(x[i]));
    for (bl_index i = 0; i < n; i++)
        answer_near(s->to, what, x[i], s->within * fmax(*largest, DBL_MIN));
}

/* scales are the largest numbers of their kind so far: those of the same sample in both runs */
static bl_status sample(void *user, const bl_sample *sample) {
    answer_sink *s = user;
    const bl_run_info *info = &s->info;
    for (bl_index i = 0; sample->body && i < info->nbody; i++)
        add_numbers(s, info->body[i], 3, sample->body[i].position, &s->largest[0]);
    for (bl_index i = 0; sample->variable && i < info->nvariable; i++)
        answer_near(s->to, info->variable[i], sample->variable[i], s->within * fmax(fabs(sample->variable[i]), 1));
    if (sample->probe)
        add_numbers(s, "probe", 3 * info->nprobe, sample->probe, &s->largest[1]);
    for (bl_index i = 0; sample->reaction && i < info->njoint; i++)
        add_numbers(s, "reaction", 3, sample->reaction[i].force, &s->largest[2]);
    return BL_OK;
}

bl_sink answer_sink_of(answer_sink *s, answer *a, double within, uint32_t want) {
    *s = (answer_sink){.to = a, .within = within};
    return (bl_sink){.user = s, .begin = begin, .sample = sample, .want = want};
}

/* ---- cases */

static void ask(const limit_case *c, const void *how, answer *a) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_index nset = 0;
    char path[512];
    a->n = 0;
    a->why[0] = '\0';
    while (nset < 3 && c->set[nset].name)
        nset++;
    bl_status status = BL_OK;
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, c->scene ? c->scene : "");
    if (c->scene)
        status = bl_model_read(ctx, path, c->set, nset, &model);
    else if (c->text)
        status = bl_model_read_text(ctx, c->name, c->text, strlen(c->text), c->set, nset, &model);
    answer_exact(a, "reading", status);
    if (status == BL_OK)
        c->ask(ctx, model, how, a);
    else
        answer_status(a, ctx, status);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static double apart(double x, double y) { return isnan(x) && isnan(y) ? 0 : x == y ? 0 : isnan(x - y) ? INFINITY : fabs(x - y); }

static const double FACTOR = 30; /* between errors of runs that took other steps: where motions diverge, they vary */

/* the first entry that differs; NULL: none. exact: NULL, or the answer that numbers approximate, `off` the largest error of was in units
 * of `within` */
static const entry *first_difference(const answer *was, const answer *now, const answer *exact, double off) {
    static const entry count = {"number of answers", 0, -1};
    if (was->n != now->n)
        return now->n < was->n && now->n > 0 ? &was->entry[now->n - 1] : &count;
    for (size_t i = 0; i < was->n; i++) {
        const entry *w = &was->entry[i], *n = &now->entry[i];
        if (strcmp(w->what, n->what) != 0)
            return w;
        if (w->within < 0 ? apart(w->value, n->value) > 0
                          : !(apart(exact ? exact->entry[i].value : w->value, n->value) <= (exact ? FACTOR * fmax(off, 1) : 1) * w->within))
            return w;
    }
    return NULL;
}

static bool same_bits(const answer *was, const answer *now) {
    for (size_t i = 0; i < was->n && was->n == now->n; i++)
        if (memcmp(&was->entry[i].value, &now->entry[i].value, sizeof(double)) != 0)
            return false;
    return was->n == now->n;
}

static double largest_error(const answer *was, const answer *exact) {
    double off = 0;
    for (size_t i = 0; i < was->n; i++)
        if (was->entry[i].within > 0)
            off = fmax(off, apart(was->entry[i].value, exact->entry[i].value) / was->entry[i].within);
    return off;
}

static void report(const limit_case *c, const bl_moved_limit *limit, bool up, const answer *was, const answer *now, const entry *at) {
    size_t i = (size_t)(at - was->entry);
    bool listed = at >= was->entry && i < was->n;
    print_message("%s: %s x %s: %s is %.9g, was %.9g (%zu answers, were %zu)%s%s\n", c->name, limit->name, up ? "3" : "1/3", at->what,
                  listed && i < now->n ? now->entry[i].value : NAN, listed ? at->value : NAN, now->n, was->n, now->why[0] ? ": " : "",
                  now->why);
}

/* The limits of one room, the beginning of their names, all at once. Not those of studies: they bound the accuracy of a step after the
 * other. */
static void try_rooms(const limit_case *c, const answer *was, const answer *near, double off, limit_totals *totals) {
    static const char *const rooms[] = {"coords_", "equations_",  "fem_",    "force_",  "formulation_", "integrate_",
                                        "joint_",  "kinematics_", "kkt_",    "linsol_", "material_",    "mesh_",
                                        "model_",  "output_",     "series_", "sparse_", "system_",      "topology_"};
    size_t n = limit_count();
    answer now = {0};
    double *kept = calloc(n, sizeof *kept);
    assert_non_null(kept);
    for (size_t k = 0; k < n; k++)
        kept[k] = __start_limit_rows[k]->value;
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++)
        for (int up = 0; up < 2; up++) {
            for (size_t k = 0; k < n; k++)
                if (strncmp(__start_limit_rows[k]->name, rooms[r], strlen(rooms[r])) == 0)
                    __start_limit_rows[k]->value = up ? 3 * kept[k] : kept[k] / 3;
            ask(c, c->how, &now);
            for (size_t k = 0; k < n; k++)
                __start_limit_rows[k]->value = kept[k];
            totals->runs++;
            const entry *at = first_difference(was, &now, near, off);
            totals->broken += at != NULL;
            if (at)
                report(c, &(bl_moved_limit){.name = rooms[r]}, up, was, &now, at);
        }
    free(kept);
    free(now.entry);
}

enum { TOGETHER = 8 }; /* limits moved at once: an eighth of the runs; with more of them more runs differ and are repeated one by one */

/* an answer with the usual limits, and what others are compared with */
typedef struct trial {
    const limit_case *of;
    answer was, now, exact;
    const answer *near; /* NULL: exact is not known */
    double off;
    bool trace;
} trial;

/* the first entry that differs where these limits are moved, all at once; NULL: none */
static const entry *move(trial *t, const size_t *limit, const bool *up, size_t n, limit_totals *totals) {
    double kept[TOGETHER];
    for (size_t i = 0; i < n; i++) {
        bl_moved_limit *at = __start_limit_rows[limit[i]];
        kept[i] = at->value;
        at->value = up[i] ? 3 * kept[i] : kept[i] / 3;
        if (t->trace)
            print_message("%s: %s x %s%s\n", t->of->name, at->name, up[i] ? "3" : "1/3", i + 1 < n ? " and" : "");
    }
    ask(t->of, t->of->how, &t->now);
    for (size_t i = 0; i < n; i++)
        __start_limit_rows[limit[i]]->value = kept[i];
    totals->runs++;
    return first_difference(&t->was, &t->now, t->near, t->off);
}

static void move_one(trial *t, size_t limit, bool up, limit_totals *totals) {
    const entry *at = move(t, &limit, &up, 1, totals);
    totals->felt[limit] = totals->felt[limit] || !same_bits(&t->was, &t->now);
    totals->broken += at != NULL;
    if (at)
        report(t->of, __start_limit_rows[limit], up, &t->was, &t->now, at);
}

/* Limits far apart in the table, of different rooms; half of them in either direction, other halves in other cases. Where an answer
 * changes, each by itself. */
static void move_together(trial *t, const size_t *limit, size_t n, limit_totals *totals) {
    size_t groups = (n + TOGETHER - 1) / TOGETHER, group[TOGETHER];
    bool up[TOGETHER];
    for (size_t g = 0; g < groups; g++)
        for (int turn = 0; turn < 2; turn++) {
            size_t count = 0;
            for (size_t i = g; i < n; i += groups, count++) {
                group[count] = limit[i];
                up[count] = (size_t)turn == (count + (size_t)totals->cases * (1 + i)) % 2;
            }
            bool differs = move(t, group, up, count, totals) != NULL;
            for (size_t i = 0; differs && i < count; i++)
                move_one(t, group[i], up[i], totals);
        }
}

void limit_try(const limit_case *c, limit_totals *totals) {
    trial t = {.of = c, .trace = getenv("BIELA_LIMITS_TRACE") != NULL};
    size_t n = limit_count(), nread = 0;
    clock_t start = clock();
    long runs = totals->runs;
    size_t *read = calloc(n, sizeof *read);
    assert_non_null(read);
    if (c->exact)
        ask(c, c->exact, &t.exact);
    for (size_t k = 0; k < n; k++)
        __start_limit_rows[k]->reads = 0;
    ask(c, c->how, &t.was);
    for (size_t k = 0; k < n; k++) {
        bool reads = __start_limit_rows[k]->reads > 0;
        totals->read[k] = totals->read[k] || reads;
        if (reads)
            read[nread++] = k;
    }
    double once = (double)(clock() - start) / CLOCKS_PER_SEC;
    t.off = c->exact && t.exact.n == t.was.n ? largest_error(&t.was, &t.exact) : 0;
    t.near = c->exact && t.exact.n == t.was.n ? &t.exact : NULL;
    if (first_difference(&t.was, &t.was, t.near, t.off))
        fail_msg("%s: the usual answer is not near the exact one", c->name);
    if (!totals->each)
        move_together(&t, read, nread, totals);
    for (size_t k = 0; k < nread && totals->each; k++)
        for (int up = 0; up < 2; up++)
            move_one(&t, read[k], up, totals);
    if (totals->rooms)
        try_rooms(c, &t.was, t.near, t.off, totals);
    totals->cases++;
    if (getenv("BIELA_LIMITS_TIMES"))
        print_message("%-40s %4zu answers, %3zu limits read, %6.2f ms once, %5.2f s for %ld runs %s\n", c->name, t.was.n, nread, 1e3 * once,
                      (double)(clock() - start) / CLOCKS_PER_SEC, totals->runs - runs, t.was.why);
    free(t.was.entry);
    free(t.now.entry);
    free(t.exact.entry);
    free(read);
}

/* Random closed linkages with springs: an equilibrium found by `equilibrium` is a state of rest of a run, its stability that of a perturbed
 * run, its frequency the one counted in a run of small amplitude. */
#include "biela/biela.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOINTS = 16, MOST_FOUND = 12, ROOM = 8192, CASES = 25 };
static const char *const every_kind[] = {"natural", "mixed", "reference", "relative"};

/* ---- models: a chain of links between two points of the ground, sometimes a second one to a point of it, with springs */

typedef struct linkage {
    char text[ROOM];
    size_t used;
    int links, joints;
} linkage;

static void say(linkage *l, const char *format, ...) {
    va_list list;
    va_start(list, format);
    l->used += (size_t)vsnprintf(l->text + l->used, sizeof l->text - l->used, format, list);
    va_end(list);
    assert_true(l->used < sizeof l->text);
}

static void chain(linkage *l, test_random *random, const char *name, int n, const double from[2], int on, double at[][2]) {
    at[0][0] = from[0];
    at[0][1] = from[1];
    for (int i = 1; i <= n; i++)
        for (int c = 0; c < 2; c++)
            at[i][c] =
                at[i - 1][c] + (c ? 1 : 0.6) * (0.25 + 0.5 * test_random_unit(random)) * (c && test_random_below(random, 2) ? -1 : 1);
    (void)on;
    for (int i = 0; i < n; i++)
        say(l, "  - {name: %s%d, rod: {from: [%.9f, %.9f], to: [%.9f, %.9f]}, mass: %.3f}\n", name, i, at[i][0], at[i][1], at[i + 1][0],
            at[i + 1][1], 0.3 + test_random_unit(random));
}

static void make(linkage *l, test_random *random, int n, bool twice) {
    double at[8][2], more[8][2];
    *l = (linkage){.links = n};
    say(l, "model: linkage\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n");
    chain(l, random, "a", n, (const double[2]){0, 0}, -1, at);
    int middle = n / 2;
    double point[2] = {(at[middle][0] + at[middle + 1][0]) / 2, (at[middle][1] + at[middle + 1][1]) / 2};
    if (twice)
        chain(l, random, "b", 2, point, middle, more);
    say(l, "joints:\n");
    for (int i = 0; i <= n; i++) {
        char first[16], second[16];
        snprintf(first, sizeof first, i == 0 ? "ground" : "a%d", i - 1);
        snprintf(second, sizeof second, "a%d", i < n ? i : n - 1);
        say(l, "  - {name: J%d, type: revolute, bodies: [%s, %s], at: [%.9f, %.9f]}\n", i, i == n ? "ground" : first, second, at[i][0],
            at[i][1]);
    }
    l->joints = n + 1;
    for (int i = 0; twice && i <= 2; i++) {
        char first[16], second[16];
        snprintf(first, sizeof first, i == 0 ? "a%d" : "b%d", i == 0 ? middle : i - 1);
        snprintf(second, sizeof second, "b%d", i < 2 ? i : 1);
        say(l, "  - {name: K%d, type: revolute, bodies: [%s, %s], at: [%.9f, %.9f]}\n", i, i == 2 ? "ground" : first, second, more[i][0],
            more[i][1]);
    }
    l->joints += twice ? 3 : 0;
    say(l, "forces:\n");
    for (int k = 0; k < 2; k++) {
        int on = test_random_below(random, n);
        say(l, "  - {type: spring, bodies: [ground, a%d], at: [%.9f, %.9f], to: [%.9f, %.9f], stiffness: %.3f, length: %.3f}\n", on,
            2 * test_random_symmetric(random), 2 * test_random_symmetric(random), (at[on][0] + 2 * at[on + 1][0]) / 3,
            (at[on][1] + 2 * at[on + 1][1]) / 3, 30 + 200 * test_random_unit(random), 0.3 + test_random_unit(random));
    }
}

/* ---- equilibria */

typedef struct found {
    long count;
    char name[MOST_JOINTS][32];
    bl_index n, dof;
    double variable[MOST_FOUND][MOST_JOINTS];
    bl_equilibrium_point point[MOST_FOUND];
} found;

static bl_status begin(void *user, const bl_run_info *info) {
    found *f = user;
    f->n = info->nvariable;
    f->dof = info->dof;
    for (bl_index i = 0; i < info->nvariable; i++)
        snprintf(f->name[i], sizeof f->name[i], "%s", info->variable[i]);
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    found *f = user;
    if (f->count == MOST_FOUND)
        return BL_OK;
    memcpy(f->variable[f->count], sample->variable, (size_t)f->n * sizeof(double));
    f->point[f->count++] = *sample->equilibrium;
    return BL_OK;
}

static bl_status find(const linkage *l, const bl_equilibrium_options *options, found *f) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_sink sink = {.user = f, .begin = begin, .sample = take};
    memset(f, 0, sizeof *f);
    if (bl_model_read_text(ctx, "linkage", l->text, l->used, NULL, 0, &model) != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, l->text);
    bl_status status = bl_equilibrium(ctx, model, options, &sink, 1, NULL, NULL);
    if (status != BL_OK)
        printf("%s\n", bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

/* ---- runs from there */

typedef struct motion {
    const found *f;
    long from;
    double moved, rate;       /* largest */
    bl_index watched;         /* the variable that moves most */
    double last_t, last_rate; /* of it */
    double first, second;     /* times of its zero velocities, the first and the last one */
    long stands;
} motion;

static bl_status watch(void *user, const bl_sample *sample) {
    motion *m = user;
    for (bl_index i = 0; i < m->f->n; i++) {
        m->moved = fmax(m->moved, fabs(sample->variable[i] - m->f->variable[m->from][i]));
        m->rate = fmax(m->rate, fabs(sample->variable_rate[i]));
    }
    double rate = sample->variable_rate[m->watched];
    if (sample->t > 0 && rate * m->last_rate < 0) {
        double t = m->last_t + (sample->t - m->last_t) * m->last_rate / (m->last_rate - rate);
        m->first = m->stands++ ? m->first : t;
        m->second = t;
    }
    m->last_t = sample->t;
    m->last_rate = rate;
    return BL_OK;
}

/* the first variable named in the softest motion: "J2.angle (1), ..." */
static bl_index fastest(const found *f, long from) {
    for (bl_index i = 0; i < f->n; i++)
        if (strncmp(f->point[from].soft[0].motion, f->name[i], strlen(f->name[i])) == 0)
            return i;
    return 0;
}

/* false: the start is on a branch of the loops that values of variables do not select from the given configuration */
static bool run(const linkage *l, const found *f, long from, double rate, double until, double every, const char *coordinates, motion *m) {
    linkage with = *l;
    say(&with, "initial:\n");
    for (bl_index i = 0; i < f->n; i++)
        say(&with, "  %s: %.17g\n", f->name[i], f->variable[from][i]);
    if (rate != 0)
        say(&with, "  %.*s.rate: {value: %.17g, guess: true}\n", (int)strcspn(f->name[fastest(f, from)], "."), f->name[fastest(f, from)],
            rate);
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    *m = (motion){.f = f, .from = from, .watched = fastest(f, from)};
    bl_sink sink = {.user = m, .sample = watch, .want = BL_WANT_VARIABLES};
    if (bl_model_read_text(ctx, "linkage", with.text, with.used, NULL, 0, &model) != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, with.text);
    bl_run_options options = {.coordinates = coordinates, .until = until, .every = every, .tolerance = 1e-10};
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    bool reached = !(status == BL_E_NUMERIC && strncmp(bl_context_error(ctx)->what, "initial:", 8) == 0);
    if (status != BL_OK && reached)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, with.text);
    bl_model_destroy(model);
    test_context_end(ctx);
    return reached;
}

static void equilibria__are_rests_with_the_stability_and_frequency_of_runs(void **unused) {
    (void)unused;
    uint64_t seed = test_seed(20261118);
    int stable = 0, unstable = 0, counted = 0, elsewhere = 0;
    for (int k = 0; k < CASES; k++) {
        test_random random = {seed + (uint64_t)k};
        static linkage l;
        static found f;
        motion m;
        make(&l, &random, 3 + k % 4, k % 3 == 2);
        const char *kind = every_kind[k % 4];
        print_message("case %d, seed %llu, %d links, %s\n", k, (unsigned long long)(seed + (uint64_t)k), l.links, kind);
        if (find(&l, &(bl_equilibrium_options){.coordinates = kind, .starts = 6, .any = k % 2 == 1}, &f) != BL_OK)
            fail_msg("no equilibrium:\n%s", l.text);
        for (long i = 0; i < f.count && i < 3; i++) {
            const bl_equilibrium_point *p = &f.point[i];
            assert_true(p->unstable >= 0 && p->conservative);
            if (p->neutral > 0)
                continue;
            double eigenvalue = p->soft[0].eigenvalue;
            double slowest = sqrt(fabs(eigenvalue)), small = 1e-6;
            if (!run(&l, &f, i, 0, p->unstable == 0 ? 10 : 1e-3, 0.1, kind, &m)) {
                elsewhere++;
                continue;
            }
            if (p->unstable == 0) {
                if (!(m.moved < 1e-7))
                    fail_msg("equilibrium %ld moves by %g rad in 10 s, slowest %g rad/s", i, m.moved, slowest);
                run(&l, &f, i, small, 30 / slowest, 0.3 / slowest, kind, &m);
                assert_true(m.moved < 100 * small * (1 + 1 / slowest));
                stable++;
            } else {
                run(&l, &f, i, small, 18 / slowest, 0.1 / slowest, kind, &m);
                assert_true(m.moved > 1e3 * small / slowest);
                unstable++;
            }
            if (f.dof == 1 && p->unstable == 0) {
                double period = 2 * 3.14159265358979323846 / slowest;
                run(&l, &f, i, 1e-4, 10.2 * period, period / 400, kind, &m);
                assert_true(m.stands > 10);
                double measured = 2 * (m.second - m.first) / (double)(m.stands - 1);
                assert_near(measured / period, 1, 1e-4);
                counted++;
            }
        }
    }
    print_message("%d stable, %d unstable, %d frequencies counted, %d on other branches\n", stable, unstable, counted, elsewhere);
    assert_true(stable >= 15 && unstable >= 5 && counted >= 3 && elsewhere < 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equilibria__are_rests_with_the_stability_and_frequency_of_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

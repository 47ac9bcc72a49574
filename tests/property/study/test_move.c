/* Random mechanisms, plane and spatial, trees and loops: a displacement there and back ends at its start, is closed in between, and reaches
 * the requested values; or the reason is reported. */
#include "biela/biela.h"
#include "study/move_private.h"
#include "support/random_mechanism.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 150, ROOM = 1 << 16 };

typedef struct tally {
    int models, moves, done, dead, branches, fixed, stuck;
    double worst;
    int loose, loose_back; /* motions of least energy, and how many of them returned to 1e-6 */
} tally;

static double distance(const bl_linkage *l, const double *a, const double *b) {
    double most = 0;
    for (bl_index i = 1; i < l->model->nbody; i++) {
        const double *p = a + 7 * i, *q = b + 7 * i;
        double along = 0;
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(p[k] - q[k]) / l->length);
        for (int k = 3; k < 7; k++)
            along += p[k] * q[k];
        for (int k = 3; k < 7; k++)
            most = fmax(most, fabs(p[k] - copysign(1, along) * q[k]));
    }
    for (bl_index v = 0; v < l->model->nvariable; v++)
        most = fmax(most, fabs(a[8 * (size_t)l->model->nbody + (size_t)v] - b[8 * (size_t)l->model->nbody + (size_t)v]) /
                              (l->model->variable[v].is_angle ? 1 : l->length));
    return most;
}

static void count_end(tally *t, bl_context *ctx) {
    const bl_error *error = bl_context_error(ctx);
    t->dead += strstr(error->what, "dead point") != NULL;
    t->branches += strstr(error->what, "branches") || strstr(error->what, "singular");
    t->fixed += strstr(error->what, "cannot move") != NULL;
    t->stuck += strstr(error->what, "cannot move on from") && !strstr(error->what, "dead point");
    assert_true(strlen(error->what) > 10 && strlen(error->advice) > 10);
}

static bl_index freedoms_left(bl_linkage *l, const bl_move_target *target) {
    bl_displacement d = {0};
    bl_goal goal;
    assert_int_equal(bl_move_goals(l, target, 1, &goal), BL_OK);
    assert_int_equal(bl_displacement_create(l, &goal, 1, &d), BL_OK);
    bl_index free = d.free;
    bl_displacement_destroy(&d);
    return free;
}

static void there_and_back(bl_context *ctx, const bl_model *model, test_random *random, tally *t, const char *text) {
    bl_linkage l = {0};
    bl_status status = bl_linkage_create(ctx, model, 0, &l);
    if (status == BL_OK && model->nvariable > 0) {
        double *start = malloc(l.size * sizeof *start);
        bl_index v = test_random_below(random, model->nvariable), worst = 0;
        double by = test_random_symmetric(random) * (model->variable[v].is_angle ? 2.5 : 0.7 * l.length);
        memcpy(start, l.at, l.size * sizeof *start);
        double from = bl_linkage_variables(&l, l.at)[v];
        if (l.model->variable[v].prim->what == BL_ANGLES && l.model->variable[v].part == 1)
            by = fmin(fmax(by, -1.4 - from), 1.4 - from); /* its range */
        bl_move_target there = {model->variable[v].name, from + by}, back = {there.name, from};
        t->moves++;
        bl_index left = freedoms_left(&l, &there);
        status = bl_move_linkage(&l, &there, 1);
        if (!(bl_linkage_gap(&l, &worst) < 1e-8))
            fail_msg("%s: gap %g on the way to %g\n%s", there.name, bl_linkage_gap(&l, &worst), there.value, text);
        if (status == BL_OK) {
            if (!(fabs(bl_linkage_variables(&l, l.at)[v] - there.value) < 1e-9 * (1 + fabs(there.value))))
                fail_msg("%s is %.12g instead of %.12g\n%s", there.name, bl_linkage_variables(&l, l.at)[v], there.value, text);
            status = bl_move_linkage(&l, &back, 1);
            if (status != BL_OK)
                fail_msg("%s does not come back: %s\n%s", there.name, bl_context_error(ctx)->what, text);
            double off = distance(&l, l.at, start);
            t->done++;
            if (left > 0) { /* a body that is dragged along approaches the path, as a trailer does: pushed back it leaves it */
                t->loose++;
                t->loose_back += off < 1e-6;
            } else if (!(off < 1e-8))
                fail_msg("%s: off by %g after %g and back\n%s", there.name, off, by, text);
            else
                t->worst = fmax(t->worst, off);
        } else {
            assert_int_equal(status, BL_E_NUMERIC);
            int before = t->stuck;
            count_end(t, ctx);
            if (t->stuck > before)
                print_message("stuck: %s\n%s\n", bl_context_error(ctx)->what, text);
        }
        free(start);
    }
    bl_linkage_destroy(&l);
}

static void there_and_back__ends_at_the_start(void **state) {
    (void)state;
    test_random random = {test_seed(20261118)};
    bl_context *ctx = test_context(NULL);
    char *text = malloc(ROOM);
    tally t = {0};
    for (int i = 0; i < CASES; i++) {
        bl_model *model = NULL;
        size_t bytes = random_mechanism(&random, text, ROOM);
        if (bl_model_read_text(ctx, "random", text, bytes, NULL, 0, &model) == BL_OK) {
            t.models++;
            for (int k = 0; k < 3; k++)
                there_and_back(ctx, model, &random, &t, text);
        }
        bl_model_destroy(model);
    }
    print_message("%d models, %d moves: %d there and back (off by %.2g at most, %d of %d with motions of least energy to 1e-6), "
                  "%d dead points, %d singular, %d fixed, %d stuck\n",
                  t.models, t.moves, t.done, t.worst, t.loose_back, t.loose, t.dead, t.branches, t.fixed, t.stuck);
    assert_true(t.done > t.moves / 3);
    assert_true(10 * t.loose_back >= 9 * t.loose);
    assert_true(t.stuck <= t.moves / 50);
    free(text);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back__ends_at_the_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

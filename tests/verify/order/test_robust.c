/* The ordering `mechanism` with samples: its blocks keep their rank during a motion in which those of the ordering without samples lose
 * it. */
#include "coords/coords.h"
#include "model/model.h"
#include "study/simulation.h"
#include "study/study.h"
#include "support/matrices.h"
#include "support/patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct motion {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_pattern pattern; /* of the dependent columns */
    bl_index nsample;
    double *value; /* [nsample][nnz] */
} motion;

/* the Jacobian without the model's independent columns at n + 1 times of a run */
static void motion_begin(motion *m, const char *scene, double until, bl_index n) {
    char file[256];
    bl_state state = {0};
    bl_eval eval = {0};
    bl_simulation *sim;
    memset(m, 0, sizeof *m);
    m->ctx = test_context(NULL);
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(m->ctx, file, NULL, 0, &m->model), BL_OK);
    assert_int_equal(bl_coords_build(m->ctx, m->model, "mixed", &m->sys), BL_OK);
    assert_int_equal(bl_state_create(m->sys, 0, &state), BL_OK);
    assert_int_equal(bl_coords_initial(m->sys, &state), BL_OK);
    assert_int_equal(bl_assemble_positions(m->sys, m->model, &state), BL_OK);
    assert_int_equal(bl_assemble_velocities(m->sys, m->model, &state), BL_OK);
    bl_simulation_setup setup = {.t_end = until, .tolerance = 1e-6};
    assert_int_equal(bl_simulation_create(m->sys, &state, &setup, &sim), BL_OK);
    assert_int_equal(bl_eval_create(m->sys, BL_ALL, &eval), BL_OK);
    uint8_t *keep = malloc((size_t)m->sys->nv);
    assert_non_null(keep);
    memset(keep, 1, (size_t)m->sys->nv);
    for (bl_index k = 0; k < m->sys->nindependent; k++)
        keep[m->sys->independent[k]] = 0;
    m->pattern = test_pattern_columns(m->ctx, &m->sys->pat_G, keep);
    bl_index nnz = m->pattern.ptr[m->pattern.ncol];
    m->value = calloc((size_t)nnz * (size_t)(n + 1), sizeof *m->value);
    assert_non_null(m->value);
    for (m->nsample = 0; m->nsample <= n; m->nsample++) {
        double t = until * m->nsample / n;
        bl_sample sample;
        while (*sim->state.t < t)
            assert_int_equal(bl_simulation_advance(sim), BL_OK);
        if (t > 0)
            assert_int_equal(bl_simulation_sample(sim, t, &sample), BL_OK);
        bl_eval_at(&eval, t > 0 ? &sim->at : &state);
        assert_int_equal(bl_system_eval(m->sys, &eval, BL_G), BL_OK);
        double *to = m->value + (size_t)m->nsample * (size_t)nnz;
        for (bl_index j = 0; j < m->sys->nv; j++)
            for (bl_index k = m->sys->pat_G.ptr[j]; keep[j] && k < m->sys->pat_G.ptr[j + 1]; k++)
                *to++ = eval.G[k];
    }
    free(keep);
    bl_eval_destroy(m->sys, &eval);
    bl_simulation_destroy(sim);
    bl_state_destroy(m->sys, &state);
}

static void motion_end(motion *m) {
    free(m->value);
    bl_pattern_free(m->ctx, &m->pattern);
    bl_system_destroy(m->sys);
    bl_model_destroy(m->model);
    test_context_end(m->ctx);
}

/* smallest singular value of a diagonal block in all samples, rows divided by their largest entry */
static double weakest_block(const motion *m, const bl_ordering *o) {
    const bl_pattern *p = &m->pattern;
    double worst = INFINITY, *largest = malloc((size_t)p->nrow * sizeof *largest);
    assert_non_null(largest);
    for (bl_index s = 0; s < m->nsample; s++) {
        const double *value = m->value + (size_t)s * (size_t)p->ptr[p->ncol];
        memset(largest, 0, (size_t)p->nrow * sizeof *largest);
        for (bl_index k = 0; k < p->ptr[p->ncol]; k++)
            largest[p->idx[k]] = fmax(largest[p->idx[k]], fabs(value[k]));
        for (bl_index b = 0; b < o->nblock; b++) {
            bl_index n = o->block[b + 1] - o->block[b];
            double a[9], singular[3];
            assert_true(n <= 3);
            for (bl_index j = 0; j < n; j++)
                for (bl_index i = 0; i < n; i++) {
                    bl_index row = o->row[o->block[b] + i], at = bl_pattern_find(p, row, o->col[o->block[b] + j]);
                    a[i + j * n] = at >= 0 && largest[row] > 0 ? value[at] / largest[row] : 0;
                }
            test_singular_values(n, n, a, singular);
            worst = fmin(worst, singular[n - 1]);
        }
    }
    free(largest);
    return worst;
}

static void order(const motion *m, bl_index every, const char *spec, bl_ordering *o) {
    bl_index nnz = m->pattern.ptr[m->pattern.ncol], n = (m->nsample + every - 1) / every;
    double *some = malloc((size_t)n * (size_t)nnz * sizeof *some);
    assert_non_null(some);
    for (bl_index k = 0; k < n; k++)
        memcpy(some + (size_t)k * (size_t)nnz, m->value + (size_t)(k * every) * (size_t)nnz, (size_t)nnz * sizeof *some);
    bl_order_input in = {.ctx = m->ctx, .pattern = &m->pattern, .nsample = n, .sample = some};
    assert_int_equal(bl_order_run(&in, spec, o), BL_OK);
    test_block_form(&m->pattern, o);
    free(some);
}

/* Bricard's mechanism over a full period, ordered from 21 positions, examined in 201: the plain order has singular blocks (coplanar
 * vectors), the robust one none, and its border is not wider. The pivot threshold is p = 1e-3. Complete pivoting A = P L D U Q has |l|, |u|
 * <= 1, so |L^-1| and |U^-1| are at most 3 for order 3: singular values are above p / 9. */
static void bricard__keeps_the_rank_of_its_blocks(void **unused) {
    (void)unused;
    const char *scenes[] = {"bricard", "bricard_cut"};
    for (int k = 0; k < 2; k++) {
        motion m;
        bl_ordering plain, robust;
        motion_begin(&m, scenes[k], 5, 200);
        order(&m, 10, "mechanism", &plain);
        order(&m, 10, "mechanism_robust", &robust);
        assert_true(weakest_block(&m, &plain) < 1e-9);
        assert_true(weakest_block(&m, &robust) > 1e-4);
        assert_int_equal(robust.border, plain.border);
        assert_int_equal(robust.band, plain.band);
        bl_ordering_free(m.ctx, &plain);
        bl_ordering_free(m.ctx, &robust);
        motion_end(&m);
    }
}

/* if no block becomes singular the samples do not change the form */
static void open_chains__keep_their_blocks(void **unused) {
    (void)unused;
    const char *scenes[] = {"five_bar_pendulum", "tether"};
    for (int k = 0; k < 2; k++) {
        motion m;
        bl_ordering robust;
        motion_begin(&m, scenes[k], 1, 10);
        order(&m, 1, "mechanism_robust", &robust);
        assert_int_equal(robust.border, 0);
        assert_int_equal(test_blocks_of(&robust, 3), m.pattern.ncol / 3);
        assert_true(weakest_block(&m, &robust) > 1e-4);
        bl_ordering_free(m.ctx, &robust);
        motion_end(&m);
    }
}

/* ---- small cases */

/* Two rows with the same three columns, column 0 with the most entries: by pattern columns 1 and 2 remain, which are parallel in the second
 * position. */
static const bl_index pair_ptr[] = {0, 3, 5, 7}, pair_idx[] = {0, 1, 2, 0, 1, 0, 1};
static const bl_pattern pair = {3, 3, pair_ptr, pair_idx};
static const double pair_value[2][7] = {{1, 2, 1, 1, 2, 1, 3}, {1, 2, 1, 1, 2, 1, 2}};

static void weak_columns__go_to_the_border_instead(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_order_input in = {.ctx = ctx, .pattern = &pair, .nsample = 2, .sample = pair_value[0]};
    /* row 2 has column 0 alone: without it, rows 0 and 1 are a cycle of two, singular in the second position */
    bl_ordering o;
    assert_int_equal(bl_order_run(&in, "mechanism_robust", &o), BL_OK);
    test_block_form(&pair, &o);
    assert_int_equal(test_blocks_of(&o, 2), 0);
    assert_int_equal(test_blocks_of(&o, 1), 2);
    assert_int_equal(o.border, 1);
    bl_ordering_free(ctx, &o);
    in.nsample = 1;
    assert_int_equal(bl_order_run(&in, "mechanism_robust", &o), BL_OK);
    assert_int_equal(test_blocks_of(&o, 2), 1);
    assert_int_equal(o.border, 0);
    bl_ordering_free(ctx, &o);
    test_context_end(ctx);
}

/* one row, one column: the entry passes through zero between two positions in which it is large */
static void changes_of_sign__count_as_singular(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const bl_index ptr[] = {0, 1}, idx[] = {0};
    static const bl_pattern single = {1, 1, ptr, idx};
    const double value[3] = {1, -1, -2};
    for (int from = 0; from < 2; from++) {
        bl_order_input in = {.ctx = ctx, .pattern = &single, .nsample = 2, .sample = value + from};
        bl_ordering o;
        assert_int_equal(bl_order_run(&in, "mechanism_robust", &o), BL_OK);
        assert_int_equal(o.nblock, from);
        assert_int_equal(o.border, 1 - from);
        bl_ordering_free(ctx, &o);
    }
    test_context_end(ctx);
}

/* random values: no block below the threshold, whatever the pattern */
static void weak_blocks__are_never_taken(void **unused) {
    (void)unused;
    test_random random = {test_seed(501)};
    motion m = {.ctx = test_context(NULL), .nsample = 3};
    for (int trial = 0; trial < 1000; trial++) {
        bl_index nrow = 1 + test_random_below(&random, 30), ncol = 1 + test_random_below(&random, 30);
        m.pattern = test_pattern_random(m.ctx, &random, nrow, ncol, test_random_below(&random, 4 * nrow), trial % 2);
        bl_index nnz = m.pattern.ptr[ncol];
        m.value = calloc((size_t)(3 * nnz) + 1, sizeof *m.value);
        assert_non_null(m.value);
        for (bl_index k = 0; k < 3 * nnz; k++)
            m.value[k] = test_random_below(&random, 4) ? test_random_symmetric(&random) * (test_random_below(&random, 5) ? 1 : 1e-4) : 0;
        bl_ordering o;
        order(&m, 1, "mechanism_robust", &o);
        if (o.nblock > 0)
            assert_true(weakest_block(&m, &o) > 1e-4);
        bl_ordering_free(m.ctx, &o);
        free(m.value);
        bl_pattern_free(m.ctx, &m.pattern);
    }
    test_context_end(m.ctx);
}

static void samples_that_are_not_finite__are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double value[2][7];
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        memcpy(value, pair_value, sizeof value);
        value[1][3] = bad[k];
        bl_order_input in = {.ctx = ctx, .pattern = &pair, .nsample = 2, .sample = value[0]};
        bl_ordering o;
        assert_int_equal(bl_order_run(&in, "mechanism_robust", &o), BL_NOT_FINITE);
        assert_string_equal(bl_context_error(ctx)->what, "mechanism_robust: sample 1 is not finite in row 0, column 1");
        bl_ordering_free(ctx, &o);
    }
    test_context_end(ctx);
}

static bl_status order_once(bl_context *ctx, void *unused) {
    (void)unused;
    bl_order_input in = {.ctx = ctx, .pattern = &pair, .nsample = 2, .sample = pair_value[0]};
    bl_ordering o;
    bl_status status = bl_order_run(&in, "mechanism_robust", &o);
    bl_ordering_free(ctx, &o);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(order_once, NULL) >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricard__keeps_the_rank_of_its_blocks),  cmocka_unit_test(open_chains__keep_their_blocks),
        cmocka_unit_test(weak_columns__go_to_the_border_instead), cmocka_unit_test(changes_of_sign__count_as_singular),
        cmocka_unit_test(weak_blocks__are_never_taken),           cmocka_unit_test(samples_that_are_not_finite__are_refused),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every derivative of every scene made of equations against central differences of the quantity it belongs to, at places beside the start;
 * and what is computed at a place is the same whatever was asked for before. */
#include "equations/equations.h"
#include "support/testing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const scenes[] = {"hires",      "robertson",  "pleiades",          "beam",       "beam_ode",
                                     "car_axis",   "fekete",     "andrews_equations", "extended_1", "extended_2",
                                     "extended_3", "oscillator", "rotating_spring",   "woodpecker", "curved contacts"};
/* curved gaps, speeds with factors that depend on positions, two of them, beside a constraint that moves and a mass that varies */
static const char curved[] =
    "equations:\n  states:\n    - {name: x, start: 0.3, mass: =2 + cos(y), force: =-x*y_rate}\n"
    "    - {name: y, start: 0.2, mass: 1, force: =sin(t)*z}\n    - {name: z, start: 0.1, mass: 3, force: =x^2}\n"
    "  constraints: [{value: =x*z - y - 0.1*t^2}]\n"
    "contacts:\n  - {name: a, gap: =z - 0.3*x^2 + x*y, sliding: [=x_rate*cos(y) + z_rate*x, =y_rate - x^2*x_rate], "
    "friction: 0.3}\n"
    "  - {name: b, gap: =sin(x) - y*z, sliding: =z_rate*exp(x) + y_rate, friction: 0.4}\n  - {name: c, gap: =x*y*z}\n";
enum { NSCENE = sizeof scenes / sizeof *scenes };

typedef struct bench {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_eval at, side; /* the place, and those beside it */
    bl_state state, moved;
    double *a, *load;
    bl_index nv, nz, n, np;
} bench;

static void open_bench(bench *b, const char *scene) {
    char path[512];
    memset(b, 0, sizeof *b);
    b->ctx = test_context(NULL);
    snprintf(path, sizeof path, SCENES "/%s.yaml", scene);
    bl_status status = strcmp(scene, "curved contacts") == 0 ? bl_model_read_text(b->ctx, scene, curved, strlen(curved), NULL, 0, &b->model)
                                                             : bl_model_read(b->ctx, path, NULL, 0, &b->model);
    if (status != BL_OK)
        print_message("%s: %s\n", path, bl_context_error(b->ctx)->what);
    assert_int_equal(status, BL_OK);
    assert_int_equal(bl_equations_build(b->ctx, b->model, &b->sys), BL_OK);
    assert_int_equal(bl_eval_create(b->sys, BL_ALL, &b->at), BL_OK);
    assert_int_equal(bl_eval_create(b->sys, BL_ALL, &b->side), BL_OK);
    assert_int_equal(bl_state_create(b->sys, 0, &b->state), BL_OK);
    assert_int_equal(bl_state_create(b->sys, 0, &b->moved), BL_OK);
    b->nv = b->sys->nv;
    b->nz = b->sys->nz;
    b->n = b->nv + b->nz;
    b->np = b->sys->np;
    b->a = calloc((size_t)b->nv + 1, sizeof *b->a);
    b->load = calloc((size_t)b->sys->nload + 1, sizeof *b->load);
    assert_non_null(b->a);
    assert_non_null(b->load);
}

static void close_bench(bench *b) {
    free(b->a);
    free(b->load);
    bl_eval_destroy(b->sys, &b->at);
    bl_eval_destroy(b->sys, &b->side);
    bl_state_destroy(b->sys, &b->state);
    bl_state_destroy(b->sys, &b->moved);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
}

/* a place beside the start, at a time of its own */
static void go_beside(bench *b, test_random *random) {
    assert_int_equal(bl_equations_initial(b->sys, &b->state), BL_OK);
    *b->state.t = 0.1 + test_random_unit(random);
    for (bl_index j = 0; j < b->nv; j++) {
        b->state.q[j] += 0.05 * test_random_symmetric(random);
        b->state.v[j] += test_random_symmetric(random);
        b->a[j] = test_random_symmetric(random);
    }
    for (bl_index j = 0; j < b->nz; j++)
        b->state.z[j] += 0.05 * test_random_symmetric(random);
    for (bl_index i = 0; i < b->np; i++)
        b->state.lambda[i] = test_random_symmetric(random);
    for (bl_index i = 0; i < b->sys->nload; i++)
        b->load[i] = 1 + test_random_unit(random);
    for (bl_index i = 0; i < b->sys->ncontact; i++) {
        bl_contact_state *contact = &bl_contact_states(b->sys, b->state.history)[i];
        double angle = 6 * test_random_unit(random);
        *contact = (bl_contact_state){.mode = (double)test_random_below(random, 3), .side = {cos(angle), sin(angle)}};
    }
    bl_eval_at(&b->at, &b->state);
    b->at.a = b->a;
    b->at.load = b->side.load = b->load;
}

static bool is_speed(const bench *b, bl_index row) { return b->sys->row[row].level == BL_AT_VELOCITY; }

enum { BY_Q, BY_V, BY_Z, BY_T };

static double *coordinate(const bench *b, bl_state *state, int by, bl_index j) {
    (void)b;
    return by == BY_Q ? &state->q[j] : by == BY_V ? &state->v[j] : by == BY_Z ? &state->z[j] : state->t;
}

/* fills out[count] at the place of eval */
typedef void (*quantity)(bench *b, bl_eval *e, double *out);

static void forces(bench *b, bl_eval *e, double *out) {
    assert_int_equal(bl_system_eval(b->sys, e, BL_Q | BL_F), BL_OK);
    memcpy(out, e->Q, (size_t)b->nv * sizeof *out);
    memcpy(out + b->nv, e->f, (size_t)b->nz * sizeof *out);
}

static void mass_times_a(bench *b, bl_eval *e, double *out) {
    assert_int_equal(bl_system_eval(b->sys, e, BL_M), BL_OK);
    memset(out, 0, (size_t)b->n * sizeof *out);
    for (bl_index j = 0; j < b->nv; j++)
        for (bl_index k = b->sys->pat_M.ptr[j]; k < b->sys->pat_M.ptr[j + 1]; k++)
            out[b->sys->pat_M.idx[k]] += e->M[k] * b->a[j];
}

static void phi(bench *b, bl_eval *e, double *out) {
    assert_int_equal(bl_system_eval(b->sys, e, BL_PHI), BL_OK);
    memcpy(out, e->phi, (size_t)b->np * sizeof *out);
}

/* gaps are rows of positions; speeds are not, and are shown: state 2, sticking, where their rows hold */
static void speeds(bench *b, bl_eval *e, double *out) {
    assert_int_equal(bl_system_eval(b->sys, e, BL_CONTACTS), BL_OK);
    memset(out, 0, (size_t)b->np * sizeof *out);
    for (bl_index i = 0; i < b->sys->ncontact; i++)
        for (int k = 0; k < b->sys->contact[i].nslip; k++)
            if (e->contact[i].state == BL_CONTACT_STICK)
                out[b->sys->contact[i].slip[k]] = e->contact[i].sliding[k];
}

static void G_times_v(bench *b, bl_eval *e, double *out) {
    assert_int_equal(bl_system_eval(b->sys, e, BL_G), BL_OK);
    memset(out, 0, (size_t)b->np * sizeof *out);
    bl_csc_multiply(&b->sys->pat_G, e->G, e->v, out);
}

static void reactions(bench *b, bl_eval *e, double *out) {
    assert_int_equal(bl_system_eval(b->sys, e, BL_G), BL_OK);
    memset(out, 0, (size_t)b->n * sizeof *out);
    bl_csc_multiply_transposed(&b->sys->pat_G, e->G, b->state.lambda, out);
}

/* Column of derivatives of fourth order; *rounding: what the cancellation of the quantity over the step may leave. */
static void difference(bench *b, quantity of, bl_index count, int by, bl_index j, double *out, double *rounding) {
    static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, shift[] = {-2, -1, 1, 2};
    double *value = malloc(((size_t)count + 1) * sizeof *value);
    assert_non_null(value);
    memset(out, 0, (size_t)count * sizeof *out);
    double h = 3e-4 * fmax(fabs(*coordinate(b, &b->state, by, j)), 0.1);
    *rounding = 0;
    for (int k = 0; k < 4; k++) {
        bl_state_copy(b->sys, &b->moved, &b->state);
        *coordinate(b, &b->moved, by, j) += shift[k] * h;
        bl_eval_at(&b->side, &b->moved);
        of(b, &b->side, value);
        for (bl_index i = 0; i < count; i++) {
            out[i] += weight[k] / h * value[i];
            *rounding = fmax(*rounding, 100 * DBL_EPSILON * fabs(value[i]) / h);
        }
    }
    free(value);
}

/* sign times the matrix has, column by column, the derivatives */
static void assert_matrix(bench *b, const char *what, quantity of, bl_index count, const bl_pattern *pattern, const double *values,
                          double sign, int by, bl_index ncol, bl_index first) {
    double *column = calloc((size_t)count + 1, sizeof *column), *expected = calloc((size_t)count + 1, sizeof *expected);
    assert_non_null(column);
    assert_non_null(expected);
    for (bl_index j = 0; j < ncol; j++) {
        memset(column, 0, (size_t)count * sizeof *column);
        for (bl_index k = pattern->ptr[first + j]; k < pattern->ptr[first + j + 1]; k++)
            column[pattern->idx[k]] += sign * values[k];
        double rounding, largest = 1e-3;
        difference(b, of, count, by, j, expected, &rounding);
        for (bl_index i = 0; i < count; i++)
            largest = fmax(largest, fabs(expected[i]));
        for (bl_index i = 0; i < count; i++)
            if (!(fabs(column[i] - expected[i]) <= 1e-7 * largest + rounding)) {
                print_message("%s: row %d, column %d: %.15g, by differences %.15g\n", what, (int)i, (int)j, column[i], expected[i]);
                fail();
            }
    }
    free(column);
    free(expected);
}

static void rows_by_motion(bench *b, bl_eval *e) {
    const bl_pattern *G = &b->sys->pat_G;
    double *values = calloc((size_t)G->ptr[G->ncol] + 1, sizeof *values);
    assert_non_null(values);
    for (int speed = 0; speed < 2; speed++) {
        for (bl_index k = 0; k < G->ptr[G->ncol]; k++)
            values[k] = is_speed(b, G->idx[k]) == (speed == 1) ? e->G[k] : 0;
        if (speed && b->sys->ncontact)
            assert_matrix(b, "G of speeds", speeds, b->np, G, values, 1, BY_V, b->nv, 0);
        else if (!speed)
            assert_matrix(b, "G", phi, b->np, G, values, 1, BY_Q, b->nv, 0);
    }
    free(values);
}

static void check_scene(const char *scene, test_random *random) {
    bench b;
    print_message("%s\n", scene);
    open_bench(&b, scene);
    const bl_system *sys = b.sys;
    for (int round = 0; round < 2; round++) {
        go_beside(&b, random);
        bl_eval *e = &b.at;
        assert_int_equal(bl_system_eval(sys, e, BL_M | BL_KC | BL_MA_X | BL_GTL_X | BL_GV_X | BL_G | BL_B | BL_C), BL_OK);
        /* entries of z in rows and columns of C hold A: only those of v are derivatives */
        assert_matrix(&b, "K by q", forces, b.n, &sys->pat_K, e->K, -1, BY_Q, b.nv, 0);
        assert_matrix(&b, "K by z", forces, b.n, &sys->pat_K, e->K, -1, BY_Z, b.nz, b.nv);
        assert_matrix(&b, "C by v", forces, b.n, &sys->pat_C, e->C, -1, BY_V, b.nv, 0);
        assert_matrix(&b, "M a by q", mass_times_a, b.n, &sys->pat_K, e->Ma_x, 1, BY_Q, b.nv, 0);
        assert_matrix(&b, "G^T lambda by q", reactions, b.n, &sys->pat_K, e->GTl_x, 1, BY_Q, b.nv, 0);
        rows_by_motion(&b, e);
        assert_matrix(&b, "G v by q", G_times_v, b.np, &sys->pat_G, e->Gv_x, 1, BY_Q, b.nv, 0);
        /* b = -phi_t; c = -((G v)_q v + 2 (G v)_t + phi_tt), where G and b change with time as differences say */
        double *phi_t = calloc((size_t)b.np + 1, sizeof *phi_t), *Gv_t = calloc((size_t)b.np + 1, sizeof *Gv_t);
        double *c = calloc((size_t)b.np + 1, sizeof *c), *step = calloc((size_t)b.np + 1, sizeof *step);
        assert_true(phi_t && Gv_t && c && step);
        double rounding;
        difference(&b, phi, b.np, BY_T, 0, phi_t, &rounding);
        difference(&b, G_times_v, b.np, BY_T, 0, Gv_t, &rounding);
        bl_csc_multiply(&sys->pat_G, e->Gv_x, e->v, c);
        double h = 1e-3, shift[] = {-2, -1, 1, 2}, weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
        for (int k = 0; k < 4; k++) { /* b by t */
            bl_state_copy(sys, &b.moved, &b.state);
            *b.moved.t += shift[k] * h;
            bl_eval_at(&b.side, &b.moved);
            assert_int_equal(bl_system_eval(sys, &b.side, BL_B), BL_OK);
            for (bl_index i = 0; i < b.np; i++)
                step[i] += weight[k] / h * b.side.b[i];
        }
        for (bl_index i = 0; i < b.np; i++) {
            assert_true(fabs(e->b[i] + phi_t[i]) <= 1e-7 * (1 + fabs(phi_t[i])));
            double expected = -(c[i] + 2 * Gv_t[i] - step[i]);
            assert_true(fabs(e->c[i] - expected) <= 1e-6 * (1 + fabs(expected)));
        }
        free(phi_t);
        free(Gv_t);
        free(c);
        free(step);
    }
    close_bench(&b);
}

static void derivatives__agree_with_differences(void **state) {
    (void)state;
    test_random random = {test_seed(20)};
    for (int k = 0; k < NSCENE; k++)
        check_scene(scenes[k], &random);
}

/* one quantity after the other, in any order and with moves in between, gives the bits that all at once give at a fresh place */
static void quantities__do_not_depend_on_what_was_asked_before(void **state) {
    (void)state;
    static const uint32_t bits[] = {BL_M, BL_Q, BL_F, BL_PHI, BL_G, BL_B, BL_C, BL_KC, BL_MA_X, BL_GTL_X, BL_GV_X};
    enum { NBIT = sizeof bits / sizeof *bits };
    uint32_t all = 0;
    for (int k = 0; k < NBIT; k++)
        all |= bits[k];
    test_random random = {test_seed(21)};
    for (int s = 0; s < NSCENE; s++) {
        bench b;
        open_bench(&b, scenes[s]);
        const bl_system *sys = b.sys;
        for (int round = 0; round < 30; round++) {
            if (round % 3 == 0)
                go_beside(&b, &random);
            else if (round % 3 == 1 && b.nv) /* only velocities, accelerations or multipliers move */
                b.state.v[test_random_below(&random, b.nv)] += 0.1;
            else if (b.np)
                b.state.lambda[test_random_below(&random, b.np)] += 0.1;
            bl_eval_at(&b.at, &b.state);
            b.at.a = b.a;
            b.at.load = b.load;
            for (int k = 0; k < 6; k++)
                assert_int_equal(
                    bl_system_eval(sys, &b.at, bits[test_random_below(&random, NBIT)] | bits[test_random_below(&random, NBIT)]), BL_OK);
            assert_int_equal(bl_system_eval(sys, &b.at, all), BL_OK);
            bl_eval fresh = {0};
            assert_int_equal(bl_eval_create(sys, BL_ALL, &fresh), BL_OK);
            bl_eval_at(&fresh, &b.state);
            fresh.a = b.a;
            fresh.load = b.load;
            assert_int_equal(bl_system_eval(sys, &fresh, all), BL_OK);
            const struct {
                const double *a, *b;
                bl_index n;
            } pair[] = {{b.at.M, fresh.M, sys->pat_M.ptr[b.n]},
                        {b.at.K, fresh.K, sys->pat_K.ptr[b.n]},
                        {b.at.C, fresh.C, sys->pat_C.ptr[b.n]},
                        {b.at.G, fresh.G, sys->pat_G.ptr[b.nv]},
                        {b.at.Ma_x, fresh.Ma_x, sys->pat_K.ptr[b.n]},
                        {b.at.GTl_x, fresh.GTl_x, sys->pat_K.ptr[b.n]},
                        {b.at.Gv_x, fresh.Gv_x, sys->pat_G.ptr[b.nv]},
                        {b.at.Q, fresh.Q, b.nv},
                        {b.at.f, fresh.f, b.nz},
                        {b.at.phi, fresh.phi, b.np},
                        {b.at.b, fresh.b, b.np},
                        {b.at.c, fresh.c, b.np}};
            for (size_t k = 0; k < sizeof pair / sizeof *pair; k++)
                for (bl_index i = 0; i < pair[k].n; i++)
                    assert_true(pair[k].a[i] == pair[k].b[i]);
            bl_eval_destroy(sys, &fresh);
        }
        close_bench(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives__agree_with_differences),
        cmocka_unit_test(quantities__do_not_depend_on_what_was_asked_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

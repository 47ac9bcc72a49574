/* The study of equilibria: criteria, increments that fail and adapt, history taken over at equilibria alone, refusals with a reason, sinks,
 * requests to stop, memory. */
#include "study/equilibrium_private.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- an elastoplastic spring with hardening as a system: load t = stress(q) */

static const double E = 100, H = 25, YIELD = 0.5;

typedef struct plastic {
    long accepts, evals;
    double reach; /* largest distance from the accepted configuration at which it can be evaluated; 0: everywhere */
    double accepted[64], at;
    bl_index ptr[2], idx[1];
    bl_col col;
    bl_system sys;
} plastic;

static double kept(const unsigned char *history, int k) {
    double value;
    memcpy(&value, history + (size_t)k * sizeof value, sizeof value);
    return value;
}

/* history: plastic strain, accepted position */
static bl_status plastic_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    plastic *p = sys->own;
    double strain = kept(e->history, 0), stress = E * (e->q[0] - strain), back = H * strain, slope = E;
    p->evals++;
    if (p->reach > 0 && fabs(e->q[0] - kept(e->history, 1)) > p->reach)
        return bl_fail(sys->ctx, BL_NOT_FINITE, NULL, "too far");
    double over = fabs(stress - back) - YIELD;
    if (over > 0) {
        double more = over / (E + H);
        strain += stress > back ? more : -more;
        stress = E * (e->q[0] - strain);
        slope = E * H / (E + H);
    }
    memcpy(e->trial, &strain, sizeof strain);
    memcpy(e->trial + sizeof strain, e->q, sizeof strain);
    if (want & BL_Q)
        e->Q[0] = e->t - stress;
    if (want & BL_KC)
        e->K[0] = slope, e->C[0] = 0;
    return BL_OK;
}

static bl_status plastic_accept(const bl_system *sys, bl_eval *e, bl_state *state) {
    plastic *p = sys->own;
    assert_true(p->accepts < 64);
    p->accepted[p->accepts++] = *state->t;
    memcpy(state->history, e->trial, 2 * sizeof(double));
    return BL_OK;
}

static void plastic_col_name(const bl_system *sys, bl_index col, char *name, size_t nname) {
    (void)sys, (void)col;
    snprintf(name, nname, "stretch");
}

static const bl_system_kind plastic_kind = {
    .kind = {.name = "plastic"}, .eval = plastic_eval, .accept = plastic_accept, .col_name = plastic_col_name};

static void plastic_make(plastic *p, bl_context *ctx) {
    *p = (plastic){.ptr = {0, 1}, .col = {.what = BL_COL_DISTANCE, .order = 2, .scale = 0.01}};
    p->sys = (bl_system){.kind = &plastic_kind,
                         .ctx = ctx,
                         .can = BL_CAN_TANGENT,
                         .facts = BL_FLAT | BL_HISTORY | BL_K_SYMMETRIC | BL_Q_OF_T,
                         .nq = 1,
                         .nv = 1,
                         .history_bytes = 2 * sizeof(double),
                         .pat_M = {1, 1, p->ptr, p->idx},
                         .pat_C = {1, 1, p->ptr, p->idx},
                         .pat_K = {1, 1, p->ptr, p->idx},
                         .pat_G = {0, 1, p->ptr, p->idx},
                         .col = &p->col,
                         .own = p};
}

typedef struct visited {
    long count;
    double t[64], q[64];
} visited;

static bl_status visit(bl_statics *s, void *user) {
    visited *v = user;
    assert_true(v->count < 64);
    v->t[v->count] = *s->kept.t;
    v->q[v->count++] = s->kept.q[0];
    return BL_OK;
}

static bl_status pull(plastic *p, const bl_equilibrium_options *options, visited *v, bl_equilibrium_summary *found) {
    bl_state start;
    bl_statics *s = NULL;
    *v = (visited){0};
    BL_TRY(bl_state_create(&p->sys, 0, &start));
    bl_status status = bl_statics_create(&p->sys, &start, options, &s);
    if (status == BL_OK)
        status = bl_statics_follow(s, visit, v);
    if (s)
        *found = s->found;
    bl_statics_destroy(s);
    bl_state_destroy(&p->sys, &start);
    return status;
}

static double stretch(double load) { return load / E + (load > YIELD ? (load - YIELD) / H : 0); }

static void history__is_taken_over_at_equilibria_alone(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (int sparse = 0; sparse < 2; sparse++) {
        plastic p;
        visited v;
        bl_equilibrium_summary found = {0};
        plastic_make(&p, ctx);
        bl_equilibrium_options options = {.until = 1, .increments = 8, .linsol = sparse ? "ldl" : NULL};
        assert_int_equal(pull(&p, &options, &v, &found), BL_OK);
        assert_int_equal(v.count, 9);
        assert_int_equal(p.accepts, 9); /* one each, at its load */
        for (int i = 0; i < 9; i++) {
            assert_near(v.t[i], i / 8.0, 1e-15);
            assert_near(p.accepted[i], v.t[i], 0);
            assert_near(v.q[i], stretch(v.t[i]), 1e-12);
        }
        assert_true(found.iterations > 9 && p.evals > found.iterations);
    }
    test_context_end(ctx);
}

/* increments that reach too far are halved; they start from the accepted configuration, so that the result is the same */
static void refused_increments__leave_no_trace(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    plastic p;
    visited v;
    bl_equilibrium_summary found = {0};
    plastic_make(&p, ctx);
    p.reach = 0.0045; /* the stretch for a load of 0.09 beyond yielding */
    assert_int_equal(pull(&p, &(bl_equilibrium_options){.until = 1, .increments = 8}, &v, &found), BL_OK);
    assert_true(found.refused > 0);
    assert_int_equal(p.accepts, v.count);
    for (long i = 0; i < v.count; i++) {
        assert_near(v.q[i], stretch(v.t[i]), 1e-12);
        assert_true(i == 0 || (v.t[i] > v.t[i - 1] && v.t[i] - v.t[i - 1] <= 0.125 + 1e-15));
    }
    assert_near(v.t[v.count - 1], 1, 0);
    test_context_end(ctx);
}

static void five_failures__end_the_path_and_keep_what_there_is(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    plastic p;
    visited v;
    bl_equilibrium_summary found = {0};
    plastic_make(&p, ctx);
    p.reach = 1e-4; /* a 32nd of an increment still needs more */
    assert_int_equal(pull(&p, &(bl_equilibrium_options){.until = 1, .increments = 2}, &v, &found), BL_E_NUMERIC);
    assert_int_equal(found.refused, 5);
    assert_int_equal(v.count, 1);
    assert_near(found.t, 0, 0);
    const bl_error *error = bl_context_error(ctx);
    assert_non_null(strstr(error->what, "no equilibrium beyond t = 0: 5 increments in a row failed"));
    assert_non_null(strstr(error->what, "too far"));
    assert_non_null(strstr(error->what, "stretch"));
    assert_non_null(strstr(error->advice, "--arc-length"));
    test_context_end(ctx);
}

/* increments grow to more than one load step, unless their number is given */
static void increments__adapt_to_iterations(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    plastic p;
    visited v;
    bl_equilibrium_summary found = {0};
    plastic_make(&p, ctx);
    assert_int_equal(pull(&p, &(bl_equilibrium_options){.until = 1}, &v, &found), BL_OK);
    assert_near(v.t[1], 0.1, 1e-15);
    assert_true(v.count < 9); /* each takes one or two iterations, of five aimed at */
    for (long i = 2; i < v.count - 1; i++)
        assert_true(v.t[i] - v.t[i - 1] <= 0.4 + 1e-12 && v.t[i] - v.t[i - 1] <= 2 * (v.t[i - 1] - v.t[i - 2]) + 1e-12);
    assert_near(v.q[v.count - 1], stretch(1), 1e-12);
    test_context_end(ctx);
}

/* ---- models */

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    if (bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

/* cos x = x, by what must be small */
static void criteria__stop_newton_where_they_say(void **unused) {
    (void)unused;
    static const char text[] = "equations:\n  states:\n    - {name: x, start: 0, acceleration: \"=cos(x) - x\"}\n";
    static const bl_criterion every[] = {BL_CRITERION_BOTH, BL_CRITERION_RESIDUAL, BL_CRITERION_INCREMENT};
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, text);
    long iterations[3][2];
    for (int k = 0; k < 3; k++)
        for (int loose = 0; loose < 2; loose++) {
            bl_equilibrium_summary found = {0};
            bl_equilibrium_options options = {.criterion = every[k], .tolerance = loose ? 1e-2 : 0};
            assert_int_equal(bl_equilibrium(ctx, model, &options, NULL, 0, NULL, &found), BL_OK);
            assert_int_equal(found.found, 1);
            assert_true(found.residual <= (loose ? 1e-2 : 1e-10));
            assert_int_equal(found.unstable, 0);
            assert_string_equal(found.worst, "x");
            iterations[k][loose] = found.iterations;
            assert_true(iterations[k][loose] <= iterations[k][0]);
        }
    /* corrections are one iteration behind forces */
    assert_true(iterations[1][1] < iterations[2][1]);
    assert_int_equal(iterations[0][1], iterations[2][1]);
    bl_model_destroy(model);
    test_context_end(ctx);
}

typedef struct values {
    double value[2];
} values;

static bl_status keep_values(void *user, const bl_sample *sample) {
    memcpy(((values *)user)->value, sample->variable, 2 * sizeof(double));
    return BL_OK;
}

static void expect_refusal(const char *text, const bl_equilibrium_options *options, bl_status status, const char *what) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, text);
    bl_status came = bl_equilibrium(ctx, model, options, NULL, 0, NULL, NULL);
    if (came != status || !strstr(bl_context_error(ctx)->what, what))
        fail_msg("status %d, %s, not %d with %s", came, bl_context_error(ctx)->what, status, what);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static const char free_chain[] = "matrices:\n  size: 30\n  names: u\n"
                                 "  K: {tridiagonal: {lower: -100, diagonal: \"=i == 1 or i == 30 ? 100 : 200\"}}\n  load: {u3: =t}\n";

static void bodies_that_nothing_holds__are_refused_by_their_motions(void **unused) {
    (void)unused;
    static const char *const solver[] = {NULL, "ldl", "klu", "band"};
    for (int k = 0; k < 4; k++) /* at t = 0 there is no load and it stays where it is; under load it does not */
        expect_refusal(free_chain, &(bl_equilibrium_options){.until = 1, .linsol = solver[k]}, BL_E_NUMERIC,
                       "the system is not fully supported: 1 motion without stiffness: u1 (1), u2 (1)");
    expect_refusal("matrices: {size: 3, K: {diagonal: [1, 0, 0]}, load: [1, 2, 3]}\n", NULL, BL_E_NUMERIC,
                   "the system is not fully supported: 2 motions without stiffness: d2 (1); d3 (1)");
    expect_refusal("equations:\n  states:\n    - {name: x, start: 0, acceleration: 1}\n", NULL, BL_E_NUMERIC,
                   "the system is not fully supported: 1 motion without stiffness: x (1)");
    /* a block on a smooth incline: 2 kg, 9.81 sin 45 */
    expect_refusal("model: incline\ndimension: 2\ngravity: [0, -9.81]\nbodies: [{name: b, mass: 2, center: [0, 0], inertia: 1}]\n"
                   "joints: [{name: s, type: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 1]}]\n",
                   &(bl_equilibrium_options){.coordinates = "relative"}, BL_E_NUMERIC,
                   "no equilibrium: s.distance (1) moves without bound under 13.87");
    expect_refusal("model: fall\ndimension: 2\ngravity: [0, -9.81]\nbodies: [{name: b, mass: 2, center: [0, 0], inertia: 1}]\n", NULL,
                   BL_E_NUMERIC, "moves without bound under 19.62");
}

static void numbers_that_make_no_sense__are_refused(void **unused) {
    (void)unused;
    static const char text[] = "matrices: {size: 2, K: 3}\n";
    expect_refusal(text, &(bl_equilibrium_options){.until = NAN}, BL_E_ARG, "the ends of a path must be finite");
    expect_refusal(text, &(bl_equilibrium_options){.tolerance = -1}, BL_E_ARG, "at most 0.1, found -1");
    expect_refusal(text, &(bl_equilibrium_options){.tolerance = 1}, BL_E_ARG, "at most 0.1, found 1");
    expect_refusal(text, &(bl_equilibrium_options){.increments = -2}, BL_E_ARG, "must not be negative");
    expect_refusal(text, &(bl_equilibrium_options){.arc_length = true}, BL_E_ARG, "needs a path");
    expect_refusal(text, &(bl_equilibrium_options){.arc_length = true, .until = 1}, BL_E_MODEL, "the load has no effect");
    expect_refusal(text, &(bl_equilibrium_options){.linsol = "lu"}, BL_E_ARG, "there is no linear solver 'lu'");
    expect_refusal("equations:\n  states:\n    - {name: x, start: 1, acceleration: \"=-exp(x)\"}\n", NULL, BL_E_NUMERIC, "no equilibrium");
    expect_refusal("equations:\n  states:\n    - {name: x, start: 0, acceleration: =sqrt(x - 1)}\n", NULL, BL_E_NUMERIC, "not a number");
    bl_context *ctx = test_context(NULL);
    assert_int_equal(bl_equilibrium(ctx, NULL, NULL, NULL, 0, NULL, NULL), BL_E_ARG);
    test_context_end(ctx);
}

/* first-order and algebraic states come to rest too: x' = y - x^3, 0 = 8 - y */
static void states__come_to_rest(void **unused) {
    (void)unused;
    static const char text[] = "equations:\n  states:\n    - {name: x, start: 1, rate: \"=y - x^3\"}\n"
                               "    - {name: y, start: 1, algebraic: \"=8 - y\"}\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, text);
    bl_equilibrium_summary found = {0};
    values v = {0};
    bl_sink sink = {.user = &v, .sample = keep_values};
    assert_int_equal(bl_equilibrium(ctx, model, NULL, &sink, 1, NULL, &found), BL_OK);
    assert_near(v.value[0], 2, 1e-9);
    assert_near(v.value[1], 8, 1e-9);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- sinks */

typedef struct counter {
    long begun, samples, ended, stop_at;
    double last;
    bl_context *ctx;
    bl_status status, refuse;
    bl_equilibrium_summary found;
} counter;

static bl_status begin(void *user, const bl_run_info *info) {
    counter *c = user;
    c->begun++;
    assert_string_equal(info->formulation, "equilibrium");
    assert_true(info->dof > 0);
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    counter *c = user;
    c->last = sample->t;
    assert_near(sample->variable_rate[0], 0, 0);
    if (++c->samples == c->stop_at)
        bl_context_stop(c->ctx);
    return c->refuse;
}

static bl_status end(void *user, const bl_run_summary *summary) {
    counter *c = user;
    c->ended++;
    c->status = summary->status;
    assert_non_null(summary->equilibrium);
    c->found = *summary->equilibrium;
    return BL_OK;
}

static const char spring[] = "equations:\n  states:\n    - {name: x, start: 0, acceleration: \"=t - x - x^3\"}\n";

static void sinks__get_every_equilibrium_and_the_end(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, spring);
    counter c = {.ctx = ctx};
    bl_run_summary summary = {0};
    bl_sink sink = {.user = &c, .begin = begin, .sample = take, .end = end};
    bl_equilibrium_options options = {.until = 2, .increments = 5};
    assert_int_equal(bl_equilibrium(ctx, model, &options, &sink, 1, &summary, NULL), BL_OK);
    assert_true(c.begun == 1 && c.ended == 1 && c.samples == 6 && c.found.found == 6 && c.last == 2);
    assert_null(summary.equilibrium); /* it lived while the sinks were reported */
    assert_int_equal(summary.steps, 6);
    assert_near(summary.h_largest, 0.4, 1e-12);
    /* request to stop after the third */
    c = (counter){.ctx = ctx, .stop_at = 3};
    assert_int_equal(bl_equilibrium(ctx, model, &options, &sink, 1, &summary, NULL), BL_STOPPED);
    assert_true(c.samples == 3 && c.status == BL_STOPPED && c.ended == 1);
    bl_context_resume(ctx);
    /* a sink that fails ends it */
    c = (counter){.ctx = ctx, .refuse = BL_E_FILE};
    assert_int_equal(bl_equilibrium(ctx, model, &options, &sink, 1, &summary, NULL), BL_E_FILE);
    assert_true(c.samples == 1 && c.ended == 1);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- memory */

typedef struct life {
    const char *text;
    bl_equilibrium_options options;
    bl_status expected;
} life;

static bl_status whole_life(bl_context *ctx, void *user) {
    const life *l = user;
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "text", l->text, strlen(l->text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_equilibrium(ctx, model, &l->options, NULL, 0, NULL, NULL);
    bl_model_destroy(model);
    if (status == l->expected) {
        bl_context_clear_error(ctx);
        return BL_OK;
    }
    return status;
}

static void memory__comes_back_whatever_fails(void **unused) {
    (void)unused;
    static const char pendulum[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: b, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                                   "joints: [{name: A, type: revolute, bodies: [ground, b], at: [0, 0]}]\n";
    life lives[] = {{pendulum, {.coordinates = "natural"}, BL_OK},
                    {pendulum, {.coordinates = "natural", .linsol = "klu"}, BL_OK},
                    {spring, {.until = 1, .increments = 2}, BL_OK},
                    {spring, {.until = 1, .increments = 2, .arc_length = true}, BL_OK},
                    {free_chain, {.from = 1}, BL_E_NUMERIC}};
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        test_failing_allocations(whole_life, &lives[i]);
        test_failing_once(whole_life, &lives[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(history__is_taken_over_at_equilibria_alone),
        cmocka_unit_test(refused_increments__leave_no_trace),
        cmocka_unit_test(five_failures__end_the_path_and_keep_what_there_is),
        cmocka_unit_test(increments__adapt_to_iterations),
        cmocka_unit_test(criteria__stop_newton_where_they_say),
        cmocka_unit_test(bodies_that_nothing_holds__are_refused_by_their_motions),
        cmocka_unit_test(numbers_that_make_no_sense__are_refused),
        cmocka_unit_test(states__come_to_rest),
        cmocka_unit_test(sinks__get_every_equilibrium_and_the_end),
        cmocka_unit_test(memory__comes_back_whatever_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

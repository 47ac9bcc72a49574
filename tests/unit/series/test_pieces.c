/* Laws by pieces: the same numbers where a piece holds, and carried on beyond it; borders in time; failing allocations. */
#include "series/expr.h"
#include "series/switches.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

enum { T, X, V, NIN };
static const uint8_t does[NIN] = {BL_INPUT_TIME, BL_INPUT_STATE, BL_INPUT_STATE};

static bl_status name_of(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest) {
    (void)user;
    (void)place;
    (void)nearest;
    bl_index which = !strcmp(name, "t") ? T : !strcmp(name, "x") ? X : !strcmp(name, "v") ? V : -1;
    if (which < 0)
        return BL_AGAIN;
    *node = bl_tape_input(tape, which);
    return BL_OK;
}

static bl_status table_of(void *user, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y) {
    static const double at[] = {0, 1, 2.5, 3}, value[] = {0, 2, 1, 4};
    (void)user;
    (void)file;
    (void)place;
    *n = 4;
    *x = at;
    *y = value;
    return BL_OK;
}

static bl_status record(bl_context *ctx, const char *text, bl_tape **tape) {
    bl_expr_scope scope = {.name = name_of, .table = table_of};
    bl_index node;
    *tape = NULL;
    BL_TRY(bl_tape_create(ctx, tape));
    for (bl_index k = 0; k < NIN; k++)
        bl_tape_input(*tape, k);
    BL_TRY(bl_expr_parse(ctx, text, strlen(text), &(bl_place){0}, &scope, *tape, &node));
    BL_TRY(bl_tape_output(*tape, node));
    return bl_tape_finish(*tape);
}

static double value_of(const bl_tape *tape, const double *in) {
    double out, work[400];
    assert_true(bl_tape_work(tape) <= 400);
    bl_tape_eval(tape, in, &out, work);
    return out;
}

/* pieces of all switches, where the inputs are */
static void find_pieces(const bl_pieces *p, double *in) {
    double s[16], work[400];
    for (bl_index k = 0; k < p->count; k++)
        in[NIN + k] = 0;
    for (bl_index round = 0; round <= p->count; round++) {
        assert_true(bl_tape_work(p->sense) <= 400);
        bl_tape_eval(p->sense, in, s, work);
        for (bl_index k = 0; k < p->count; k++)
            in[NIN + k] = bl_piece_of(&p->at[k], s[k]);
    }
}

static const char *const laws[] = {"x > 0 ? -4*x : -x",         "sign(v)*t + abs(x)",
                                   "max(x, v) - min(x, 2*v)",   "floor(3*x) + mod(t, 0.7)",
                                   "step(t - 1)*x + ramp(v)",   "smoothstep(x, -0.5, 1, 0.5, 3)",
                                   "table(a, t) + table(a, x)", "x > 0 and v < 0.5 or not (t >= 1) ? x*v : t",
                                   "(x > 0)*5 + (t < 2)*x^2",   "abs(t - 2) < 0.25 ? x : v",
                                   "min(max(x, -0.3), 0.4, v)"};
enum { LAWS = sizeof laws / sizeof *laws };

static void pieces__give_the_law(void **state) {
    (void)state;
    test_random random = {test_seed(71)};
    bl_context *ctx = test_context(NULL);
    for (int i = 0; i < LAWS; i++) {
        bl_tape *law;
        bl_pieces p = {0};
        assert_int_equal(record(ctx, laws[i], &law), BL_OK);
        assert_int_equal(bl_pieces_create(ctx, law, -1, NIN, does, &p), BL_OK);
        assert_true(p.count > 0 && p.count <= 16 && p.analytic);
        assert_true(bl_tape_smooth(p.tape) || !bl_tape_smooth(law));
        for (int trial = 0; trial < 200; trial++) {
            double in[NIN + 16] = {3.5 * test_random_unit(&random), 2 * test_random_unit(&random) - 1, 2 * test_random_unit(&random) - 1};
            double exact = value_of(law, in);
            assert_true(value_of(p.tape, in) == exact); /* nothing is held */
            find_pieces(&p, in);
            if (!(fabs(value_of(p.tape, in) - exact) <= 1e-15 * fmax(1, fabs(exact))))
                fail_msg("%s: %.17g by pieces, not %.17g", laws[i], value_of(p.tape, in), exact);
        }
        bl_pieces_destroy(ctx, &p);
        bl_tape_destroy(law);
    }
    test_context_end(ctx);
}

/* a branch that is held goes on beyond its border */
static void pieces__are_carried_on(void **state) {
    (void)state;
    const struct {
        const char *law;
        double beyond; /* at x = -0.25, of the piece at x = 0.5 */
    } all[] = {{"x > 0 ? -4*x : -x", 1}, {"abs(x)", -0.25}, {"max(x, 0)", -0.25}, {"sign(x)", 1}, {"floor(x)", 0}, {"ramp(x)", -0.25}};
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bl_tape *law;
        bl_pieces p = {0};
        double in[NIN + 16] = {0, 0.5, 0};
        assert_int_equal(record(ctx, all[i].law, &law), BL_OK);
        assert_int_equal(bl_pieces_create(ctx, law, -1, NIN, does, &p), BL_OK);
        find_pieces(&p, in);
        in[X] = -0.25;
        assert_float_equal(value_of(p.tape, in), all[i].beyond, 1e-15);
        bl_pieces_destroy(ctx, &p);
        bl_tape_destroy(law);
    }
    test_context_end(ctx);
}

/* roots that would have no value beyond the border are left alone; constant conditions do not switch */
static void what_cannot_be_carried_on__is_not_held(void **state) {
    (void)state;
    const char *const all[] = {"sqrt(abs(x))", "max(x, 0)^1.5", "x > 0 ? sqrt(x) : 0", "2 > 1 ? x : v", "x == 0 ? 1 : 2"};
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bl_tape *law;
        bl_pieces p = {0};
        assert_int_equal(record(ctx, all[i], &law), BL_OK);
        assert_int_equal(bl_pieces_create(ctx, law, -1, NIN, does, &p), BL_OK);
        if (p.count != 0 || p.analytic != (i > 2))
            fail_msg("%s: %d switches", all[i], (int)p.count);
        bl_pieces_destroy(ctx, &p);
        bl_tape_destroy(law);
    }
    test_context_end(ctx);
}

static void times__of_changes_are_found(void **state) {
    (void)state;
    const double pi = 3.14159265358979323846;
    const struct {
        const char *law;
        double from, next; /* exactly where off is 0 */
        double off;
    } all[] = {{"t <= 5 ? 1 : 0", 0, 5, 0},
               {"t <= 5 ? 1 : 0", 4.37, 5, 0},
               {"t <= 5 ? 1 : 0", 5.5, INFINITY, 0},
               {"step(t - 1)", 0.3, 1, 0},
               {"floor(t)", 2.25, 3, 0},
               {"floor(3*t)", 1.1, 4.0 / 3, 1e-15},
               {"floor(-t)", 2.25, 3, 0},
               {"table(a, t)", 0.5, 1, 0},
               {"table(a, t)", 1.7, 2.5, 0},
               {"table(a, t)", 3.5, INFINITY, 0},
               {"sin(10*t) > 0", 0.1, pi / 10, 1e-15},
               {"sin(10*t) > 0", 0.5, pi / 5, 1e-15},
               {"t^2 < 2", 0.5, sqrt(2), 4e-16},
               {"t^2 < 2", 1.5, INFINITY, 0},
               {"exp(t) > 20", 0, log(20), 1e-15},
               {"abs(t - 2)", 0, 2, 0},
               {"2 + sin(t) > 0.5", 0, NAN, 0},
               {"(t - 1)*(t - 1.001) < 0", 0, 1, 1e-12}};
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bl_tape *law;
        bl_pieces p = {0};
        double in[NIN + 16] = {all[i].from, 0, 0}, next[16], *work;
        assert_int_equal(record(ctx, all[i].law, &law), BL_OK);
        assert_int_equal(bl_pieces_create(ctx, law, -1, NIN, does, &p), BL_OK);
        assert_true(p.count >= 1 && p.at[0].of_time);
        find_pieces(&p, in);
        assert_int_equal(BL_NEW(ctx, work, bl_pieces_time_work(&p) + 1), BL_OK);
        bl_pieces_next_times(&p, in, all[i].from, next, work);
        bool good = isnan(all[i].next)        ? next[0] < 0 || next[0] == INFINITY
                    : all[i].next == INFINITY ? next[0] == INFINITY
                                              : fabs(next[0] - all[i].next) <= all[i].off;
        if (!good)
            fail_msg("%s from %g: %.17g, not %.17g", all[i].law, all[i].from, next[0], all[i].next);
        bl_free(ctx, work);
        bl_pieces_destroy(ctx, &p);
        bl_tape_destroy(law);
    }
    test_context_end(ctx);
}

/* ---- memory */

static bl_status make_all(bl_context *ctx, void *user) {
    (void)user;
    bl_switches s = {0};
    bl_status status = BL_OK;
    for (int i = 0; i < LAWS && status == BL_OK; i++) {
        bl_tape *law = NULL;
        status = record(ctx, laws[i], &law);
        if (status == BL_OK)
            status = bl_switches_add(ctx, &s, law, -1, NIN, does);
        bl_tape_destroy(law);
    }
    bl_switches_destroy(ctx, &s);
    return status;
}

static void failing_allocations__are_survived(void **state) {
    (void)state;
    assert_true(test_failing_allocations(make_all, NULL) > 50);
    assert_true(test_failing_once(make_all, NULL) > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces__give_the_law),
        cmocka_unit_test(pieces__are_carried_on),
        cmocka_unit_test(what_cannot_be_carried_on__is_not_held),
        cmocka_unit_test(times__of_changes_are_found),
        cmocka_unit_test(failing_allocations__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Trees with loops in relative coordinates: accelerations and reactions with M as a matrix and by recursion are those of natural
 * coordinates, which share neither tree nor rows; and tangents agree with differences if links without degrees of freedom carry forces. */
#include "coords/coords.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MECHANISMS = 150, ROOM = 1 << 16, MOST = 40 };

/* ---- models */

typedef struct writer {
    test_random *random;
    char *text;
    size_t used;
    int dim, nbody, njoint;
    double at[MOST][3]; /* far end of each body */
} writer;

#define PUT(w, ...) ((w)->used += (size_t)snprintf((w)->text + (w)->used, ROOM - (w)->used, __VA_ARGS__))

static double between(writer *w, double a, double b) { return a + (b - a) * test_random_unit(w->random); }

static void put_point(writer *w, const double *p) { PUT(w, w->dim == 3 ? "[%.6f, %.6f, %.6f]" : "[%.6f, %.6f]", p[0], p[1], p[2]); }

static void put_name(writer *w, int b) { PUT(w, b ? "b%d" : "ground", b); }

/* A tree of revolute and spherical joints and welded links, closed by rods and by spherical joints (pins in the plane) between chains, with
 * some springs. Only the speed of the first joint is given: the assembly finds the others. */
static void write_model(writer *w, int nbody) {
    int parent[MOST];
    w->used = 0;
    w->nbody = nbody;
    w->njoint = 0;
    PUT(w, w->dim == 2 ? "dimension: 2\ngravity: [1, -9.81]\nbodies:\n" : "gravity: [1, 2, -9.81]\nbodies:\n");
    memset(w->at[0], 0, sizeof w->at[0]);
    for (int b = 1; b <= nbody; b++) {
        parent[b] = b == 1 ? 0 : (int)between(w, b > 5 ? b - 5 : 0, b);
        double center[3] = {0};
        for (int k = 0; k < 3; k++) {
            w->at[b][k] = k < w->dim ? w->at[parent[b]][k] + between(w, -1, 1) : 0;
            center[k] = (w->at[b][k] + w->at[parent[b]][k]) / 2;
        }
        PUT(w, "  - {name: b%d, mass: %.4f, box: {center: ", b, between(w, 0.3, 2));
        put_point(w, center);
        double size[3] = {between(w, 0.4, 1), between(w, 0.2, 0.6), between(w, 0.2, 0.6)};
        PUT(w, ", size: ");
        put_point(w, size);
        PUT(w, "}}\n");
    }
    PUT(w, "joints:\n");
    for (int b = 1; b <= nbody; b++) {
        double kind = b == 1 ? 0 : between(w, 0, 1), axis[3] = {between(w, -1, 1), between(w, -1, 1), between(w, 0.2, 1)};
        bool ball = w->dim == 3 && kind > 0.6 && kind<0.8, weld = kind> 0.9;
        PUT(w, "  - {name: j%d, type: %s, bodies: [", w->njoint++, ball ? "spherical" : weld ? "fixed" : "revolute");
        bool turned = between(w, 0, 1) < 0.3;
        put_name(w, turned ? b : parent[b]);
        PUT(w, ", ");
        put_name(w, turned ? parent[b] : b);
        PUT(w, "], at: ");
        put_point(w, w->at[parent[b]]);
        if (w->dim == 3 && !ball && !weld) {
            PUT(w, ", axis: ");
            put_point(w, axis);
        }
        PUT(w, "}\n");
    }
    int closing = 1 + (int)between(w, 0, nbody / 5.0);
    for (int k = 0; k < closing; k++) {
        int b = nbody - k, a = (int)between(w, 0, b - 2);
        double p[3] = {w->at[a][0] + 0.3, w->at[a][1] - 0.2, w->dim == 3 ? w->at[a][2] + 0.1 : 0};
        PUT(w, "  - {name: c%d, type: rod, bodies: [", k);
        put_name(w, a);
        PUT(w, ", b%d], at: ", b);
        put_point(w, p);
        PUT(w, ", to: ");
        put_point(w, w->at[b]);
        PUT(w, "}\n");
    }
    PUT(w, "forces:\n");
    for (int b = 2; b <= nbody; b += 3) {
        PUT(w, "  - {type: spring, bodies: [");
        put_name(w, b / 3);
        PUT(w, ", b%d], at: ", b);
        put_point(w, w->at[b / 3]);
        PUT(w, ", to: ");
        put_point(w, w->at[b]);
        PUT(w, ", stiffness: %.3f, damping: %.3f, length: 0.5}\n", between(w, 5, 50), between(w, 0.1, 2));
    }
    PUT(w, "initial: {j0.angle_rate: %.4f}\n", between(w, -3, 3));
}

/* ---- runs */

enum { SAMPLES = 2 };
static const double times[SAMPLES] = {0, 0.02};

typedef struct seen {
    bl_index nbody, njoint;
    bl_pose pose[SAMPLES][MOST];
    bl_wrench wrench[SAMPLES][2 * MOST];
    int n;
    bl_index redundant;
} seen;

static bl_status on_begin(void *user, const bl_run_info *info) {
    seen *s = user;
    s->nbody = info->nbody;
    s->njoint = info->njoint;
    return BL_OK;
}

static bl_status on_sample(void *user, const bl_sample *sample) {
    seen *s = user;
    assert_true(s->n < SAMPLES);
    memcpy(s->pose[s->n], sample->body, (size_t)s->nbody * sizeof **s->pose);
    memcpy(s->wrench[s->n], sample->reaction, (size_t)s->njoint * sizeof **s->wrench);
    s->n++;
    return BL_OK;
}

static bl_status run(const writer *w, const char *coordinates, const char *formulation, seen *s) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_run_summary summary = {0};
    bl_sink sink = {.user = s, .begin = on_begin, .sample = on_sample};
    bl_run_options options = {.coordinates = coordinates,
                              .formulation = formulation,
                              .integrator = "dop853",
                              .tolerance = 1e-12,
                              .until = times[SAMPLES - 1],
                              .at = times,
                              .nat = SAMPLES};
    memset(s, 0, sizeof *s);
    bl_status status = bl_model_read_text(ctx, "loops.yaml", w->text, w->used, NULL, 0, &model);
    if (status != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, w->text);
    status = bl_simulate(ctx, model, &options, &sink, 1, &summary);
    bl_check_report report = {0};
    if (status == BL_OK)
        assert_int_equal(bl_check(ctx, model, &options, &report), BL_OK);
    s->redundant = report.redundant;
    bl_check_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

static double largest_wrench(const seen *s, int k) {
    double most = 0;
    for (bl_index j = 0; j < s->njoint; j++)
        for (int c = 0; c < 3; c++)
            most = fmax(most, fmax(fabs(s->wrench[k][j].force[c]), fabs(s->wrench[k][j].moment[c])));
    return most;
}

/* difference of poses (m, m/s), of reactions at the start and later (relative to the largest) */
static void measure(const seen *a, const seen *b, double out[3]) {
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < SAMPLES; k++) {
        double size = largest_wrench(a, k);
        for (bl_index i = 0; i < a->nbody; i++)
            for (int c = 0; c < 3; c++) {
                out[0] = fmax(out[0], fabs(a->pose[k][i].position[c] - b->pose[k][i].position[c]));
                out[0] = fmax(out[0], fabs(a->pose[k][i].velocity[c] - b->pose[k][i].velocity[c]));
            }
        for (bl_index j = 0; j < a->njoint; j++)
            for (int c = 0; c < 3; c++) {
                out[1 + k] = fmax(out[1 + k], fabs(a->wrench[k][j].force[c] - b->wrench[k][j].force[c]) / size);
                out[1 + k] = fmax(out[1 + k], fabs(a->wrench[k][j].moment[c] - b->wrench[k][j].moment[c]) / size);
            }
    }
}

/* Reactions follow from accelerations and multipliers alone; the rest of the motion passes through hundreds of rates and projections. */
static void loops__reactions_and_motion_are_those_of_natural_coordinates(void **unused) {
    (void)unused;
    test_random random = {test_seed(20250716)};
    writer w = {.random = &random, .text = malloc(ROOM)};
    static seen natural, matrix, recursion;
    int compared = 0, nearly = 0;
    for (int i = 0; i < MECHANISMS; i++) {
        w.dim = 2 + i % 2;
        write_model(&w, 5 + test_random_below(&random, 12));
        if (run(&w, "natural", "lagrange", &natural) != BL_OK || natural.n != SAMPLES)
            continue; /* locked: it cannot move as `initial:` requests */
        assert_int_equal(run(&w, "relative", "lagrange:mass=matrix", &matrix), BL_OK);
        assert_int_equal(run(&w, "relative", "lagrange:mass=recursion", &recursion), BL_OK);
        if (natural.redundant != 0 && matrix.redundant != 0)
            continue; /* the distribution of the load is not determined */
        double by[3], other[3];
        measure(&natural, &matrix, other);
        measure(&natural, &recursion, by);
        compared++;
        nearly += by[1] > 1e-11;
        /* near singular configurations all three lose digits: the two that use a matrix show how many */
        if (!(by[1] <= 1e-10 + 10 * other[1]) || !(by[0] <= 1e-9 + 10 * other[0]) || !(by[2] <= 1e-8 + 10 * other[2]))
            fail_msg("mechanism %d: poses %.2g (by matrix %.2g), reactions %.2g (%.2g), later %.2g (%.2g)\n%s", i, by[0], other[0], by[1],
                     other[1], by[2], other[2], w.text);
    }
    printf("compared %d mechanisms, %d with reactions more than 1e-11 apart\n", compared, nearly);
    assert_true(compared > MECHANISMS / 2);
    assert_true(nearly < compared / 10);
    free(w.text);
}

/* ---- tangents */

static void difference(const bl_system *sys, bl_eval *e, bl_state *state, double *column, double *at, double step) {
    double x = *at;
    for (int side = -1; side <= 1; side += 2) {
        *at = x + side * step;
        bl_eval_at(e, state);
        assert_int_equal(bl_system_eval(sys, e, BL_Q), BL_OK);
        for (bl_index i = 0; i < sys->nv; i++)
            column[i] = (side < 0 ? 0 : column[i]) - side * e->Q[i] / (2 * step);
    }
    *at = x;
}

static void check_tangents(const bl_system *sys, const char *text) {
    bl_state state = {0};
    bl_eval e = {0}, f = {0};
    assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
    assert_int_equal(bl_coords_initial(sys, &state), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &e), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &f), BL_OK);
    double *column = malloc(2 * (size_t)sys->nv * sizeof *column), *mine = column + sys->nv;
    for (bl_index i = 0; i < sys->nv; i++) {
        state.q[i] += 0.1 * sin(3.7 * i);
        state.v[i] = cos(1.3 * i);
    }
    bl_eval_at(&e, &state);
    assert_int_equal(bl_system_eval(sys, &e, BL_KC), BL_OK);
    double most[2] = {0, 0};
    for (bl_index p = 0; p < sys->pat_K.ptr[sys->nv]; p++) {
        most[0] = fmax(most[0], fabs(e.K[p]));
        most[1] = fmax(most[1], fabs(e.C[p]));
    }
    for (bl_index j = 0; j < sys->nv; j++)
        for (int of_v = 0; of_v < 2; of_v++) {
            difference(sys, &f, &state, column, of_v ? &state.v[j] : &state.q[j], 1e-5);
            memset(mine, 0, (size_t)sys->nv * sizeof *mine);
            for (bl_index p = sys->pat_K.ptr[j]; p < sys->pat_K.ptr[j + 1]; p++)
                mine[sys->pat_K.idx[p]] = of_v ? e.C[p] : e.K[p];
            for (bl_index i = 0; i < sys->nv; i++)
                if (!(fabs(mine[i] - column[i]) <= 1e-7 * most[of_v] + 1e-9))
                    fail_msg("%s[%d][%d] is %.12g, by differences %.12g\n%s", of_v ? "C" : "K", (int)i, (int)j, mine[i], column[i], text);
        }
    free(column);
    bl_eval_destroy(sys, &e);
    bl_eval_destroy(sys, &f);
    bl_state_destroy(sys, &state);
}

static void loops__tangents_are_those_of_differences(void **unused) {
    (void)unused;
    test_random random = {test_seed(7)};
    writer w = {.random = &random, .text = malloc(ROOM)};
    for (int i = 0; i < 40; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_system *sys = NULL;
        w.dim = 2 + i % 2;
        write_model(&w, 4 + test_random_below(&random, 12));
        assert_int_equal(bl_model_read_text(ctx, "loops.yaml", w.text, w.used, NULL, 0, &model), BL_OK);
        assert_int_equal(bl_coords_build(ctx, model, "relative", &sys), BL_OK);
        check_tangents(sys, w.text);
        bl_system_destroy(sys);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    free(w.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops__reactions_and_motion_are_those_of_natural_coordinates),
                                       cmocka_unit_test(loops__tangents_are_those_of_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* matrix_r, range_space and null_space on mechanisms: accelerations and reactions of lagrange and partition, known initial accelerations,
 * drift of index 1 as theory says, nothing allocated, refusals with a reason. */
#include "support/handmade.h"
#include "support/motion.h"
#include "support/testing.h"

#include "coords/coords.h"
#include "formulation/formulation.h"
#include "study/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const bases[] = {"matrix_r",    "matrix_r:basis=qr",     "matrix_r:basis=svd",
                                    "range_space", "range_space:shift=0.1", "null_space"};
enum { NBASES = 6, MOST = 400 };

typedef struct subject {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_formulation *form[NBASES + 2]; /* partition and lagrange last */
} subject;

static void begin(subject *s, const char *scene, const char *coordinates) {
    char path[256];
    memset(s, 0, sizeof *s);
    s->ctx = test_context(NULL);
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(s->ctx, path, NULL, 0, &s->model), BL_OK);
    assert_int_equal(bl_run_prepare(s->ctx, s->model, coordinates, &s->sys, &s->state), BL_OK);
    assert_true(s->sys->nv <= MOST && s->sys->np <= MOST);
    for (int k = 0; k < NBASES + 2; k++) {
        const char *spec = k < NBASES ? bases[k] : k == NBASES ? "partition" : "lagrange";
        assert_int_equal(bl_formulation_create(s->sys, spec, NULL, NULL, &s->form[k]), BL_OK);
        assert_int_equal(s->form[k]->kind->setup(s->form[k], &s->state), BL_OK);
    }
}

static void end(subject *s) {
    for (int k = 0; k < NBASES + 2; k++)
        bl_formulation_destroy(s->form[k]);
    bl_state_destroy(s->sys, &s->state);
    bl_system_destroy(s->sys);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

static double difference(bl_index n, const double *x, const double *ref) {
    double worst = 0, size = 0;
    for (bl_index i = 0; i < n; i++) {
        worst = fmax(worst, fabs(x[i] - ref[i]));
        size = fmax(size, fabs(ref[i]));
    }
    return size > 0 ? worst / size : worst;
}

/* random velocities along the constraints, a small displacement along them, and a projection by `partition` to rounding */
static void move_at_random(subject *s, test_random *random) {
    bl_formulation *form = s->form[NBASES];
    for (bl_index i = 0; i < s->sys->nv; i++)
        s->state.v[i] = s->sys->col[i].scale * test_random_symmetric(random);
    assert_int_equal(form->kind->project(form, &s->state, 1e-12), BL_OK);
    double largest = 0;
    for (bl_index i = 0; i < s->sys->nv; i++)
        largest = fmax(largest, fabs(s->state.v[i]) / s->sys->col[i].scale);
    for (bl_index i = 0; i < s->sys->nv && largest > 0; i++)
        s->state.q[i] += 0.05 / largest * s->state.v[i];
    assert_int_equal(form->kind->project(form, &s->state, 1e-12), BL_OK);
}

/* Accelerations of all agree within 1e-11 of their size, reactions of minimum norm within 1e-10: they inherit the condition of G.
 * In the vehicle rods of 1 kg stand beside a chassis of 1200 kg, and tires are stiff: ten times as much. */
static void accelerations_and_reactions__are_those_of_lagrange_and_partition(void **unused) {
    (void)unused;
    static const struct {
        const char *scene, *coordinates;
        double room;
    } subjects[] = {{"pendulum", "natural", 1},  {"five_bar_pendulum", "mixed", 1}, {"bricard", "mixed", 1},
                    {"bricard_cut", "mixed", 1}, {"bricard", "natural", 1},         {"tether", "mixed", 1},
                    {"four_bar", "mixed", 1},    {"slider_crank", "mixed", 1},      {"andrews", "mixed", 1},
                    {"andrews", "natural", 1},   {"slider_crank", "natural", 1},    {"vehicle", "mixed", 10}};
    static double a[MOST], lambda[MOST], a_ref[2][MOST], lambda_ref[2][MOST];
    test_random random = {test_seed(41)};
    for (size_t n = 0; n < sizeof subjects / sizeof *subjects; n++) {
        subject s;
        double worst[NBASES][4] = {{0}};
        begin(&s, subjects[n].scene, subjects[n].coordinates);
        for (int trial = 0; trial < 4; trial++) {
            move_at_random(&s, &random);
            for (int k = 0; k < 2; k++)
                assert_int_equal(s.form[NBASES + k]->kind->accelerations(s.form[NBASES + k], &s.state, a_ref[k], lambda_ref[k]), BL_OK);
            for (int k = 0; k < NBASES; k++) {
                assert_int_equal(s.form[k]->kind->accelerations(s.form[k], &s.state, a, lambda), BL_OK);
                assert_int_equal(s.form[k]->dof, s.form[NBASES]->dof);
                assert_int_equal(s.form[k]->redundant, s.form[NBASES]->redundant);
                for (int ref = 0; ref < 2; ref++) {
                    worst[k][2 * ref] = fmax(worst[k][2 * ref], difference(s.sys->nv, a, a_ref[ref]));
                    worst[k][2 * ref + 1] = fmax(worst[k][2 * ref + 1], difference(s.sys->np, lambda, lambda_ref[ref]));
                }
            }
        }
        for (int k = 0; k < NBASES; k++) {
            print_message("%s %s %s: from partition %.1e, reactions %.1e; from lagrange %.1e, %.1e\n", subjects[n].scene,
                          subjects[n].coordinates, bases[k], worst[k][0], worst[k][1], worst[k][2], worst[k][3]);
            for (int ref = 0; ref < 2; ref++) {
                assert_true(worst[k][2 * ref] < 1e-11 * subjects[n].room);
                assert_true(worst[k][2 * ref + 1] < 1e-10 * subjects[n].room);
            }
        }
        end(&s);
    }
}

/* ---- initial accelerations known by other methods */

static void expect_initial(const subject *s, bl_index col, double want, double tolerance) {
    static double a[MOST], lambda[MOST];
    for (int k = 0; k < NBASES; k++) {
        assert_int_equal(s->form[k]->kind->accelerations(s->form[k], &s->state, a, lambda), BL_OK);
        assert_near(a[col], want, tolerance);
    }
}

/* Bricard: g/5 by hand (all rods turn alike); the chains by minimal coordinates, all digits given */
static void initial_accelerations__have_the_known_digits(void **unused) {
    (void)unused;
    subject s;
    begin(&s, "bricard", "mixed");
    expect_initial(&s, s.sys->independent[0], 9.81 / 5, 1e-12);
    bl_index P3 = 0;
    while (!(s.sys->col[P3].what == BL_COL_POINT && s.state.q[P3] == 1 && s.state.q[P3 + 1] == -1 && s.state.q[P3 + 2] == 0))
        P3 += 3;
    expect_initial(&s, P3, -9.81 / 5, 1e-12);
    expect_initial(&s, P3 + 1, 0, 1e-12);
    expect_initial(&s, P3 + 2, -9.81 / 5, 1e-12);
    end(&s);
    begin(&s, "five_bar_pendulum", "mixed");
    static const double psi[] = {-0.16841603281, 0.05473521066, 9.86356565488, -3.71988912468, -0.22525644388};
    for (int k = 0; k < 5; k++)
        expect_initial(&s, s.sys->independent[k], psi[k], 1e-11);
    end(&s);
    begin(&s, "tether", "mixed");
    expect_initial(&s, s.sys->independent[1 + 3 * 8 + 1], 0.0690357113, 1e-10); /* second angles of joints 10 and 9 */
    expect_initial(&s, s.sys->independent[1 + 3 * 7 + 1], -0.02843237806, 1e-11);
    expect_initial(&s, s.sys->independent[0], 0, 1e-11);
    end(&s);
}

/* ---- drift */

typedef struct pair {
    bl_sample *room;
    int n;
} pair;

static void keep_all(void *user, const bl_sample *sample) {
    pair *both = user;
    both->room[both->n++] = *sample;
}

static void keep_last(void *user, const bl_sample *sample) { *(bl_sample *)user = *sample; }

/* A pendulum that turns round and round, RK4 without projection: every turn leaves the same defect in G v. So the velocity drift grows like
 * t and the position drift like t^2. Four times the time shows the powers; what swings within a turn adds a few per cent after ten. */
static void drift_without_projection__grows_like_t_and_t_squared(void **unused) {
    (void)unused;
    test_points def = test_pendulum();
    def.point[1].vy = 8;
    for (int k = 0; k < NBASES; k++) {
        bl_context *ctx = test_context(NULL);
        test_motion motion;
        bl_simulation_setup setup = {.formulation = bases[k], .integrator = "rk4", .step = 0.0025, .t_end = 40, .projection_tolerance = -1};
        bl_sample seen[4];
        pair both = {.room = seen};
        test_motion_begin(&motion, ctx, &def, &setup);
        test_motion_run(&motion, 10, keep_all, &both);
        test_motion_end(&motion);
        test_context_end(ctx);
        double position = log2(seen[3].drift / seen[0].drift) / 2, velocity = log2(seen[3].velocity_drift / seen[0].velocity_drift) / 2;
        print_message("%s: drift %.2e at 10 s, %.2e at 40 s, power %.2f; of velocities %.2e, %.2e, power %.2f\n", bases[k], seen[0].drift,
                      seen[3].drift, position, seen[0].velocity_drift, seen[3].velocity_drift, velocity);
        assert_near(position, 2, 0.1);
        assert_near(velocity, 1, 0.1);
    }
}

/* ---- independent coordinates change during the motion */

/* A pendulum that turns round and round: neither x nor y can stay independent. Columns are chosen anew, in memory that is there. */
static void turning_pendulum__exchanges_coordinates_without_memory(void **unused) {
    (void)unused;
    test_points def = test_pendulum();
    def.point[1].vy = 8;
    double end[NBASES][2];
    for (int k = 0; k < NBASES; k++) {
        bl_context *ctx = test_context(NULL);
        test_motion motion;
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = bases[k], .t_end = 3, .tolerance = 1e-10});
        bl_sample last;
        size_t calls = bl_context_memory(ctx).calls;
        test_motion_run(&motion, 3, keep_last, &last);
        assert_int_equal(bl_context_memory(ctx).calls, calls);
        assert_true(fabs(last.energy_error) < 1e-7);
        if (strcmp(bases[k], "matrix_r") == 0)
            assert_true(motion.sim->form->stats.repartitions > 4);
        else
            assert_int_equal(motion.sim->form->stats.repartitions, 0);
        for (int i = 0; i < 2; i++) {
            end[k][i] = motion.sim->state.q[i];
            assert_near(end[k][i], end[0][i], 1e-8);
        }
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

/* Rates of a mechanism with redundant rows, near and far, allocate nothing either. */
static void rates__allocate_nothing(void **unused) {
    (void)unused;
    static double y[2 * MOST + 1], rate[2 * MOST + 1];
    test_random random = {test_seed(5)};
    subject s;
    begin(&s, "bricard", "natural");
    for (int k = 0; k < NBASES; k++) {
        size_t calls = bl_context_memory(s.ctx).calls;
        bl_formulation *form = s.form[k];
        assert_int_equal(form->kind->to_y(form, &s.state, y), BL_OK);
        for (int trial = 0; trial < 50; trial++) {
            for (bl_index i = 0; i < 2 * s.sys->nv; i++)
                y[i] += 0.02 * test_random_symmetric(&random);
            bl_status status = form->kind->rate(form, 0, y, rate);
            assert_true(status == BL_OK || status == BL_SINGULAR);
        }
        assert_int_equal(bl_context_memory(s.ctx).calls, calls);
    }
    end(&s);
}

/* ---- refusals */

static void too_many_coordinates__are_refused_and_sparse_formulations_named(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    assert_int_equal(bl_model_read(ctx, SCENES "/n_four_bar.yaml", &(bl_override){"N", 501}, 1, &model), BL_OK);
    static const char *const kinds[] = {"matrix_r", "range_space", "null_space"};
    for (int k = 0; k < 3; k++) {
        bl_run_options options = {.formulation = kinds[k], .until = 1};
        assert_int_equal(bl_simulate(ctx, model, &options, NULL, 0, NULL), BL_E_ABILITY);
        assert_non_null(strstr(bl_context_error(ctx)->what, "at most 1000 coordinates"));
        assert_non_null(strstr(bl_context_error(ctx)->advice, "lagrange"));
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* A bar at dead center: the rate refuses, explain names row and time. */
static void singular_configurations__are_reported_with_row_and_time(void **unused) {
    (void)unused;
    for (int k = 0; k < NBASES; k++) {
        bl_context *ctx = test_context(NULL);
        test_points def = test_n_four_bar(2);
        bl_system *sys;
        bl_state state;
        bl_formulation *form;
        assert_int_equal(test_points_create(ctx, &def, &sys, &state), BL_OK);
        assert_int_equal(bl_formulation_create(sys, bases[k], NULL, NULL, &form), BL_OK);
        assert_int_equal(form->kind->setup(form, &state), BL_OK);
        for (int i = 0; i <= 2; i++) { /* cranks along the ground, bars in one line */
            state.q[2 * i] = i + 1;
            state.q[2 * i + 1] = 0;
        }
        double y[13], rate[13];
        assert_int_equal(form->ny, 13);
        assert_int_equal(form->kind->to_y(form, &state, y), BL_OK);
        assert_int_equal(form->kind->rate(form, 0.75, y, rate), BL_SINGULAR);
        assert_int_equal(form->kind->explain(form), BL_E_NUMERIC);
        const bl_error *error = bl_context_error(ctx);
        assert_non_null(strstr(error->what, "singular configuration"));
        assert_non_null(strstr(error->part, "row"));
        assert_true(error->time == 0.75);
        bl_formulation_destroy(form);
        bl_state_destroy(sys, &state);
        bl_system_destroy(sys);
        test_context_end(ctx);
    }
}

/* ---- memory */

static bl_status a_model_without_mass(bl_context *ctx, void *user) {
    test_points def = test_double_pendulum();
    def.point[2].mass = 0;
    bl_system *sys = NULL;
    bl_state start = {0};
    bl_formulation *form = NULL;
    bl_status status = test_points_create(ctx, &def, &sys, &start);
    if (status == BL_OK)
        status = bl_formulation_create(sys, user, NULL, NULL, &form);
    if (status == BL_OK)
        status = form->kind->setup(form, &start);
    bl_formulation_destroy(form);
    if (sys) {
        bl_state_destroy(sys, &start);
        bl_system_destroy(sys);
    }
    if (status != BL_E_MODEL)
        return status;
    bl_context_clear_error(ctx); /* refused with a reason is what is wanted */
    return BL_OK;
}

static void failing_allocations__are_survived_by_refusals(void **unused) {
    (void)unused;
    for (int k = 0; k < NBASES; k++) {
        test_failing_allocations(a_model_without_mass, (void *)(uintptr_t)bases[k]);
        test_failing_once(a_model_without_mass, (void *)(uintptr_t)bases[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_and_reactions__are_those_of_lagrange_and_partition),
        cmocka_unit_test(initial_accelerations__have_the_known_digits),
        cmocka_unit_test(drift_without_projection__grows_like_t_and_t_squared),
        cmocka_unit_test(turning_pendulum__exchanges_coordinates_without_memory),
        cmocka_unit_test(rates__allocate_nothing),
        cmocka_unit_test(too_many_coordinates__are_refused_and_sparse_formulations_named),
        cmocka_unit_test(singular_configurations__are_reported_with_row_and_time),
        cmocka_unit_test(failing_allocations__are_survived_by_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

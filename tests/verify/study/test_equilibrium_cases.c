/* Equilibria of scenes in every kind of coordinates: values in closed form or found by two independent computations; paths over parameters
 * with limit and branching points, branches, many starts, held variables, starts at rest. */
#include "biela/biela.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const char *const every_kind[] = {"natural", "mixed", "reference", "relative"};
enum { KINDS = 4, MOST = 2000, VARIABLES = 12, PROBES = 4 };

typedef struct record {
    long samples;
    double t[MOST], variable[MOST][VARIABLES], probe[MOST][3 * PROBES], energy[MOST];
    double reaction[16][3];
    bl_equilibrium_point point[MOST];
    bl_index nvariable, nprobe, njoint, dof;
    bl_index nvariables; /* of the model; the last of them: */
    double last[64];
    bl_equilibrium_summary found;
    bl_error error;
} record;

static record kept; /* one at a time, since it is large */

static bl_status begin(void *user, const bl_run_info *info) {
    record *r = user;
    r->nvariable = info->nvariable < VARIABLES ? info->nvariable : VARIABLES;
    r->nprobe = info->nprobe < PROBES ? info->nprobe : PROBES;
    r->njoint = info->njoint < 16 ? info->njoint : 16;
    r->dof = info->dof;
    r->nvariables = info->nvariable < 64 ? info->nvariable : 64;
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    record *r = user;
    assert_true(r->samples < MOST);
    r->t[r->samples] = sample->t;
    memcpy(r->variable[r->samples], sample->variable, (size_t)r->nvariable * sizeof(double));
    memcpy(r->last, sample->variable, (size_t)r->nvariables * sizeof(double));
    memcpy(r->probe[r->samples], sample->probe, 3 * (size_t)r->nprobe * sizeof(double));
    for (bl_index i = 0; i < r->njoint; i++)
        memcpy(r->reaction[i], sample->reaction[i].force, 3 * sizeof(double));
    r->energy[r->samples] = sample->potential;
    r->point[r->samples] = *sample->equilibrium;
    r->samples++;
    return BL_OK;
}

static bl_status solve_set(const char *scene, const bl_override *set, bl_index nset, const bl_equilibrium_options *options) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_sink sink = {.user = &kept, .begin = begin, .sample = take};
    char path[512];
    memset(&kept, 0, sizeof kept);
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    if (bl_model_read(ctx, path, set, nset, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_status status = bl_equilibrium(ctx, model, options, &sink, 1, NULL, &kept.found);
    kept.error = *bl_context_error(ctx);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

static void find(const char *scene, const bl_override *set, bl_index nset, const bl_equilibrium_options *options) {
    if (solve_set(scene, set, nset, options) != BL_OK)
        fail_msg("%s, %s: %s", scene, options->coordinates, kept.error.what);
}

/* ---- upright rod on a torsion spring */

static void upright_rod__has_three_positions(void **unused) {
    (void)unused;
    for (int c = 0; c < KINDS; c++) {
        find("upright_rod", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c], .starts = 12, .any = true});
        assert_int_equal(kept.samples, 3);
        int upright = 0, fallen = 0;
        for (long i = 0; i < kept.samples; i++) {
            double angle = kept.variable[i][0], stiffness = kept.point[i].soft[0].stiffness;
            if (kept.point[i].unstable == 1) {
                upright++;
                assert_near(angle, 0, 1e-9);
                assert_near(stiffness, -0.905, 1e-9);
            } else {
                fallen++;
                assert_near(fabs(angle), 1.0835399555, 1e-10);
                assert_near(stiffness, 1.7034626852, 1e-9);
            }
            assert_true(i == 0 || kept.energy[i] >= kept.energy[i - 1] - 1e-9); /* by energy */
        }
        assert_int_equal(upright, 1);
        assert_int_equal(fallen, 2);
    }
}

static void upright_rod__branches_where_the_spring_is_too_soft(void **unused) {
    (void)unused;
    for (int c = 0; c < KINDS; c++) {
        bl_override upright = {"k", 6};
        find("upright_rod", &upright, 1,
             &(bl_equilibrium_options){.coordinates = every_kind[c], .parameter = "k", .from = 6, .until = 3, .branches = true});
        assert_int_equal(kept.found.npoint, 1);
        assert_int_equal(kept.found.point[0].what, BL_BRANCHING_POINT);
        assert_near(kept.found.point[0].t, 4.905, 1e-8);
        assert_int_equal(kept.found.branches, 2);
        double sign[3] = {0, 0, 0};
        for (long i = 0; i < kept.samples; i++) {
            double k = kept.t[i], angle = kept.variable[i][0];
            int branch = kept.point[i].branch;
            assert_near(4.905 * sin(angle), k * angle, 1e-9);
            if (kept.point[i].critical)
                continue;
            assert_int_equal(kept.point[i].unstable, branch == 0 && k < 4.905 ? 1 : 0);
            sign[branch] = branch ? copysign(1, angle) : 0;
        }
        assert_near(sign[1] * sign[2], -1, 0); /* one on each side */
        assert_near(kept.t[kept.samples - 1], 3, 1e-12);
    }
}

/* A path ends at its end: a spring cannot be softer than 0, where the rod hangs. A step beyond would read the model with k < 0. */
static void path__never_leaves_its_range(void **unused) {
    (void)unused;
    static const double until[] = {1, 0};
    for (int c = 0; c < KINDS; c += 3)
        for (size_t i = 0; i < sizeof until / sizeof *until; i++) {
            bl_override upright = {"k", 6};
            find("upright_rod", &upright, 1,
                 &(bl_equilibrium_options){.coordinates = every_kind[c], .parameter = "k", .from = 6, .until = until[i], .branches = true});
            assert_int_equal(kept.found.npoint, 1);
            assert_near(kept.found.point[0].t, 4.905, 1e-8);
            assert_near(kept.t[kept.samples - 1], until[i], 0);
            double angle = kept.variable[kept.samples - 1][0];
            assert_near(4.905 * sin(angle), until[i] * angle, 1e-9);
            assert_int_equal(kept.point[kept.samples - 1].unstable, 0);
            if (until[i] == 0)
                assert_near(fabs(angle), PI, 1e-9);
        }
}

/* ---- von Mises' truss */

static void shallow_truss__rests_at_three_heights_at_one_load(void **unused) {
    (void)unused;
    static const double y[3] = {-0.22230605778, 0.16610154915, 0.05469960623}, Hyy[3] = {NAN, 41.980394835, -30.488019082};
    for (int c = 0; c < KINDS; c++) {
        find("von_mises_truss", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c], .starts = 40, .any = true});
        int seen[3] = {0, 0, 0};
        for (long i = 0; i < kept.samples; i++)
            for (int k = 0; k < 3; k++) {
                if (fabs(kept.probe[i][0]) > 1e-6 || fabs(kept.probe[i][1] - y[k]) > 1e-6)
                    continue;
                seen[k]++;
                assert_near(kept.probe[i][1], y[k], 1e-10);
                assert_int_equal(kept.point[i].unstable, k == 2);
                if (!isnan(Hyy[k]))
                    assert_near(kept.point[i].soft[0].stiffness, Hyy[k], 1e-7);
                if (k == 1) /* transverse: stiff */
                    assert_near(kept.point[i].soft[1].stiffness, 1945.9787783, 1e-5);
            }
        for (int k = 0; k < 3; k++)
            assert_int_equal(seen[k], 1);
    }
}

static double load_of(double height, double y) { return 2000 * (sqrt(1 + height * height) / sqrt(1 + y * y) - 1) * y; }

static void shallow_truss__snaps_through(void **unused) {
    (void)unused;
    for (int c = 0; c < KINDS; c++) {
        find("von_mises_truss", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c]}); /* the path of the scene */
        long limits = 0;
        for (long i = 0; i < kept.samples; i++) {
            assert_near(load_of(0.2, kept.probe[i][1]), kept.t[i], 1e-8);
            if (!kept.point[i].critical)
                continue;
            assert_int_equal(kept.point[i].what, BL_LIMIT_POINT);
            assert_near(kept.t[i], limits ? -3.0191474033 : 3.0191474033, 1e-9);
            assert_near(kept.probe[i][1], limits ? -0.11471444469 : 0.11471444469, 1e-8);
            limits++;
        }
        assert_int_equal(limits, 2);
        assert_near(kept.t[kept.samples - 1], 5, 0);
        assert_int_equal(kept.point[kept.samples - 1].unstable, 0);
    }
    bl_override P = {"P", 3.0191474033};
    find("von_mises_truss", &P, 1, &(bl_equilibrium_options){.plain = true, .starts = 20}); /* the equilibrium after snapping, from above */
    double lowest = 1;
    for (long i = 0; i < kept.samples; i++)
        lowest = fabs(kept.probe[i][0]) < 1e-6 ? fmin(lowest, kept.probe[i][1]) : lowest;
    assert_near(lowest, -0.23170065041, 1e-9);
}

static void steep_truss__leaves_sideways_before_its_limit(void **unused) {
    (void)unused;
    for (int c = 0; c < KINDS; c++) {
        bl_override steep = {"height", 3};
        find("von_mises_truss", &steep, 1,
             &(bl_equilibrium_options){
                 .coordinates = every_kind[c], .parameter = "P", .from = 0, .until = 2600, .branches = true, .points = 1900});
        double branching = NAN, limit = NAN, aside = 0;
        for (long i = 0; i < kept.samples; i++) {
            const bl_equilibrium_point *p = &kept.point[i];
            if (p->branch > 0)
                aside = fmax(aside, fabs(kept.probe[i][0]));
            if (!p->critical || p->branch > 0)
                continue;
            if (p->what == BL_BRANCHING_POINT && isnan(branching)) {
                branching = kept.t[i];
                assert_near(kept.probe[i][1], 2.5526546713, 1e-7);
            }
            if (p->what == BL_LIMIT_POINT && isnan(limit)) {
                limit = kept.t[i];
                assert_near(kept.probe[i][1], 1.0744462248, 1e-6);
            }
        }
        assert_near(branching, 783.49806674, 1e-6);
        assert_near(limit, 2480.7559890, 1e-6);
        assert_true(kept.found.branches >= 2);
        assert_true(aside > 0.1);
    }
}

/* The apex moves aside without stiffness where L^3 = L_0 y^2 (both bars: k/L^2 + k (1 - L_0/L)(1 - 1/L^2) = 0): at two heights on either
 * side, the inner one close behind the limit point, in the same increment by default. The path passes them in this order. */
static double aside_height(double low, double high) {
    for (int k = 0; k < 100; k++) {
        double y = (low + high) / 2, f = pow(1 + y * y, 1.5) - sqrt(10) * y * y, at_low = pow(1 + low * low, 1.5) - sqrt(10) * low * low;
        *((f > 0) == (at_low > 0) ? &low : &high) = y;
    }
    return low;
}

static void steep_truss__critical_points_are_in_order(void **unused) {
    (void)unused;
    double outer = load_of(3, aside_height(2, 3)), inner = load_of(3, aside_height(0.5, 1)), limit = 2480.7559890;
    const double want[] = {outer, limit, inner, -inner, -limit, -outer};
    static const bl_critical_what what[] = {BL_BRANCHING_POINT, BL_LIMIT_POINT, BL_BRANCHING_POINT,
                                            BL_BRANCHING_POINT, BL_LIMIT_POINT, BL_BRANCHING_POINT};
    for (bl_index increments = 0; increments <= 12; increments += 3) {
        bl_override steep = {"height", 3};
        find("von_mises_truss", &steep, 1, &(bl_equilibrium_options){.parameter = "P", .from = 0, .until = 2600, .increments = increments});
        assert_int_equal(kept.found.npoint, 6);
        for (int k = 0; k < 6; k++) {
            assert_int_equal(kept.found.point[k].what, what[k]);
            assert_near(kept.found.point[k].t, want[k], 1e-5);
        }
    }
}

/* ---- four-bar linkage */

static void four_bar__hangs_and_balances(void **unused) {
    (void)unused;
    static const double force[4][2] = {
        {3.2851540982, 16.0440857383}, {3.2851540982, 11.1390857383}, {3.2851540982, 1.3290857383}, {-3.2851540982, 6.5189142617}};
    for (int c = 0; c < KINDS; c++) {
        find("four_bar", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c]});
        assert_near(remainder(kept.variable[0][0] - (4.4752324931 - PI / 2), 2 * PI), 0, 1e-9);
        assert_near(kept.probe[0][0], 0.18611063954, 1e-10);
        assert_near(kept.probe[0][1], 0.24793843871, 1e-10);
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 2; k++)
                assert_near(kept.reaction[j][k], force[j][k], 2e-9);
        find("four_bar", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c], .starts = 30, .any = true});
        bool stable = false, balanced = false;
        for (long i = 0; i < kept.samples; i++) {
            double angle = remainder(kept.variable[i][0] + PI / 2, 2 * PI);
            const bl_soft_motion *soft = &kept.point[i].soft[0];
            bool crank = strncmp(soft->motion, "A.angle (1)", 11) == 0;
            if (fabs(remainder(angle - 4.4752324931, 2 * PI)) < 1e-6 && fabs(kept.probe[i][0] - 0.18611063954) < 1e-6) {
                stable = true;
                assert_int_equal(kept.point[i].unstable, 0);
                assert_near(soft->eigenvalue, 2.289327467 / 0.02288487652, 1e-6);
                if (crank)
                    assert_near(soft->stiffness, 2.289327467, 1e-8);
            }
            if (fabs(remainder(angle - 1.4957464843, 2 * PI)) < 1e-6 && fabs(kept.probe[i][0] - 0.47339421161) < 1e-6) {
                balanced = true;
                assert_int_equal(kept.point[i].unstable, 1);
                assert_near(kept.probe[i][1], 0.39911418419, 1e-9);
                assert_near(sqrt(-soft->eigenvalue), 6.5313091514, 1e-8);
                if (crank)
                    assert_near(soft->stiffness, -2.285553256, 1e-8);
            }
        }
        assert_true(stable && balanced);
    }
}

/* ---- two hanging rods */

static void two_rods__rest_in_four_ways(void **unused) {
    (void)unused;
    for (int c = 0; c < KINDS; c++) {
        find("hanging_rods", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c], .starts = 40, .any = true});
        assert_int_equal(kept.samples, 4);
        int count[3] = {0, 0, 0};
        for (long i = 0; i < 4; i++)
            count[kept.point[i].unstable]++;
        assert_int_equal(count[0], 1);
        assert_int_equal(count[1], 2);
        assert_int_equal(count[2], 1);
    }
}

/* ---- hanging chain */

static void chain__is_a_catenary_of_rods(void **unused) {
    (void)unused;
    static const double at[3][2] = {{1.5212784392, -2.5715220535}, {3.1820081652, -3.6455956006}, {5.1075958988, -3.2897956353}};
    for (int c = 0; c < KINDS; c++) {
        find("hanging_chain", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c]});
        assert_int_equal(kept.dof, 8);
        assert_int_equal(kept.found.unstable, 0);
        assert_int_equal(kept.found.neutral, 0);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 2; i++)
                assert_near(kept.probe[0][3 * k + i], at[k][i], 1e-9);
        assert_near(fabs(kept.reaction[0][0]), 22.795484100, 1e-8);
        assert_near(fabs(kept.reaction[0][1]), 54.459670048, 1e-8);
        assert_near(fabs(kept.reaction[10][1]), 43.640329952, 1e-8);
    }
}

/* ---- Bricard's mechanism */

static void bricard__rests_although_redundant(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < KINDS; c++) {
            find(k ? "bricard_cut" : "bricard", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c]});
            assert_int_equal(kept.dof, 1);
            assert_int_equal(kept.found.unstable, 0);
            assert_near(kept.probe[0][0], 0, 1e-9);
            assert_near(kept.probe[0][1], -sqrt(3) / 2, 1e-9);
            assert_near(kept.probe[0][2], -0.5, 1e-9);
            assert_near(sqrt(kept.point[0].soft[0].eigenvalue), 1.24284930785, 1e-9);
        }
}

/* ---- vehicle */

static void vehicle__settles_and_may_roll_away(void **unused) {
    (void)unused;
    for (int c = 0; c < KINDS; c++) {
        find("vehicle", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c]});
        assert_int_equal(kept.dof, 10);
        assert_int_equal(kept.found.unstable, 0);
        assert_int_equal(kept.found.neutral, 3);
        assert_near(kept.probe[0][2], 0.4647940098, 1e-8); /* center of mass; wheels, rear and front */
        assert_near(kept.probe[0][5], 0.3001967721, 1e-8);
        assert_near(kept.probe[0][11], 0.3026342279, 1e-8);
        assert_near(kept.last[kept.nvariables - 4], 0.5396404574, 1e-8); /* springs, rear and front */
        assert_near(kept.last[kept.nvariables - 2], 0.4574065327, 1e-8);
        for (int k = 0; k < 3; k++) /* x, y, yaw, with a reason */
            assert_non_null(strstr(kept.found.motions, ((const char *const[]){"chassis.x", "chassis.y", "chassis about z"})[k]));
    }
}

/* ---- block on an incline */

static void block__runs_away_on_a_smooth_incline(void **unused) {
    (void)unused;
    for (int c = 0; c < KINDS; c++) {
        assert_int_equal(solve_set("inclined_block", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c]}), BL_E_NUMERIC);
        assert_non_null(strstr(kept.error.what, "no equilibrium: slider.distance (1) moves without bound under 9.406 N along it"));
        assert_string_equal(kept.error.part, "slider.distance");
        /* held, it is in equilibrium */
        const char *hold = "slider.distance";
        find("inclined_block", NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[c], .hold = &hold, .nhold = 1});
        assert_int_equal(kept.dof, 0);
    }
}

/* ---- forces without potential: the stability of Ziegler's column is that of its small motions */

static void follower_force__makes_the_rest_unstable(void **unused) {
    (void)unused;
    for (int c = 0; c < KINDS; c++)
        for (int k = 0; k < 2; k++) {
            bl_override P = {"P", k ? 2.2 : 2.0};
            find("ziegler_column", &P, 1, &(bl_equilibrium_options){.coordinates = every_kind[c]});
            assert_false(kept.point[0].conservative);
            assert_int_equal(kept.point[0].unstable, k); /* flutter above 7/2 - sqrt 2 */
            if (k)
                assert_non_null(strstr(kept.point[0].motions, "growing by 0.169 /s at 0.8237 rad/s (flutter)"));
        }
}

/* ---- paths over geometry: the four-bar's base length, each point is a minimum of its own potential */

static void geometry__can_be_a_path(void **unused) {
    (void)unused;
    static const char text[] = "model: spread\ndimension: 2\ngravity: [0, -9.81]\nparameters: {w: 1}\n"
                               "bodies: [{name: l, rod: {from: [0, 0], to: ['=w/2', -0.9]}, mass: 1},\n"
                               "         {name: r, rod: {from: ['=w/2', -0.9], to: [=w, 0]}, mass: 2}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, l], at: [0, 0]},\n"
                               "         {name: B, type: revolute, bodies: [l, r], at: ['=w/2', -0.9]},\n"
                               "         {name: C, type: point_on_line, bodies: [ground, r], at: [=w, 0], axis: [1, 0]}]\n"
                               "forces: [{type: spring, bodies: [ground, r], at: [0, 0], to: [=w, 0], stiffness: =20*w, length: 0.2}]\n"
                               "probes: {C: {body: r, at: [=w, 0]}}\n";
    for (int c = 0; c < KINDS; c++) {
        double far[2];
        for (int once = 0; once < 2; once++) { /* along the path, and separately at its end */
            bl_context *ctx = test_context(NULL);
            bl_model *model;
            bl_sink sink = {.user = &kept, .begin = begin, .sample = take};
            memset(&kept, 0, sizeof kept);
            bl_override w = {"w", 1.5};
            if (bl_model_read_text(ctx, "spread", text, strlen(text), &w, once, &model) != BL_OK)
                fail_msg("%s", bl_context_error(ctx)->what);
            bl_equilibrium_options o = {
                .coordinates = every_kind[c], .parameter = once ? NULL : "w", .from = once ? 0 : 1, .until = once ? 0 : 1.5};
            if (bl_equilibrium(ctx, model, &o, &sink, 1, NULL, &kept.found) != BL_OK)
                fail_msg("%s", bl_context_error(ctx)->what);
            far[once] = kept.probe[kept.samples - 1][0];
            bl_model_destroy(model);
            test_context_end(ctx);
        }
        assert_near(far[0], far[1], 1e-8);
    }
}

/* ---- starts at rest */

static bl_status note_motion(void *user, const bl_sample *sample) {
    double *most = user;
    for (bl_index k = 0; k < 4; k++)
        *most = fmax(*most, fabs(sample->variable_rate[k]));
    return BL_OK;
}

static void start_at_rest__does_not_move(void **unused) {
    (void)unused;
    static const char text[] = "initial: {equilibrium: true}\n";
    for (int c = 0; c < KINDS; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        double most = 0;
        char whole[1024];
        bl_sink sink = {.user = &most, .sample = note_motion};
        snprintf(
            whole, sizeof whole,
            "model: linkage\ndimension: 2\ngravity: [0, -9.81]\n"
            "points: {A: [0, 0], B: [0, 0.2], C: [0.4, 0.45], D: [0.5, 0]}\n"
            "bodies: [{name: crank, rod: {from: A, to: B}, mass: 0.5}, {name: coupler, rod: {from: B, to: C}, mass: 1},\n"
            "         {name: rocker, rod: {from: C, to: D}, mass: 0.8}]\n"
            "joints: [{name: A, type: revolute, bodies: [ground, crank], at: A}, {name: B, type: revolute, bodies: [crank, coupler], at: "
            "B},\n         {name: C, type: revolute, bodies: [coupler, rocker], at: C},\n"
            "         {name: D, type: revolute, bodies: [ground, rocker], "
            "at: D}]\n%s",
            text);
        assert_int_equal(bl_model_read_text(ctx, "linkage", whole, strlen(whole), NULL, 0, &model), BL_OK);
        if (bl_simulate(ctx, model, &(bl_run_options){.coordinates = every_kind[c], .until = 10, .tolerance = 1e-9}, &sink, 1, NULL) !=
            BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        assert_true(most < 1e-6);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* ---- a path through a singular configuration: two equal links fold at x = 1.2 - P / 10 = 0, where they could rotate freely */

static const char folding[] =
    "model: folding\ndimension: 2\ngravity: [0, 0]\nparameters: {P: 0}\npoints: {A: [0, 0], B: [0.6, 0.8], C: [1.2, 0]}\n"
    "bodies: [{name: crank, rod: {from: A, to: B}, mass: 1}, {name: rod, rod: {from: B, to: C}, mass: 1},\n"
    "         {name: piston, points: [{at: C, mass: 1}]}]\n"
    "joints: [{name: A, type: revolute, bodies: [ground, crank], at: A}, {name: B, type: revolute, bodies: [crank, rod], at: B},\n"
    "         {name: C, type: revolute, bodies: [rod, piston], at: C},\n"
    "         {name: S, type: prismatic, bodies: [ground, piston], at: C, axis: [1, 0]}]\n"
    "forces: [{type: rotational_spring, variable: S.distance, stiffness: 10}, {type: force, body: piston, force: [=-P, 0]}]\n";

static void singular_position__on_a_path_is_located(void **unused) {
    (void)unused;
    for (int c = 0; c < KINDS; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_sink sink = {.user = &kept, .begin = begin, .sample = take};
        memset(&kept, 0, sizeof kept);
        assert_int_equal(bl_model_read_text(ctx, "folding", folding, strlen(folding), NULL, 0, &model), BL_OK);
        bl_equilibrium_options options = {.coordinates = every_kind[c], .parameter = "P", .from = 0, .until = 20};
        if (bl_equilibrium(ctx, model, &options, &sink, 1, NULL, &kept.found) != BL_OK)
            fail_msg("%s: %s", every_kind[c], bl_context_error(ctx)->what);
        assert_int_equal(kept.found.npoint, 1);
        assert_int_equal(kept.found.point[0].what, BL_SINGULAR_POINT);
        /* interpolated over 1e-5 of a step; the equilibria of folded links that rotate cross the path there */
        assert_near(kept.found.point[0].t, 12, 1e-8);
        for (long i = 0; i < kept.samples; i++)
            assert_near(kept.variable[i][3], -kept.t[i] / 10, 1e-9);
        const bl_warning *warning;
        assert_int_equal(bl_context_warnings(ctx, &warning, NULL), 1);
        assert_non_null(strstr(warning[0].text, "the path passes a singular configuration at P = 1"));
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* ---- failed allocations */

typedef struct ask {
    const char *text;
    bl_equilibrium_options options;
} ask;

static bl_status body(bl_context *ctx, void *user) {
    const ask *a = user;
    bl_model *model;
    bl_sink sink = {.user = &kept, .begin = begin, .sample = take};
    memset(&kept, 0, sizeof kept);
    bl_status status = bl_model_read_text(ctx, "rod", a->text, strlen(a->text), NULL, 0, &model);
    if (status != BL_OK)
        return status;
    status = bl_equilibrium(ctx, model, &a->options, &sink, 1, NULL, &kept.found);
    bl_model_destroy(model);
    return status;
}

static void missing_memory__is_an_error(void **unused) {
    (void)unused;
    static const char text[] =
        "model: rod\ndimension: 2\ngravity: [0, -9.81]\nparameters: {k: 6, F: 0}\n"
        "bodies: [{name: rod, rod: {from: [0, 0], to: [0, 1]}, mass: 1}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
        "forces: [{type: rotational_spring, variable: A.angle, stiffness: =k}, {type: force, body: rod, force: [=F, 0]}]\n";
    static const char *const hold[] = {"A.angle"};
    static ask asks[] = {{text, {.starts = 2}},
                         {text, {.parameter = "k", .from = 5, .until = 4.95, .increments = 1}},
                         {text, {.parameter = "F", .from = 0, .until = 1, .increments = 1}},
                         {text, {.hold = hold, .nhold = 1}},
                         {folding, {.parameter = "P", .from = 11, .until = 13, .increments = 1}}};
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        assert_true(test_failing_allocations(body, &asks[i]) > 20);
}

/* ---- refusals */

/* a hanging parallelogram that is flat where its branches meet: the spring pulls it there */
static void singular_position__is_refused_with_joint_and_place(void **unused) {
    (void)unused;
    static const char text[] =
        "model: parallelogram\ndimension: 2\ngravity: [0, 0]\n"
        "points: {A: [0, 0], B: [0.3, 0.4], C: [1.3, 0.4], D: [1, 0], S: [2, 0]}\n"
        "bodies: [{name: a, rod: {from: A, to: B}, mass: 1}, {name: b, rod: {from: B, to: C}, mass: 1},\n"
        "         {name: c, rod: {from: D, to: C}, mass: 1}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, a], at: A}, {name: B, type: revolute, bodies: [a, b], at: B},\n"
        "         {name: C, type: revolute, bodies: [b, c], at: C}, {name: D, type: revolute, bodies: [ground, c], at: D}]\n"
        "forces: [{type: spring, bodies: [ground, b], at: S, to: C, stiffness: 100, length: 0.1}]\n";
    for (int c = 0; c < KINDS; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        if (bl_model_read_text(ctx, "parallelogram", text, strlen(text), NULL, 0, &model) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        assert_int_equal(bl_equilibrium(ctx, model, &(bl_equilibrium_options){.coordinates = every_kind[c]}, NULL, 0, NULL, NULL),
                         BL_E_NUMERIC);
        const bl_error *error = bl_context_error(ctx);
        assert_non_null(strstr(error->what, "singular"));
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* A slider under the force q^2 - q, q = x - 6: stable at q = 0, unbounded beyond q = 1. Which start failed is named, and the
 * iterations are its own. */
static void failed_start__is_named(void **unused) {
    (void)unused;
    static const struct {
        double q0;
        const char *who;
    } cases[] = {{0, "random start "}, {2, "also the start of the model, which fails with"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies: [{name: a, mass: 1, center: [6, 0], inertia: 1}]\n"
                 "joints: [{name: j, type: prismatic, bodies: [ground, a], at: [0, 0], at_b: [6, 0], axis: [1, 0]}]\n"
                 "forces: [{type: rotational_spring, variable: j.distance, torque: '=-(x-6) + (x-6)^2'}]\n"
                 "initial: {j.distance: %g}\n",
                 6 + cases[i].q0);
        assert_int_equal(bl_model_read_text(ctx, "slider", text, strlen(text), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_equilibrium(ctx, model, &(bl_equilibrium_options){.starts = 20}, NULL, 0, NULL, NULL), BL_OK);
        const char *warning = "", *after;
        const bl_warning *first;
        bl_index count = bl_context_warnings(ctx, &first, NULL);
        for (bl_index k = 0; k < count; k++)
            if (strstr(first[k].text, "led to no equilibrium"))
                warning = first[k].text;
        if (!strstr(warning, cases[i].who))
            fail_msg("found '%s', expected '%s'", warning, cases[i].who);
        assert_non_null(after = strstr(warning, ": after "));
        assert_true(strtol(after + 8, NULL, 10) <= 300); /* the default limit of one start */
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void refusals__say_what_and_why(void **unused) {
    (void)unused;
    const char *hold = "A.angel";
    assert_int_equal(solve_set("upright_rod", NULL, 0, &(bl_equilibrium_options){.hold = &hold, .nhold = 1}), BL_E_ARG);
    assert_non_null(strstr(kept.error.what, "there is no variable 'A.angel' to hold"));
    assert_non_null(strstr(kept.error.advice, "A.angle"));
    assert_int_equal(solve_set("upright_rod", NULL, 0, &(bl_equilibrium_options){.parameter = "kk", .from = 1, .until = 2}), BL_E_ARG);
    assert_non_null(strstr(kept.error.what, "no parameter 'kk'"));
    assert_int_equal(solve_set("upright_rod", NULL, 0, &(bl_equilibrium_options){.parameter = "k", .from = 1, .until = 1}), BL_E_ARG);
    assert_int_equal(solve_set("w3_chain", NULL, 0, &(bl_equilibrium_options){.parameter = "n", .from = 3, .until = 5}), BL_E_ABILITY);
    assert_non_null(strstr(kept.error.what, "is a count"));
    assert_int_equal(solve_set("upright_rod", NULL, 0, &(bl_equilibrium_options){.starts = 3, .until = 1}), BL_E_ARG);
    assert_int_equal(solve_set("oscillator", NULL, 0, &(bl_equilibrium_options){.starts = 3}), BL_E_ABILITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upright_rod__has_three_positions),
        cmocka_unit_test(upright_rod__branches_where_the_spring_is_too_soft),
        cmocka_unit_test(path__never_leaves_its_range),
        cmocka_unit_test(shallow_truss__rests_at_three_heights_at_one_load),
        cmocka_unit_test(shallow_truss__snaps_through),
        cmocka_unit_test(steep_truss__leaves_sideways_before_its_limit),
        cmocka_unit_test(steep_truss__critical_points_are_in_order),
        cmocka_unit_test(four_bar__hangs_and_balances),
        cmocka_unit_test(two_rods__rest_in_four_ways),
        cmocka_unit_test(chain__is_a_catenary_of_rods),
        cmocka_unit_test(bricard__rests_although_redundant),
        cmocka_unit_test(vehicle__settles_and_may_roll_away),
        cmocka_unit_test(block__runs_away_on_a_smooth_incline),
        cmocka_unit_test(follower_force__makes_the_rest_unstable),
        cmocka_unit_test(geometry__can_be_a_path),
        cmocka_unit_test(singular_position__on_a_path_is_located),
        cmocka_unit_test(missing_memory__is_an_error),
        cmocka_unit_test(start_at_rest__does_not_move),
        cmocka_unit_test(singular_position__is_refused_with_joint_and_place),
        cmocka_unit_test(failed_start__is_named),
        cmocka_unit_test(refusals__say_what_and_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

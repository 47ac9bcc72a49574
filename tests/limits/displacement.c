/* Finite displacements, rates, and the kinematics of driven mechanisms. An answer: how and where a displacement ends, all variables there;
 * velocities, accelerations, ratios and transmission angles; positions of driven mechanisms. */
#include "limits/limits.h"

#include "biela/kinematics.h"
#include "biela/move.h"
#include "biela/rates.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* ---- displacements */

/* at a dead point other variables are known to the root of rounding */
static void ask_move(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_move_report r = {0};
    bl_status status = bl_move(ctx, model, how, NULL, 0, &r, NULL);
    double within = status == BL_OK ? 1e-8 : 1e-5;
    answer_status(a, ctx, status);
    answer_exact(a, "end", r.end);
    answer_exact(a, "mobility", r.mobility);
    answer_exact(a, "free", r.free);
    answer_exact(a, "released", r.nreleased);
    answer_near(a, "share", r.share, 1e-7);
    for (bl_index i = 0; i < r.ntarget; i++)
        answer_near(a, r.target[i].name, r.target[i].value, 1e-7);
    for (bl_index i = 0; i < r.nvariable; i++)
        answer_near(a, r.variable[i].name, r.variable[i].value, within * fmax(fabs(r.variable[i].value), 1));
    bl_move_report_destroy(ctx, &r);
}

static void ask_rates(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_rates_report r = {0};
    bl_status status = bl_rates(ctx, model, how, &r);
    if (answer_status(a, ctx, status)) {
        answer_exact(a, "mobility", r.mobility);
        answer_exact(a, "passive", r.passive);
        for (bl_index i = 0; i < r.nvariable; i++) {
            const bl_rate_row *v = &r.variable[i];
            answer_near(a, v->name, v->rate, 1e-7 * fmax(fabs(v->rate), 1));
            answer_near(a, v->name, v->acceleration, 1e-6 * fmax(fabs(v->acceleration), 1));
            for (bl_index k = 0; k < r.ninput; k++)
                answer_near(a, "ratio", v->ratio[k], 1e-7 * fmax(fabs(v->ratio[k]), 1));
        }
        answer_exact(a, "transmissions", r.ntransmission);
        for (bl_index i = 0; i < r.ntransmission; i++)
            answer_near(a, r.transmission[i].joint, r.transmission[i].angle, 1e-7);
        for (bl_index i = 0; i < r.noutput; i++)
            for (bl_index k = 0; k < r.ninput; k++)
                answer_near(a, "advantage", r.output[i].factor[k], 1e-6 * fabs(r.output[i].factor[k]));
    }
    bl_rates_report_destroy(ctx, &r);
}

/* ---- kinematics */

static void ask_kinematics(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    enum { TIMES = 40 };
    const bl_kinematics_options *o = how;
    bl_kinematics *k = NULL;
    double until = model->settings.until > 0 ? model->settings.until : 1;
    bl_status status = bl_kinematics_create(ctx, model, o, &k);
    for (int i = 0; status == BL_OK && i <= TIMES; i++) {
        status = bl_kinematics_at(k, until * i / TIMES, BL_ACCELERATIONS);
        for (bl_index v = 0; status == BL_OK && v < model->nvariable; v++) {
            double x[3];
            bl_kinematics_variable(k, v, x);
            for (int d = 0; d < 3; d++)
                answer_near(a, model->variable[v].name, x[d], (d < 2 ? 1e-7 : 1e-5) * fmax(fabs(x[d]), 1));
        }
    }
    answer_status(a, ctx, status);
    bl_kinematics_destroy(k);
}

/* ---- models */

#define JOINTS4                                                                                                     \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n  - {name: B, type: revolute, bodies: [crank, " \
    "coupler], at: B}\n  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n"                           \
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\n"
#define RODS4                                                                                                           \
    "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n" \
    "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n" JOINTS4
static const char rockers[] = "dimension: 2\npoints: {A: [0, 0], B: [0.4, 0.3], C: [0.9, 0.6], D: [1, 0]}\n" RODS4;
static const char braced[] = "dimension: 2\npoints: {A: [0, 0], B: [0.4, 0.3], C: [0.9, 0.6], D: [1, 0]}\n" RODS4
                             "  - {name: bar, type: rod, bodies: [crank, ground], at: B, to: D}\n";
static const char parallelogram[] = "dimension: 2\npoints: {A: [0, 0], B: [0.1, 0.2], C: [0.6, 0.2], D: [0.5, 0]}\n" RODS4;
static const char driven_parallelogram[] = "dimension: 2\npoints: {A: [0, 0], B: [0.1, 0.2], C: [0.6, 0.2], D: [0.5, 0]}\n" RODS4
                                           "drivers: [{variable: A.angle, value: =4*t}]\nsimulate: {until: 2}\n";
static const char flat[] = "dimension: 2\npoints: {A: [0, 0], B: [0.2, 0], C: [0.7, 0], D: [0.5, 0]}\n" RODS4;
static const char chain[] =
    "dimension: 2\npoints: {O: [0, 0], P: [1, 0], Q: [2, 0]}\nbodies:\n"
    "  - {name: a, rod: {from: O, to: P}, mass: 1}\n  - {name: b, rod: {from: P, to: Q}, mass: 1}\njoints:\n"
    "  - {name: p, type: revolute, bodies: [ground, a], at: O}\n  - {name: q, type: revolute, bodies: [a, b], at: P}\n"
    "probes: {Q: {body: b, at: Q}}\n";

static const char driven_rssr[] =
    "points: {A: [0,0,0], B: [0,1,0], C: [2,2,1], D: [2,0,1]}\nbodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"
    "  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A, axis: [0,0,1]}\n"
    "  - {name: B, type: spherical, bodies: [crank, coupler], at: B}\n  - {name: C, type: spherical, bodies: [coupler, rocker], at: C}\n"
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D, axis: [0,0,1]}\n"
    "drivers: [{variable: A.angle, value: =t}]\nsimulate: {until: 1}\n";
static const char driven_too_far[] = "dimension: 2\npoints: {A: [0, 0], B: [0.4, 0.3], C: [0.9, 0.6], D: [1, 0]}\n" RODS4
                                     "drivers: [{variable: A.angle, value: =3*t}]\nsimulate: {until: 1}\n";

#define MOVE(...)                                                                                                                          \
    .ask = ask_move, .how = &(const bl_move_options) {                                                                                     \
        .target = (const bl_move_target[]){__VA_ARGS__}, .ntarget = sizeof((const bl_move_target[]){__VA_ARGS__}) / sizeof(bl_move_target) \
    }
#define TO(name, value) \
    { name, value }

static const limit_case cases[] = {
    {.name = "move four_bar", .scene = "four_bar", MOVE(TO("A.angle", 7))},
    {.name = "move slider_crank by its slider", .scene = "slider_crank", MOVE(TO("C.x", 0.65))},
    {.name = "move slider_crank to its dead point", .scene = "slider_crank", MOVE(TO("guide.distance", 0.5))},
    {.name = "move spatial_slider_crank", .scene = "spatial_slider_crank", MOVE(TO("crank.angle", 3))},
    {.name = "move bricard", .scene = "bricard", MOVE(TO("j1.angle", 2))},
    {.name = "move bricard to its dead point", .scene = "bricard", MOVE(TO("j1.angle", -2))},
    {.name = "move jansen_leg", .scene = "jansen_leg", MOVE(TO("O.angle", 2))},
    {.name = "move rockers too far", .text = rockers, MOVE(TO("A.angle", 3))},
    {.name = "move what is braced", .text = braced, MOVE(TO("A.angle", 1))},
    {.name = "move a parallelogram flat", .text = parallelogram, MOVE(TO("A.angle", 20))},
    {.name = "move a flat parallelogram", .text = flat, MOVE(TO("A.angle", 1))},
    {.name = "move a chain with the least energy", .text = chain, MOVE(TO("p.angle", 1))},
    {.name = "move both links of a chain", .text = chain, MOVE(TO("p.angle", 2), TO("q.angle", -5))},
    {.name = "move to what contradicts", .scene = "four_bar", MOVE(TO("A.angle", 1), TO("C.x", 0.4))},
    {.name = "move five_bar_robot", .scene = "five_bar_robot", MOVE(TO("A1.angle", 0.1))},
    {.name = "rates of four_bar",
     .scene = "four_bar",
     .ask = ask_rates,
     .how = &(const bl_rates_options){.output = (const char *const[]){"D.angle"}, .noutput = 1}},
    {.name = "rates of slider_crank",
     .scene = "slider_crank",
     .ask = ask_rates,
     .how = &(const bl_rates_options){.output = (const char *const[]){"guide.distance"}, .noutput = 1}},
    {.name = "rates of spatial_slider_crank", .scene = "spatial_slider_crank", .ask = ask_rates, .how = &(const bl_rates_options){0}},
    {.name = "rates of slider_crank at its dead point",
     .scene = "slider_crank",
     .ask = ask_rates,
     .how = &(const bl_rates_options){.target = &(const bl_move_target){"A.angle", -1.0471975511965976},
                                      .ntarget = 1,
                                      .output = (const char *const[]){"guide.distance"},
                                      .noutput = 1}},
    {.name = "kinematics of quick_return", .scene = "quick_return", .ask = ask_kinematics, .how = &(const bl_kinematics_options){0}},
    {.name = "kinematics of jansen_leg", .scene = "jansen_leg", .ask = ask_kinematics, .how = &(const bl_kinematics_options){0}},
    {.name = "kinematics of jansen_leg, newton",
     .scene = "jansen_leg",
     .ask = ask_kinematics,
     .how = &(const bl_kinematics_options){.solver = "newton", .turns = true}},
    {.name = "kinematics of slider_crank_motor, whole",
     .scene = "slider_crank_motor",
     .ask = ask_kinematics,
     .how = &(const bl_kinematics_options){.solver = "whole"}},
    {.name = "kinematics of an RSSR linkage", .text = driven_rssr, .ask = ask_kinematics, .how = &(const bl_kinematics_options){0}},
    {.name = "kinematics beyond a dead point", .text = driven_too_far, .ask = ask_kinematics, .how = &(const bl_kinematics_options){0}},
    {.name = "kinematics of a parallelogram",
     .text = driven_parallelogram,
     .ask = ask_kinematics,
     .how = &(const bl_kinematics_options){0}},
    {.name = "kinematics of a parallelogram, newton",
     .text = driven_parallelogram,
     .ask = ask_kinematics,
     .how = &(const bl_kinematics_options){.solver = "newton"}},
};

limit_cases limit_cases_displacement(void) { return LIMIT_CASES(cases); }

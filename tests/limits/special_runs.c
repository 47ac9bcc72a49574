/* Simulations of special models: events and sliding, friction, stiff and algebraic equations, laws of drivers, singular configurations,
 * fixed steps that are too long, solvers and methods of a user. An answer: how the run ends and when, and the motion. */
#include "limits/limits.h"

#include <math.h>
#include <string.h>

typedef struct way {
    bl_run_options run;
    double within; /* of the motion, relative to its size; 0: 1e-3; infinite: only how it ends */
} way;

static void ask_run(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    const way *w = how;
    bl_run_options o = w->run;
    bl_run_summary summary = {0};
    answer_sink s;
    double within = w->within > 0 ? w->within : 1e-3;
    bl_sink sink = answer_sink_of(&s, a, within, BL_WANT_BODIES | BL_WANT_VARIABLES | BL_WANT_PROBES);
    if (within == INFINITY)
        sink.sample = NULL;
    o.until = o.until > 0 ? o.until : 1;
    o.every = o.until / 4;
    o.tolerance = o.tolerance > 0 ? o.tolerance : 1e-6;
    bl_status status = bl_simulate(ctx, model, &o, &sink, 1, &summary);
    answer_status(a, ctx, status == BL_EVENT ? BL_OK : status);
    answer_exact(a, "stopped", summary.status == BL_EVENT);
    if (status >= 0)
        answer_near(a, "time", summary.t, 1e-4 * o.until);
}

/* ---- models */

static const char rubs[] =
    "dimension: 2\nbodies: [{name: cart, mass: 1, center: [0, 0], inertia: 1}]\nprobes: {P: {body: cart, at: [0, 0]}}\n"
    "joints: [{name: s, type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}]\n"
    "forces: [{type: force, body: cart, at: [0, 0], force: [\"=-P.x - 0.13*sign(P.vx)\", 0]}]\n"
    "initial: {s.distance: 1}\n";
static const char relay[] = "equations:\n  states: [{name: x, start: 1, rate: \"=0.5*sin(t) - sign(x)\"}, {name: y, start: 0, rate: =x}]\n";
static const char stops[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: bob, points: [{mass: 1, at: [-1, 0]}]}]\n"
                            "joints: [{name: j, type: rod, bodies: [ground, bob], at: [0, 0], to: [-1, 0]}]\n"
                            "probes: {P: {body: bob, at: [-1, 0]}}\nsimulate: {until: 5, stop: =P.x - 0.5}\n";
static const char table[] = "dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1}]\n"
                            "joints: [{name: s, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}]\n"
                            "forces: [{type: force, body: a, force: [\"=table(" TESTS "/data/force_table.csv) + table(" TESTS
                            "/data/force_table.csv, cubic) + (sin(7*t) > 0.3 ? 1 : 0) + floor(exp(t))\", 0]}]\n";
static const char stiff_spring[] = "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}\n"
                                   "  - {name: b, mass: 0.01, center: [1.1, 0], inertia: 0.0001}\njoints:\n"
                                   "  - {name: j, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                   "  - {name: s, type: prismatic, bodies: [a, b], at: [1.1, 0], axis: [1, 0]}\n"
                                   "forces: [{type: rotational_spring, variable: s.distance, stiffness: 1e5, damping: 300}]\n";
static const char algebraic[] =
    "equations:\n  states: [{name: x, start: 1, rate: '=-y'}, {name: y, start: 0.3, algebraic: '=y^3 + y - 2*x'}]\n";
static const char robertson[] =
    "equations:\n  states:\n    - {name: a, start: 1, rate: '=-0.04*a + 1e4*b*c'}\n"
    "    - {name: b, start: 0, rate: '=0.04*a - 1e4*b*c - 3e7*b^2'}\n    - {name: c, start: 0, rate: =3e7*b^2}\n";
static const char ringing[] = /* a weakly damped fast oscillation beside a slow motion */
    "equations:\n  states:\n    - {name: x, start: 1, rate: '=-x'}\n    - {name: y, start: 1e-3, rate: '=1000*z - 10*y'}\n"
    "    - {name: z, start: 0, rate: '=-1000*y - 10*z'}\n";
static const char matrices[] = "matrices: {M: [[2, 0], [0, 1]], K: [[6, -2], [-2, 4]], initial: {positions: [1, 0]}}\n";
static const char point[] = "dimension: 2\nbodies: [{name: p, points: [{mass: 1, at: [1, 0]}]}]\n"
                            "forces: [{type: spring, bodies: [ground, p], at: [0, 0], to: [1, 0], stiffness: 10, length: 0.9}]\n"
                            "initial: {p: {velocity: [0, 1]}}\n";
#define CRANK                                                                                                \
    "dimension: 2\ngravity: [0, -9.81]\npoints: {A: [0, 0], B: [0.2, 0.1], C: [0.7, 0]}\nbodies:\n"          \
    "  - {name: crank, rod: {from: A, to: B}, mass: 0.5}\n  - {name: rod, rod: {from: B, to: C}, mass: 1}\n" \
    "  - {name: slider, mass: 2, center: C, inertia: 0.01}\njoints:\n"                                       \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"                                        \
    "  - {name: B, type: revolute, bodies: [crank, rod], at: B}\n"                                           \
    "  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"                                          \
    "  - {name: guide, type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\n"
static const char to_pole[] = CRANK "drivers: [{variable: A.angle, value: '=1/(0.8 - t)'}]\n";
static const char jumps[] = CRANK "drivers: [{variable: A.angle, value: '=t < 0.5 ? t : t^2 + 0.25'}]\n";
static const char breaks[] = CRANK "drivers: [{variable: A.angle, value: '=t < 0.5 ? t : t + 1'}]\n";
static const char to_root[] = CRANK "drivers: [{variable: A.angle, value: '=sqrt(0.5 - t)'}]\n";
static const char dry[] = CRANK "forces: [{type: joint_friction, joint: guide, coefficient: 0.2},\n"
                                "         {type: joint_friction, joint: A, coefficient: 0.1, radius: 0.02}]\n";
static const char hammer[] = /* starts near a dead point with a prescribed speed of the slider */
    "dimension: 2\npoints: {A: [0, 0], B: [0.2, 0.0005], C: [0.7, 0]}\nbodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"
    "  - {name: rod, rod: {from: B, to: C}, mass: 1}\n  - {name: slider, mass: 1, center: C, inertia: 0.01}\njoints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n  - {name: B, type: revolute, bodies: [crank, rod], at: B}\n"
    "  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"
    "  - {name: guide, type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\ninitial: {guide.rate: -0.01}\n";
static const char spun[] = /* a ball joint with angles, spinning fast */
    "gravity: [0, 0, -9.81]\nbodies: [{name: a, box: {center: [0.3, 0, 0], size: [0.6, 0.1, 0.2]}, mass: 1}]\n"
    "joints: [{name: j, type: spherical, bodies: [ground, a], at: [0, 0, 0], angles: true, axis: [0, 0, 1], reference: [1, 0, 0]}]\n"
    "initial: {a: {angular_velocity: [3, 1, 20]}}\n";
static const char parallelogram[] =
    "dimension: 2\ngravity: [0, -9.81]\npoints: {A: [0, 0], B: [0.1, 0.2], C: [0.6, 0.2], D: [0.5, 0]}\n"
    "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"
    "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n"
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\ninitial: {A.rate: -6}\n";

static const char rssr[] = /* slender rods between ball joints may spin */
    "points: {A: [0,0,0], B: [0,1,0], C: [2,2,1], D: [2,0,1]}\ngravity: [0, 0, -9.81]\n"
    "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"
    "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A, axis: [0,0,1], axis_b: [0, 0.01, 1]}\n"
    "  - {name: B, type: spherical, bodies: [crank, coupler], at: B}\n"
    "  - {name: C, type: spherical, bodies: [coupler, rocker], at: C}\n"
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D, axis: [0,0,1]}\ninitial: {A.rate: 1}\n";
static const char light[] = /* a link that is light beside the next one */
    "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: a, mass: 1e-4, center: [0.5, 0], inertia: 1e-6}\n"
    "  - {name: b, mass: 1, center: [1.5, 0], inertia: 0.1}\njoints:\n  - {name: j, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  - {name: k, type: revolute, bodies: [a, b], at: [1, 0]}\n";
static const char weightless[] = /* the second link has no inertia of its own */
    "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: a, mass: 1, center: [0.5, 0], inertia: 0.1}\n"
    "  - {name: b, mass: 0, center: [1.5, 0], inertia: 0}\njoints:\n  - {name: j, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  - {name: k, type: revolute, bodies: [a, b], at: [1, 0]}\n";
static const char fast[] = /* several revolutions in one step of a power series */
    "dimension: 2\nbodies:\n  - {name: a, mass: 1, center: [0, 0], inertia: 1}\n  - {name: b, mass: 1, center: [1, 0], inertia: 1}\n"
    "joints:\n  - {name: j, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  - {name: k, type: revolute, bodies: [a, b], at: [1, 0]}\n"
    "forces: [{type: torque, body: a, torque: '=sin(j.angle/50)'}]\ninitial: {j.rate: 40, k.rate: -60}\n";
static const char pole[] = "equations:\n  states: [{name: x, start: 1, rate: =x^2}]\n";
static const char limit_cycle[] =
    "equations:\n  states: [{name: x, start: 2, rate: =v}, {name: v, start: 0, rate: '=1000*(1 - x^2)*v - x'}]\n";
static const char decays[] = "equations:\n  states: [{name: x, start: 1, rate: '=-1000*x'}]\n";
static const char coupled[] = /* rates are coupled */
    "equations:\n  states: [{name: x, start: 1, order: 1, mass: 2, force: =-x}, {name: y, start: 0, order: 1, mass: 3, force: '=x - y'}]\n"
    "  mass: [{row: x, column: y, value: 1}, {row: y, column: x, value: 1}]\n";
static const char stalls[] =
    "equations:\n  states: [{name: x, start: 1, rate: '=-y'}, {name: y, start: 0.3, algebraic: '=1e9*(y - x) + sin(1e9*y)*1e-3'}]\n";
static const char jams[] = CRANK "forces: [{type: joint_friction, joint: guide, coefficient: 3},\n"
                                 "         {type: joint_friction, joint: A, coefficient: 2, radius: 0.1}]\ninitial: {A.rate: 3}\n";
static const char creeps[] = CRANK "drivers: [{variable: A.angle, value: '=t < 0.5 ? t : t + 1e-7'}]\n";
static const char steep[] = CRANK "drivers: [{variable: A.angle, value: '=1e-9/(0.5 - t)'}]\n";
static const char heavy[] = /* a spring that a fixed step does not resolve */
    "dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1}]\n"
    "joints: [{name: s, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}]\n"
    "forces: [{type: rotational_spring, variable: s.distance, stiffness: 1e6}]\ninitial: {s.distance: 0.01}\n";

static const char bounces[] = /* on a stiff damper: stiff phases between free ones */
    "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: a, mass: 1, center: [0, 0.2], inertia: 1}]\n"
    "joints: [{name: s, type: prismatic, bodies: [ground, a], at: [0, 0], at_b: [0, 0.2], axis: [0, 1]}]\n"
    "forces: [{type: rotational_spring, variable: s.distance, torque: '=x < 0 ? -1e7*x - 2e4*xd : 0'}]\n";
static const char carrier[] = /* a massless link carries a mass on a hinge */
    "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: a, mass: 0, center: [0.5, 0], inertia: 0}\n"
    "  - {name: b, mass: 1, center: [1.5, 0.3], inertia: 0.1}\njoints:\n  - {name: j, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  - {name: k, type: revolute, bodies: [a, b], at: [1, 0]}\n";

static const char cam[] = /* a hollow cam with a roller, turned by its weight */
    "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: disc, mass: 1, center: [0.02, 0], inertia: 0.01}\n"
    "  - {name: rod, mass: 0.3, center: [0, 0.08], inertia: 0.001}\njoints:\n"
    "  - {name: shaft, type: revolute, bodies: [ground, disc], at: [0, 0]}\n"
    "  - {name: guide, type: prismatic, bodies: [ground, rod], at: [0, 0.08], axis: [0, 1]}\n"
    "  - {name: cam, type: cam, bodies: [disc, rod], center: [0, 0], base: 0.06, at: [0, 0.08], roller: 0.01,\n"
    "     lift: [{over: =90*deg, rise: 0.02}, {over: =90*deg}, {over: =90*deg, rise: -0.02, motion: 4-5-6-7}, {over: =90*deg}]}\n"
    "initial: {shaft.rate: 5}\n";

static const char passes[] = /* a box that turns fast flies past the edge of another one */
    "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: box, mass: 1, center: [-0.45, 0.6], inertia: 0.05}]\n"
    "contacts: [{name: c, between: [ground, box], restitution: 0.5, friction: 0.3, shapes: [{box: {at: [0, 0], size: [0.5, 0.5]}},\n"
    "  {box: {at: [-0.45, 0.6], size: [0.6, 0.1], angle: 0.3}}]}]\ninitial: {box: {velocity: [1.5, 2], angular_velocity: -9}}\n";
static const char cannot_slide[] = /* its end, pushed ahead, halts at once */
    "dimension: 2\ngravity: [0, -9.81]\nparameters: {a: =135*deg}\npoints: {A: [0, 0], B: [=cos(a), =sin(a)]}\n"
    "bodies: [{name: rod, rod: {from: A, to: B}, mass: 1}]\n"
    "contacts: [{name: end, between: [ground, rod], friction: 2,\n"
    "  shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {point: {at: A}}]}]\n"
    "initial: {rod: {velocity: [1, 0]}}\nsimulate: {until: 1, painleve: impact}\n";
static const char turns[] = /* friction in two directions, of equations; it halts at last */
    "equations:\n  states: [{name: x, start: 0, rate_start: 1, mass: 1, force: '=t < 1 ? -3 : 0'}, {name: y, start: 0, rate_start: 0.5, "
    "mass: 1, force: 0},\n    {name: z, start: 0, mass: 1, force: -9.81}]\n"
    "contacts: [{name: floor, gap: =z, sliding: [=x_rate, =y_rate], friction: 0.1}]\n";

#define RUN(model, ...)                                                                            \
    {                                                                                              \
        .name = #model " (" #__VA_ARGS__ ")", .text = model, .ask = ask_run, .how = &(const way) { \
            .run = { __VA_ARGS__ }                                                                 \
        }                                                                                          \
    }
#define ENDS(model, ...)                                                                                     \
    {                                                                                                        \
        .name = "end of " #model " (" #__VA_ARGS__ ")", .text = model, .ask = ask_run, .how = &(const way) { \
            .run = {__VA_ARGS__}, .within = INFINITY                                                         \
        }                                                                                                    \
    }

/* what holds a motion on a border is not controlled by the tolerance */
#define SLIDES(model, ...)                                                                                                                \
    {                                                                                                                                     \
        .name = #model " (" #__VA_ARGS__ ")", .text = model, .ask = ask_run, .how = &(const way) { .run = {__VA_ARGS__}, .within = 5e-3 } \
    }

static const limit_case cases[] = {
    RUN(rubs, .until = 10),
    RUN(rubs, .until = 10, .integrator = "dopri45", .formulation = "lagrange"),
    SLIDES(relay, .until = 5, .integrator = "dopri45"),
    SLIDES(relay, .until = 5, .integrator = "series"),
    RUN(stops, .until = 5),
    RUN(stops, .until = 5, .integrator = "dopri45"),
    RUN(table, .until = 1),
    RUN(table, .until = 1, .integrator = "dop853"),
    RUN(stiff_spring, .until = 0.5),
    RUN(stiff_spring, .until = 0.2, .integrator = "ndf_auto"),
    RUN(stiff_spring, .until = 0.2, .integrator = "trbdf2", .formulation = "ggl", .tolerance = 1e-4),
    RUN(stiff_spring, .until = 0.2, .integrator = "rosenbrock23", .tolerance = 1e-4),
    RUN(stiff_spring, .until = 0.2, .integrator = "bdf:2,newton=full", .step = 1e-3),
    RUN(algebraic, .integrator = "radau"),
    RUN(robertson, .until = 40, .integrator = "ndf_auto"),
    RUN(robertson, .until = 40),
    RUN(ringing, .until = 2, .integrator = "stiff_auto"),
    RUN(matrices, .until = 3, .integrator = "newmark", .step = 0.05),
    RUN(matrices, .until = 3),
    RUN(point, .until = 1, .integrator = "edmc1", .step = 0.01),
    RUN(matrices, .until = 1, .integrator = "edmc2", .step = 0.01),
    RUN(point, .until = 1, .integrator = "multistep:a=1/2;-2;3/2,b=0;0;1", .step = 0.005),
    RUN(parallelogram, .until = 0.5, .formulation = "lagrange", .integrator = "multistep:a=1/2;-2;3/2,b=0;0;1", .step = 0.001),
    ENDS(to_pole, .until = 1),
    ENDS(jumps, .until = 1),
    ENDS(breaks, .until = 1),
    ENDS(to_root, .until = 1),
    RUN(dry, .until = 0.5),
    RUN(dry, .until = 0.2, .formulation = "lagrange"),
    ENDS(hammer, .until = 0.01),
    RUN(spun, .until = 0.5),
    RUN(spun, .until = 0.2, .coordinates = "reference", .formulation = "index3", .integrator = "hht", .step = 0.001),
    RUN(parallelogram, .until = 0.5),
    RUN(parallelogram, .until = 0.5, .formulation = "auglag"),
    RUN(parallelogram, .until = 0.5, .formulation = "lagrange", .integrator = "rk4", .step = 0.002),
    RUN(parallelogram, .until = 0.5, .coordinates = "reference"),
    RUN(parallelogram, .until = 0.5, .formulation = "auglag:project=stage"),
    RUN(parallelogram, .until = 0.5, .formulation = "projection"),
    RUN(parallelogram, .until = 0.5, .formulation = "penalty"),
    RUN(parallelogram, .until = 0.5, .singular = "step_over"),
    RUN(parallelogram, .until = 0.5, .integrator = "series:steps=fixed", .step = 0.02),
    RUN(parallelogram, .until = 0.5, .coordinates = "relative", .formulation = "ggl", .integrator = "ndf_auto", .tolerance = 1e-5),
    RUN(rssr, .until = 0.3),
    RUN(rssr, .until = 0.3, .coordinates = "mixed", .absolute = 1e-7),
    ENDS(rssr, .until = 0.1, .coordinates = "reference"),
    RUN(light, .until = 0.5),
    RUN(light, .until = 0.5, .coordinates = "relative"),
    RUN(light, .until = 0.5, .coordinates = "relative", .linsol = "ldl"),
    ENDS(weightless, .until = 0.1, .coordinates = "relative"),
    RUN(fast, .until = 2),
    RUN(fast, .until = 2, .coordinates = "natural", .integrator = "series"),
    ENDS(pole, .until = 2),
    ENDS(pole, .until = 2, .integrator = "dopri45"),
    RUN(limit_cycle, .until = 200),
    ENDS(decays, .until = 1, .integrator = "rk4", .step = 0.01),
    RUN(coupled, .integrator = "dopri45"),
    RUN(bounces, .until = 1),
    RUN(carrier, .until = 0.3),
    RUN(carrier, .until = 0.3, .coordinates = "relative"),
    RUN(cam, .until = 0.5),
    RUN(cam, .until = 0.5, .coordinates = "reference", .formulation = "index3", .integrator = "ndf_auto", .tolerance = 1e-5),
    RUN(parallelogram, .until = 0.5, .formulation = "partition"),
    RUN(parallelogram, .until = 0.5, .formulation = "partition", .integrator = "dopri45"),
    RUN(stalls, .integrator = "radau"),
    ENDS(jams, .until = 0.5),
    ENDS(creeps, .until = 1),
    ENDS(steep, .until = 1),
    ENDS(heavy, .until = 1, .integrator = "rk4", .step = 0.01),
    RUN(stiff_spring, .until = 0.2, .integrator = "bdf:2,newton=line_search", .step = 1e-3),
    ENDS(decays, .until = 1, .integrator = "rk4", .step = 0.005),
    RUN(limit_cycle, .until = 900, .tolerance = 1e-5),
    RUN(passes, .until = 0.5, .integrator = "dopri45"),
    RUN(cannot_slide, .until = 0.1),
    RUN(turns, .until = 4),
    {.name = "fekete", .scene = "fekete", .ask = ask_run, .how = &(const way){.run = {.until = 0.5}}, .is_long = true},
    {.name = "many loops",
     .scene = "n_four_bar",
     .set = {{"N", 60}},
     .ask = ask_run,
     .how = &(const way){.run = {.until = 0.2}},
     .is_long = true},
    {.name = "tether", .scene = "tether", .ask = ask_run, .how = &(const way){.run = {.until = 0.2}}, .is_long = true},
    {.name = "hexapod", .scene = "hexapod", .ask = ask_run, .how = &(const way){.run = {.until = 0.2}}, .is_long = true},
    {.name = "vehicle", .scene = "vehicle", .ask = ask_run, .how = &(const way){.run = {.until = 0.2}}, .is_long = true},
    {.name = "friction_slider_crank",
     .scene = "friction_slider_crank",
     .ask = ask_run,
     .how = &(const way){.run = {.until = 0.2}},
     .is_long = true},
    {.name = "car_axis", .scene = "car_axis", .ask = ask_run, .how = &(const way){.run = {.until = 0.1}}},
};

limit_cases limit_cases_special_runs(void) { return LIMIT_CASES(cases); }

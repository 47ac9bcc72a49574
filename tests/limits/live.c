/* Steppers, signals, and kinds whose geometry is checked when they are read. An answer: how a call ends, and the motion. */
#include "limits/limits.h"

#include <math.h>

static void ask_short_run(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    (void)how;
    answer_sink s;
    bl_sink sink = answer_sink_of(&s, a, 1e-3, BL_WANT_BODIES | BL_WANT_VARIABLES);
    answer_status(a, ctx, bl_simulate(ctx, model, &(bl_run_options){.until = 0.5, .every = 0.25, .tolerance = 1e-6}, &sink, 1, NULL));
}

/* a linkage without a known end, moved by its crank, then left to itself */
static void ask_stepper(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_stepper *s;
    const bl_sample *sample;
    const bl_override *to = how;
    bl_status status = bl_stepper_create(ctx, model, &(bl_run_options){.tolerance = 1e-6}, &s);
    for (int k = 1; k <= 2 && status == BL_OK; k++) {
        status = bl_stepper_jump(s, to, 1);
        if (status == BL_OK)
            status = bl_stepper_reach(s, 0.2 * k);
        if (status == BL_OK)
            status = bl_stepper_sample(s, BL_WANT_VARIABLES, &sample);
        for (bl_index v = 0; v < bl_stepper_info(s)->nvariable && status == BL_OK; v++)
            answer_near(a, bl_stepper_info(s)->variable[v], sample->variable[v], 1e-3);
    }
    answer_status(a, ctx, status);
    bl_stepper_destroy(s);
}

/* a crank that follows an input, led by cubics and then with another rate; its value may be off by rounding */
static void ask_driven(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    (void)how;
    bl_stepper *s;
    const bl_sample *sample;
    bl_status status = bl_stepper_create(ctx, model, &(bl_run_options){.tolerance = 1e-6}, &s);
    if (status == BL_OK)
        status = bl_stepper_lead_input(s, 0, 0.3, 1, 0.2);
    if (status == BL_OK)
        status = bl_stepper_reach(s, 0.3);
    if (status == BL_OK)
        status = bl_stepper_set_input(s, 0, 0.4 + 1e-15, -0.5);
    if (status == BL_OK)
        status = bl_stepper_reach(s, 0.5);
    if (status == BL_OK)
        status = bl_stepper_sample(s, BL_WANT_VARIABLES, &sample);
    for (bl_index v = 0; status == BL_OK && v < bl_stepper_info(s)->nvariable; v++)
        answer_near(a, bl_stepper_info(s)->variable[v], sample->variable[v], 1e-3);
    answer_status(a, ctx, status);
    bl_stepper_destroy(s);
}

#define LINKAGE                                                                                                   \
    "dimension: 2\ngravity: [0, -9.81]\npoints: {A: [0, 0], B: [0, 0.2], C: [0.4, 0.45], D: [0.5, 0]}\nbodies:\n" \
    "  - {name: crank, rod: {from: A, to: B}, mass: 0.5}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"  \
    "  - {name: rocker, rod: {from: C, to: D}, mass: 0.8}\njoints:\n"                                             \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"                                             \
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n"                                            \
    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n"                                           \
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\n"
static const char linkage[] = LINKAGE;
static const char driven[] = LINKAGE "inputs: {u: 0}\ndrivers: [{variable: A.angle, value: =u}]\n";
static const char sampled[] =
    "dimension: 2\ngravity: [0, 0]\nheld: {F: 0, n: 0}\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1}]\n"
    "joints: [{name: s, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}]\n"
    "forces: [{type: force, body: a, at: [0, 0], force: ['=F', 0]}]\n"
    "events: [{every: 0.1, set: {F: '=1 - s.distance + n'}}, {at: 0.3, set: {n: 1}}]\nsimulate: {until: 0.5}\n";
static const char bushing[] = "dimension: 3\nbodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\n"
                              "forces: [{type: bushing, body_b: a, at: [0, 0, 0], axis: [1, 1, 0], reference: [0, 0, 1], stiffness: 100,\n"
                              "          rotational_stiffness: 10}]\n";

static const char steps[] = /* bodies at rest, one of them in a mechanism: any step shows the same */
    "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}\n"
    "  - {name: b, disc: {center: [2, 0.0999], radius: 0.1}, mass: 1}\n"
    "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0, 0]}]\n"
    "contacts:\n  - {between: [ground, a], friction: 0.3, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {point: {at: [1, 0]}}]}\n"
    "  - {between: [ground, b], friction: 0.3, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {sphere: {at: [2, 0.0999], radius: 0.1}}]}\n"
    "simulate: {contact: stepping}\n";
static const char screw[] = "bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}]\ngravity: [1, 0, 0]\n"
                            "joints: [{name: c, type: cylindrical, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}]\n"
                            "forces: [{type: joint_friction, joint: c, coefficient: 0.05, radius: 0.1, velocity: 0.01, viscous: 0.1}]\n";

static const char soft[] =
    "dimension: 2\ngravity: [0, -10]\nbodies: [{name: a, disc: {center: [0, 0.11], radius: 0.1}, mass: 1}]\n"
    "contacts: [{between: [ground, a], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {disc: {at: [0, 0.11], radius: "
    "0.1}}], law: hunt_crossley, stiffness: 1e6}]\n";

static const char guide[] = "dimension: 2\ngravity: [0, -10]\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1}]\n"
                            "joints: [{name: g, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}]\n"
                            "forces: [{type: joint_friction, joint: g, coefficient: 0.3, static: 0.4, stick: true}]\n"
                            "initial: {g.rate: 1}\n";

static const char skid[] =
    "gravity: [0, 0, -10]\nbodies: [{name: a, sphere: {center: [0, 0, 0.1], radius: 0.1}, mass: 1}]\n"
    "contacts: [{between: [ground, a], shapes: [{plane: {at: [0, 0, 0], normal: [0, 0, 1]}}, {sphere: {at: [0, 0, 0.1], "
    "radius: 0.1}}], friction: 0.2}]\ninitial: {a: {velocity: [1, 0.5, 0]}}\n";

static const char wheel[] = "dimension: 2\ngravity: [0, -10]\nbodies: [{name: a, disc: {center: [0, 0.1], radius: 0.1}, mass: 1}]\n"
                            "joints: [{name: r, type: rolling, bodies: [ground, a], disc: 0.1, through: [0, 0]}]\n"
                            "initial: {a: {velocity: [1, 0]}}\n";

static const char crossed[] =
    "gravity: [0, 0, -10]\nbodies: [{name: a, rod: {from: [-0.5, 0, 0.25], to: [0.5, 0, 0.25]}, mass: 1}]\n"
    "contacts: [{between: [ground, a], shapes: [{capsule: {from: [0, -1, 0], to: [0, 1, 0], radius: 0.1}}, {capsule: "
    "{from: [-0.5, 0, 0.25], to: [0.5, 0, 0.25], radius: 0.1}}], restitution: 0.5}]\n";

static const limit_case cases[] = {
    {.name = "stepper moved by its crank", .text = linkage, .ask = ask_stepper, .how = &(const bl_override){"A.angle", 0.9}},
    {.name = "stepper with a crank that follows an input", .text = driven, .ask = ask_driven},
    {.name = "run with periodic events", .text = sampled, .ask = ask_short_run},
    {.name = "run of a bushing", .text = bushing, .ask = ask_short_run},
    {.name = "run of a delayed controller", .scene = "sampled_pd", .ask = ask_short_run},
    {.name = "run of a screw with friction", .text = screw, .ask = ask_short_run},
    {.name = "run of a contact that yields", .text = soft, .ask = ask_short_run},
    {.name = "run of contacts by time steps", .text = steps, .ask = ask_short_run},
    {.name = "run of a guide that sticks", .text = guide, .ask = ask_short_run},
    {.name = "run of a ball that skids", .text = skid, .ask = ask_short_run},
    {.name = "run of a wheel", .text = wheel, .ask = ask_short_run},
    {.name = "run of crossed capsules", .text = crossed, .ask = ask_short_run},
    {.name = "run of planetary_gearbox", .scene = "planetary_gearbox", .ask = ask_short_run},
};

limit_cases limit_cases_live(void) { return LIMIT_CASES(cases); }

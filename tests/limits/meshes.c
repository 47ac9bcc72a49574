/* Meshed bodies and fields: small and large strains, plasticity, heat, supports, bars, masses, dynamics. An answer: how the study ends,
 * displacements, stresses and every other field of the samples. */
#include "limits/limits.h"

#include "biela/equilibrium.h"
#include "biela/fields.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct kept {
    answer *to;
    double within;
    bl_run_info info;
    long samples;
    bool last;    /* keep only the last sample: increments are not an answer */
    size_t begun; /* answers before the first one */
} kept;

static bl_status begin(void *user, const bl_run_info *info) {
    ((kept *)user)->info = *info;
    return BL_OK;
}

static bl_status keep(void *user, const bl_sample *sample) {
    kept *k = user;
    if (k->samples++ == 0)
        k->begun = answer_count(k->to);
    if (k->last)
        answer_take_back(k->to, k->begun);
    for (bl_index f = 0; f < k->info.nfield; f++) {
        const bl_field *field = &k->info.field[f];
        double largest = DBL_MIN;
        bl_index n = field->items * field->components;
        for (bl_index i = 0; i < n; i++)
            largest = fmax(largest, fabs(sample->field[f][i]));
        for (bl_index i = 0; i < n; i += 1 + n / 24) /* every field, not every number */
            answer_near(k->to, field->name, sample->field[f][i], k->within * largest);
    }
    return BL_OK;
}

/* An equilibrium, or the end of a path with its critical points. Increments of plastic strain are integrated: their number shows. */
static void ask_rest(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    const bl_equilibrium_options *o = how;
    kept k = {.to = a, .within = o->increments > 0 ? 1e-3 : 1e-6, .last = true};
    bl_sink sink = {.user = &k, .begin = begin, .sample = keep, .want = BL_WANT_FIELDS};
    bl_equilibrium_summary found = {0};
    bl_status status = bl_equilibrium(ctx, model, o, &sink, 1, NULL, &found);
    answer_status(a, ctx, status);
    answer_exact(a, "unstable", found.unstable);
    answer_exact(a, "critical points", found.npoint);
    for (bl_index i = 0; i < found.npoint && i < BL_MOST_CRITICAL; i++)
        answer_near(a, "critical load", found.point[i].t, 1e-5 * fmax(fabs(found.point[i].t), 1));
    if (status == BL_OK)
        answer_near(a, "last load", found.t, 1e-9 * fmax(fabs(found.t), 1));
    else /* how close to a limit point increments come depends on their halvings */
        answer_take_back(a, k.begun), answer_exact(a, "fails", status);
}

static void ask_run(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_run_options o = *(const bl_run_options *)how;
    kept k = {.to = a, .within = o.step > 0 ? 1e-6 : o.tolerance > 0 ? 100 * o.tolerance : 0.1}; /* of default steps as they are */
    bl_sink sink = {.user = &k, .begin = begin, .sample = keep, .want = BL_WANT_FIELDS};
    bl_status status = bl_simulate(ctx, model, &o, &sink, 1, NULL);
    answer_status(a, ctx, status);
    answer_exact(a, "samples", (double)k.samples);
}

/* ---- models */

#define PLATE(more) "mesh: {rectangle: {to: [2, 1], n: [4, 2]}, element: quad4" more "}"

static const char plane_stress[] =
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3}}\n"
    "bodies: [{name: b, " PLATE(", distort: [0.2, 3]") ", material: m, plane: stress}]\n"
                                                       "supports: [{set: left, all: 0}]\nloads: [{set: right, force: [1, 0.3]}]\n";
static const char plane_plastic[] =
    "dimension: 2\nmaterials: {m: {type: plastic, E: 1000, nu: 0.3, yield: 2, hardening: 50}}\n"
    "bodies: [{name: b, " PLATE("") ", material: m, plane: stress}]\n"
                                    "supports: [{set: left, all: 0}]\nloads: [{set: right, force: ['=2.4*t', 0]}]\n";
static const char plane_rubber[] =
    "dimension: 2\nmaterials: {m: {type: neo_hookean, E: 1000, nu: 0.3}}\n"
    "bodies: [{name: b, " PLATE("") ", material: m, plane: stress, strain: left}]\n"
                                    "supports: [{set: left, all: 0}]\nloads: [{set: right, force: ['=600*t', '=20*t']}]\n";
static const char large_plastic[] =
    "dimension: 2\nmaterials: {m: {type: multiplicative_plastic, E: 1000, nu: 0.3, yield: 10, hardening: 200}}\n"
    "bodies: [{name: b, " PLATE("") ", material: m, plane: strain, strain: left}]\n"
                                    "supports: [{set: left, all: 0}, {set: right, x: '=0.4*t'}]\n";
static const char ring[] =
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.499}}\n"
    "bodies: [{name: b, mesh: {rectangle: {from: [0, 0], to: [2, 1], n: [4, 2]}, element: quad8}, material: m, plane: axisymmetric}]\n"
    "supports: [{set: left, x: 0}, {set: bottom, y: 0}]\nloads: [{set: right, normal: -3}]\n";
static const char solid[] = "dimension: 3\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
                            "bodies: [{name: b, mesh: {box: {to: [2, 1, 1], n: [2, 1, 1]}, element: hexa20}, material: m}]\n"
                            "supports: [{set: left, all: 0}]\nloads: [{set: right, force: [1, 2, 3]}]\n";
static const char loose[] = "dimension: 3\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
                            "bodies: [{name: b, mesh: {box: {to: [2, 1, 1], n: [2, 1, 1]}, element: hexa8}, material: m}]\n"
                            "loads: [{set: right, force: [1, 2, 3]}]\n";
static const char arch[] = /* two inclined bars that snap through */
    "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1000, nu: 0.3}}\n"
    "bodies: [{name: b, mesh: {nodes: [[-1, 0], [0, 0.5], [1, 0]], elements: [[1, 2], [2, 3]], element: segment2},\n"
    "          material: m, area: 2, strain: green}]\n"
    "supports: [{node: 1, all: 0}, {node: 3, all: 0}]\nloads: [{node: 2, force: [0, =-t]}]\n";
static const char cable[] = "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1000, nu: 0.3}}\n"
                            "bodies: [{name: b, mesh: {segment: {from: [-1, 0], to: [1, 0], n: 2}, element: segment2}, material: m,\n"
                            "          area: 2, strain: green}]\n"
                            "supports: [{set: left, all: 0}, {set: right, all: 0}]\nloads: [{node: 2, force: [0, -10]}]\n"
                            "initial: {b: {displacement: [0, '=-0.1*(1 - x^2)']}}\n";
static const char heat[] =
    "dimension: 2\nmaterials: {c: {type: conducting, conductivity: 2, density: 1, specific_heat: 1}}\n"
    "fields: [{name: T, mesh: {rectangle: {to: [2, 1], n: [4, 2]}, element: quad4}, material: c, equation: diffusion}]\n"
    "supports: [{set: left, value: 1}]\nsimulate: {until: 1}\n";
static const char moving[] =
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
    "bodies: [{name: b, " PLATE("") ", material: m, plane: stress}]\nsupports: [{set: left, all: 0}]\n"
                                    "loads: [{set: right, force: [0, 1]}]\nmasses: [{set: right, mass: 1, offset: [0.5, 0]}]\n";
static const char moving_lumped[] =
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
    "bodies: [{name: b, " PLATE("") ", material: m, plane: stress, mass: lumped}]\nsupports: [{set: left, all: 0}]\n"
                                    "loads: [{set: right, force: [0, '=1 - cos(5*t)']}]\n";

static const char sector[] =
    "dimension: 3\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
    "bodies: [{name: b, mesh: {cylinder_sector: {inner: 1, outer: 2, height: 1, angle: '=pi/2', n: [1, 2, 1]}, "
    "element: hexa8}, material: m}]\n"
    "supports: [{set: back, all: 0}]\nloads: [{at: [2, 0, 1], force: [0, 0, -1]}]\nmasses: [{set: front, mass: 1, offset: [0, 0, 1]}]\n";
static const char truss[] = "dimension: 2\nmaterials: {m: {type: elastic, E: 1000}}\n"
                            "bodies: [{name: b, mesh: {nodes: [[0, 0], [1, 0], [0.5, 0.8]], elements: [[1, 2], [2, 3], [3, 1]], element: "
                            "segment2}, material: m, area: 1}]\n"
                            "supports: [{node: 1, all: 0}, {node: 2, y: 0}]\nloads: [{node: 3, force: [1, -2]}]\n";
static const char warm[] =
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, expansion: 1e-3},\n"
    "            c: {type: conducting, conductivity: 2, density: 1}}\n"
    "bodies: [{name: b, " PLATE(
        "") ", material: m, plane: stress}]\n"
            "fields: [{name: T, " PLATE(
                "") ", material: c}]\n"
                    "supports: [{body: b, set: left, all: 0}, {field: T, set: left, value: 0}, {field: T, set: right, value: 10}]\n"
                    "loads: [{body: b, temperature: {field: T}}]\n";
static const char pushed[] = "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
                             "bodies: [{name: b, " PLATE("") ", material: m, plane: stress}]\n"
                                                             "supports: [{set: left, x: '=t < 0.05 ? t : 0.05', y: 0}]\n";

#define WIDE "mesh: {rectangle: {to: [4, 2], n: [20, 8]}, element: quad4}"
static const char wide[] = "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3}}\n"
                           "bodies: [{name: b, " WIDE ", material: m, plane: stress}]\n"
                           "supports: [{set: left, all: 0}]\nloads: [{at: [4, 2], force: [1, 0.3]}]\n";
static const char wide_large[] = "dimension: 2\nmaterials: {m: {type: neo_hookean, E: 1000, nu: 0.3}}\n"
                                 "bodies: [{name: b, " WIDE ", material: m, plane: strain, strain: left}]\n"
                                 "supports: [{set: left, all: 0}]\nloads: [{set: right, force: [0, '=3*t']}]\n";

#define REST(...) \
    .ask = ask_rest, .how = &(const bl_equilibrium_options) { __VA_ARGS__ }
#define RUN(...) \
    .ask = ask_run, .how = &(const bl_run_options) { __VA_ARGS__ }

static const limit_case cases[] = {
    {.name = "mesh, plane stress", .text = plane_stress, REST(.plain = true)},
    {.name = "mesh, plane stress, cg", .text = plane_stress, REST(.linsol = "cg")},
    {.name = "mesh, plane stress, cg to rounding", .text = plane_stress, REST(.linsol = "cg:tolerance=1e-16")},
    {.name = "mesh, plasticity", .text = plane_plastic, REST(.from = 0, .until = 1, .increments = 20)},
    {.name = "mesh, rubber", .text = plane_rubber, REST(.from = 1)},
    {.name = "mesh, large plastic strains", .text = large_plastic, REST(.from = 0, .until = 1, .increments = 8)},
    {.name = "mesh, axisymmetric", .text = ring, REST(.plain = true)},
    {.name = "mesh, solid", .text = solid, REST(.plain = true)},
    {.name = "mesh, not supported", .text = loose, REST(.plain = true)},
    {.name = "mesh, arch", .text = arch, REST(.from = 0, .until = 100, .arc_length = true)},
    {.name = "mesh, cable", .text = cable, REST(.plain = true)},
    {.name = "mesh, heat", .text = heat, RUN(.integrator = "bdf:2", .step = 0.05, .until = 1, .every = 0.5)},
    {.name = "mesh, heat, adaptive", .text = heat, RUN(.integrator = "ndf_auto", .tolerance = 1e-4, .until = 1, .every = 0.5)},
    {.name = "mesh, heat at rest", .text = heat, REST(.plain = true)},
    {.name = "mesh, motion", .text = moving, RUN(.integrator = "trapezoidal", .step = 0.01, .until = 0.2, .every = 0.1)},
    {.name = "mesh, arch without arc length", .text = arch, REST(.from = 0, .until = 100)},
    {.name = "mesh, sector", .text = sector, REST(.plain = true)},
    {.name = "mesh, sector, minres", .text = sector, REST(.linsol = "minres")},
    {.name = "mesh, sector, ic", .text = sector, REST(.linsol = "cg:preconditioner=ic,block=3")},
    {.name = "mesh, truss", .text = truss, REST(.plain = true)},
    {.name = "mesh, warm", .text = warm, REST(.plain = true)},
    {.name = "mesh, pushed", .text = pushed, RUN(.integrator = "hht", .step = 0.01, .until = 0.1, .every = 0.1)},
    {.name = "mesh, free of a matrix",
     .text = moving_lumped,
     RUN(.integrator = "trapezoidal", .linsol = "cg:matrix=free", .step = 0.01, .until = 0.05, .every = 0.05)},
    {.name = "mesh, wide", .text = wide, REST(.plain = true)},
    {.name = "mesh, wide, minres", .text = wide, REST(.linsol = "minres")},
    {.name = "mesh, wide, cg", .text = wide, REST(.linsol = "cg:preconditioner=ic")},
    {.name = "mesh, wide, large strains", .text = wide_large, REST(.from = 0, .until = 1), .is_long = true},
    {.name = "mesh, wide, large strains, cg", .text = wide_large, REST(.from = 0, .until = 1, .linsol = "cg"), .is_long = true},
    {.name = "mesh, explicit", .text = moving_lumped, RUN(.integrator = "central", .until = 0.5, .every = 0.5)},
    {.name = "mesh, stiff", .text = moving, RUN(.integrator = "radau", .tolerance = 1e-4, .until = 0.1, .every = 0.1)},
};

limit_cases limit_cases_meshes(void) { return LIMIT_CASES(cases); }

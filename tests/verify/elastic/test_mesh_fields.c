/* Fields of meshed and reduced bodies in mechanisms: rigid motions, bars under forces in closed form, solids against their reductions,
 * nodes of interfaces, the same in every kind of coordinates, the user's choice, failing allocations. */
#include "biela/equilibrium.h"
#include "biela/samples.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};

static void expect(const char *what, double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s: %.12g, expected %.12g within %.2g", what, a, b, tolerance);
}

/* ---- runs and equilibria with their fields */

typedef struct outcome {
    bl_context *ctx;
    bl_model *model;
    bl_samples *samples;
    const bl_sample_arrays *a;
} outcome;

static bl_status try_run(outcome *r, const char *text, const bl_run_options *options) {
    bl_sink sink = {0};
    *r = (outcome){.ctx = test_context(NULL)};
    bl_status status = bl_model_read_text(r->ctx, "fields.yaml", text, strlen(text), NULL, 0, &r->model);
    if (status == BL_OK)
        status = bl_samples_create(r->ctx, BL_WANT_ALL, &r->samples, &sink);
    if (status == BL_OK)
        status =
            options ? bl_simulate(r->ctx, r->model, options, &sink, 1, NULL) : bl_equilibrium(r->ctx, r->model, NULL, &sink, 1, NULL, NULL);
    r->a = r->samples ? bl_samples_arrays(r->samples) : NULL;
    return status;
}

/* options NULL: the equilibrium */
static outcome run(const char *text, const bl_run_options *options) {
    outcome r;
    if (try_run(&r, text, options) != BL_OK)
        fail_msg("%s (%s)\n%s", bl_context_error(r.ctx)->what, bl_context_error(r.ctx)->advice, text);
    return r;
}

static void end(outcome *r) {
    bl_samples_destroy(r->samples);
    bl_model_destroy(r->model);
    test_context_end(r->ctx);
}

/* values of a field of the first mesh in a sample */
static const double *field(const outcome *r, const char *name, long sample, const bl_field **about) {
    const bl_field *list = r->a->info->field;
    for (bl_index i = 0; i < r->a->info->nfield; i++)
        if (list[i].mesh == 0 && strcmp(list[i].name, name) == 0) {
            if (about)
                *about = &list[i];
            return r->a->field[i] + (size_t)sample * (size_t)list[i].items * (size_t)list[i].components;
        }
    fail_msg("there is no field %s", name);
    return NULL;
}

static const bl_run_mesh *mesh_of(const outcome *r) { return &r->a->info->mesh[0]; }

static double largest(const outcome *r, const char *name, long sample) {
    const bl_field *about = NULL;
    const double *value = field(r, name, sample, &about);
    double most = 0;
    for (bl_index i = 0; i < about->items * about->components; i++)
        most = fmax(most, fabs(value[i]));
    return most;
}

/* ---- rigid motions */

/* A free mesh that starts turned by 90 degrees about its center, spinning and moving. */
static void turned_mesh__has_displacements_and_no_stress(void **unused) {
    (void)unused;
    static const char *const model[] = {
        "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1e6, nu: 0.3, density: 1}}\n"
        "bodies: [{name: b, mesh: {rectangle: {from: [1, 0], to: [3, 1], n: [3, 2]}, element: quad8}, material: m, plane: stress,"
        " interfaces: [{name: end, set: left}]}]\n"
        "initial: {b: {orientation: 1.5707963267948966, velocity: [0.5, 0], angular_velocity: 2}}\n",
        "materials: {m: {type: st_venant_kirchhoff, E: 1e6, nu: 0.3, density: 1}}\n"
        "bodies: [{name: b, mesh: {box: {from: [1, 0, 0], to: [3, 1, 1], n: [2, 1, 1]}, element: hexa20}, material: m,"
        " interfaces: [{name: end, set: left, kind: average}]}]\n"
        "initial: {b: {orientation: [0, 0, 1.5707963267948966], velocity: [0.5, 0, 0], angular_velocity: [0, 0, 2]}}\n"};
    for (int space = 0; space < 2; space++)
        for (int kind = 0; kind < 4; kind++) {
            outcome r = run(model[space], &(bl_run_options){.until = 1e-6, .coordinates = kinds[kind]});
            const double *u = field(&r, "displacement", 0, NULL), *v = field(&r, "velocity", 0, NULL);
            for (bl_index i = 0; i < mesh_of(&r)->nnode; i++, u += 3, v += 3) {
                double x = mesh_of(&r)->x[i][0] - 2, y = mesh_of(&r)->x[i][1] - 0.5; /* to (-y, x) */
                const double moved[3] = {-y - x, x - y, 0}, rate[3] = {0.5 - 2 * x, -2 * y, 0};
                for (int k = 0; k < 3; k++) {
                    expect("the displacement", u[k], moved[k], 1e-12);
                    expect("the velocity", v[k], rate[k], 1e-11);
                }
            }
            expect("the stress", largest(&r, "stress", 0), 0, 1e6 * 1e-12);
            expect("the equivalent stress", largest(&r, "element_von_mises", 0), 0, 1e6 * 1e-12);
            end(&r);
        }
}

/* ---- a bar, clamped to a hub that is turned, and pulled along its axis: F/A in the middle, in global axes */

#define MESHED "m: {type: st_venant_kirchhoff, E: 1e6, nu: 0.3, density: 1}"
#define SMALL "m: {type: elastic, E: 1e6, nu: 0.3, density: 1}"

static void write_bar(char *text, size_t room, int dim, const char *material, const char *floating, double angle, const char *force) {
    const char *z = dim == 3 ? ", 0" : "";
    const char *mesh = dim == 2 ? "rectangle: {from: [1, -0.1], to: [3, 0.1], n: [20, 2]}, element: quad8"
                                : "box: {from: [1, -0.1, -0.1], to: [3, 0.1, 0.1], n: [10, 2, 2]}, element: hexa20";
    snprintf(text, room,
             "dimension: %d\nmaterials: {%s}\nbodies:\n"
             "  - {name: hub, mass: 1, rod: {from: [0, 0%s], to: [1, 0%s]}}\n"
             "  - {name: bar, mesh: {%s}, material: m%s%s, interfaces: [{name: root, set: left}, {name: tip, set: right}]}\n"
             "joints:\n  - {name: O, type: revolute, bodies: [ground, hub], at: [0, 0%s]%s}\n"
             "  - {name: clamp, type: fixed, bodies: [hub, bar.root], at: [1, 0%s]}\n"
             "drivers: [{variable: O.angle, value: %g}]\n"
             "forces: [{type: force, body: bar.tip, at: [3, 0%s], force: %s}]\n",
             dim, material, z, z, mesh, dim == 2 ? ", plane: stress" : "", floating, z, dim == 3 ? ", axis: [0, 0, 1]" : "", z, angle, z,
             force);
}

/* stress at the node nearest to the middle of the bar */
static const double *in_the_middle(const outcome *r) {
    const double *stress = field(r, "stress", 0, NULL);
    int components = mesh_of(r)->dim == 2 ? 4 : 6;
    double best = INFINITY;
    bl_index at = 0;
    for (bl_index i = 0; i < mesh_of(r)->nnode; i++) {
        const double *x = mesh_of(r)->x[i];
        double away = fabs(x[0] - 2) + fabs(x[1]) + fabs(x[2]);
        if (away < best) {
            best = away;
            at = i;
        }
    }
    return stress + at * components;
}

static void bar__has_force_over_area_along_its_axis(void **unused) {
    (void)unused;
    char text[2048], force[96];
    for (int dim = 2; dim < 4; dim++)
        for (int how = 0; how < 3; how++) {
            double F = 10, area = dim == 2 ? 0.2 : 0.04, s = F / area, c = cos(0.7), n = sin(0.7);
            snprintf(force, sizeof force, dim == 2 ? "[%.15g, %.15g]" : "[%.15g, %.15g, 0]", F * c, F * n);
            write_bar(text, sizeof text, dim, how == 2 ? SMALL : MESHED, how ? ", coordinates: floating, modes: 2" : "", 0.7, force);
            outcome r = run(text, NULL);
            const double *stress = in_the_middle(&r);
            expect("s11", stress[0], s * c * c, 0.01 * s);
            expect("s22", stress[1], s * n * n, 0.01 * s);
            expect("s33", stress[2], 0, 0.01 * s);
            expect("s12", stress[3], s * n * c, 0.01 * s);
            end(&r);
        }
}

/* The same bar bent and pulled so little that large and small strains agree: a solid against its reductions, whose static response to
 * loads at interfaces is exact. It bends by 8e-6 m; strains of 3e-6 and rotations of 6e-6 bound the differences, relative to the largest
 * value. */
static void solids__have_the_fields_of_their_reductions(void **unused) {
    (void)unused;
    static const char *const names[] = {"displacement", "stress", "von_mises", "element_stress", "element_von_mises"};
    char text[2048];
    for (int dim = 2; dim < 4; dim++) {
        const char *force = dim == 2 ? "[1e-3, 2e-3]" : "[1e-3, 2e-4, 1e-4]";
        write_bar(text, sizeof text, dim, MESHED, "", 0.7, force);
        outcome solid = run(text, NULL);
        for (int how = 0; how < 3; how++) {
            static const char *const floating[] = {", coordinates: floating, modes: 0", ", coordinates: floating, modes: 2",
                                                   ", coordinates: floating, modes: 2, stiffening: linear"};
            write_bar(text, sizeof text, dim, how == 1 ? MESHED : SMALL, floating[how], 0.7, force);
            outcome reduced = run(text, NULL);
            assert_int_equal(reduced.a->info->nfield, solid.a->info->nfield);
            for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
                const bl_field *about = NULL;
                const double *a = field(&solid, names[n], 0, &about), *b = field(&reduced, names[n], 0, NULL);
                double size = largest(&solid, names[n], 0);
                double within = n == 0 ? 1e-10 : 2e-5 * size; /* positions of about 1 m to 1e-10, which equilibria are found to */
                assert_true(size > 0);
                for (bl_index i = 0; i < about->items * about->components; i++)
                    expect(names[n], b[i], a[i], within);
            }
            end(&reduced);
        }
        end(&solid);
    }
}

/* ---- bodies that bend by much more than they are stretched: with stiffening, stresses follow from what stores energy. A cantilever bent
 * by w has the apparent mean strain -0.6 (w/L)^2 between its ends; there is no axial force to go with it. */
static void stiffened_body__has_no_axial_stress_without_force(void **unused) {
    (void)unused;
    char text[2048];
    write_bar(text, sizeof text, 2, SMALL, ", coordinates: floating, modes: 2, stiffening: linear", 0, "[0, 9]");
    outcome r = run(text, NULL);
    const double *stress = field(&r, "element_stress", 0, NULL);
    double sum = 0, w = 0;
    for (bl_index e = 0; e < mesh_of(&r)->ncell; e++)
        sum += stress[4 * e] / mesh_of(&r)->ncell; /* elements of equal size: the mean normal force, as if along the first axis */
    for (bl_index i = 0; i < mesh_of(&r)->nnode; i++)
        w = fmax(w, field(&r, "displacement", 0, NULL)[3 * i + 1]);
    expect("the deflection F L^3/3 E I", w, 9.0 * 8 / (3 * 1e6 * 0.008 / 12), 0.02 * w);
    /* the normal force is the share of 9 N along the bent bar, at most 9 sin(1.5 w/L), and its mean stress */
    double allowed = 9 / 0.2 * 1.5 * w / 2, apparent = 1e6 * 0.6 * (w / 2) * (w / 2);
    assert_true(apparent > 4 * allowed);
    expect("the mean axial stress", sum, 0, 1.2 * allowed);
    end(&r);
}

/* ---- motions */

static const char crank[] =
    "dimension: 2\nmaterials: {%s}\nbodies:\n"
    "  - {name: crank, rod: {from: [0, 0], to: [0.1, 0]}, mass: 0.1}\n"
    "  - {name: rod, mesh: {rectangle: {from: [0.1, -0.017], to: [0.6, 0.017], n: [10, 2]}, element: quad8}, plane: stress, material: m%s,"
    " interfaces: [{name: a, set: left}, {name: b, set: right}]}\n"
    "  - {name: slider, mass: 0.25, center: [0.6, 0], inertia: 0.001}\njoints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod.a], at: [0.1, 0]}\n"
    "  - {name: C, type: revolute, bodies: [rod.b, slider], at: [0.6, 0]}\n"
    "  - {name: D, type: prismatic, bodies: [ground, slider], at: [0.6, 0], axis: [1, 0]}\n"
    "drivers: [{variable: A.angle, value: =20*t}]\n";
#define STIFF "m: {type: %s, E: 5.8e6, nu: 0.04, density: 14.4}"

static bl_index body_named(const outcome *r, const char *name) {
    for (bl_index b = 0; b < r->a->info->nbody; b++)
        if (strcmp(r->a->info->body[b], name) == 0)
            return b;
    fail_msg("there is no body %s", name);
    return -1;
}

/* the node at a place of the model configuration */
static bl_index node_at(const outcome *r, double x, double y) {
    for (bl_index i = 0; i < mesh_of(r)->nnode; i++)
        if (fabs(mesh_of(r)->x[i][0] - x) + fabs(mesh_of(r)->x[i][1] - y) < 1e-9)
            return i;
    fail_msg("there is no node at (%g, %g)", x, y);
    return -1;
}

static void nodes_of_interfaces__move_with_their_frames(void **unused) {
    (void)unused;
    char text[2048], material[128];
    for (int reduced = 0; reduced < 2; reduced++)
        for (int kind = 0; kind < 4; kind++) {
            snprintf(material, sizeof material, STIFF, reduced ? "elastic" : "st_venant_kirchhoff");
            snprintf(text, sizeof text, crank, material, reduced ? ", coordinates: floating, modes: 2, stiffening: linear" : "");
            outcome r = run(text, &(bl_run_options){.until = 0.1, .every = 0.02, .coordinates = kinds[kind], .tolerance = 1e-4});
            bl_index frame[2] = {body_named(&r, "rod.a"), body_named(&r, "rod.b")};
            for (long s = 0; s < r.a->samples; s++)
                for (int e = 0; e < 2; e++) {
                    const bl_pose *pose = &r.a->body[(size_t)s * (size_t)r.a->info->nbody + (size_t)frame[e]];
                    double from = e ? 0.6 : 0.1, c = 2 * pose->quaternion[0] * pose->quaternion[0] - 1,
                           n = 2 * pose->quaternion[0] * pose->quaternion[3];
                    for (int up = 0; up < 2; up++) {
                        bl_index node = node_at(&r, from, up * 0.017);
                        const double *u = field(&r, "displacement", s, NULL) + 3 * node, *v = field(&r, "velocity", s, NULL) + 3 * node;
                        double arm = up * 0.017, w = pose->angular_velocity[2];
                        /* the second frame of a reduced body turns by a rotation that the shapes take as small, about 0.02 */
                        double within = reduced && e && up ? 0.017 * 1e-3 : 1e-10;
                        expect("x", from + u[0], pose->position[0] - n * arm, within);
                        expect("y", arm + u[1], pose->position[1] + c * arm, within);
                        expect("vx", v[0], pose->velocity[0] - w * c * arm, 1e3 * within);
                        expect("vy", v[1], pose->velocity[1] - w * n * arm, 1e3 * within);
                    }
                }
            end(&r);
        }
}

/* ---- choice, studies, memory */

static void chosen_fields__are_those_of_all(void **unused) {
    (void)unused;
    char text[2048];
    outcome r;
    snprintf(text, sizeof text, crank, MESHED, ", coordinates: floating, modes: 2");
    outcome all = run(text, &(bl_run_options){.until = 0.02, .every = 0.01, .tolerance = 1e-3}),
            some = run(text, &(bl_run_options){.until = 0.02, .every = 0.01, .tolerance = 1e-3, .fields = "von_mises"});
    assert_int_equal(all.a->info->nfield, 6);
    assert_int_equal(some.a->info->nfield, 1);
    const bl_field *about = NULL;
    const double *a = field(&all, "von_mises", 2, &about), *b = field(&some, "von_mises", 2, NULL);
    for (bl_index i = 0; i < about->items; i++)
        assert_true(a[i] == b[i]);
    end(&all);
    end(&some);
    assert_int_equal(try_run(&r, text, &(bl_run_options){.until = 0.02, .fields = "reaction"}), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(r.ctx)->what, "there is no field 'reaction'"));
    end(&r);
    some = run(text, &(bl_run_options){.until = 0.02, .tolerance = 1e-3, .fields = "none"});
    assert_int_equal(some.a->info->nfield, 0);
    end(&some);
}

/* a path of equilibria over a number that changes the mesh: every member of the family has fields */
static void paths_over_dimensions__have_fields(void **unused) {
    (void)unused;
    static const char text[] =
        "dimension: 2\nparameters: {height: 0.2}\nmaterials: {" MESHED "}\nbodies:\n"
        "  - {name: bar, mesh: {rectangle: {from: [0, =-height/2], to: [2, =height/2], n: [10, 2]}, element: quad8}, material: m,"
        " plane: stress, interfaces: [{name: root, set: left}, {name: tip, set: right}]}\n"
        "joints: [{name: clamp, type: fixed, bodies: [ground, bar.root], at: [0, 0]}]\n"
        "forces: [{type: force, body: bar.tip, at: [2, 0], force: [10, 0]}]\n";
    bl_sink sink = {0};
    outcome r = {.ctx = test_context(NULL)};
    assert_int_equal(bl_model_read_text(r.ctx, "fields.yaml", text, strlen(text), NULL, 0, &r.model), BL_OK);
    assert_int_equal(bl_samples_create(r.ctx, BL_WANT_ALL, &r.samples, &sink), BL_OK);
    bl_equilibrium_options options = {.parameter = "height", .from = 0.2, .until = 0.3, .increments = 2, .fields = "stress"};
    if (bl_equilibrium(r.ctx, r.model, &options, &sink, 1, NULL, NULL) != BL_OK)
        fail_msg("%s", bl_context_error(r.ctx)->what);
    r.a = bl_samples_arrays(r.samples);
    assert_true(r.a->samples > 2);
    bl_index node = node_at(&r, 1, 0);
    for (long s = 0; s < r.a->samples; s++)
        expect("F/A", field(&r, "stress", s, NULL)[4 * node], 10 / r.a->t[s], 0.01 * 10 / r.a->t[s]);
    end(&r);
}

static bl_status simulate_once(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_samples *samples = NULL;
    bl_sink sink = {0};
    const char *text = user;
    bl_status status = bl_model_read_text(ctx, "fields.yaml", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_samples_create(ctx, BL_WANT_ALL, &samples, &sink);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &(bl_run_options){.until = 1e-9, .integrator = "trbdf2", .formulation = "ggl"}, &sink, 1, NULL);
    bl_samples_destroy(samples);
    bl_model_destroy(model);
    return status;
}

static void every_failed_allocation__is_reported(void **unused) {
    (void)unused;
    char text[1024];
    for (int reduced = 0; reduced < 2; reduced++) {
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1e6, nu: 0.3, density: 1}}\n"
                 "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [2, 1]}, element: quad4}, material: m, plane: stress%s,"
                 " interfaces: [{name: left, set: left}]}]\n"
                 "joints: [{name: j, type: revolute, bodies: [ground, b.left], at: [0, 0.5]}]\n",
                 reduced ? ", coordinates: floating, modes: 1" : "");
        assert_true(test_failing_allocations(simulate_once, text) > 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turned_mesh__has_displacements_and_no_stress), cmocka_unit_test(bar__has_force_over_area_along_its_axis),
        cmocka_unit_test(solids__have_the_fields_of_their_reductions),  cmocka_unit_test(stiffened_body__has_no_axial_stress_without_force),
        cmocka_unit_test(nodes_of_interfaces__move_with_their_frames),  cmocka_unit_test(chosen_fields__are_those_of_all),
        cmocka_unit_test(paths_over_dimensions__have_fields),           cmocka_unit_test(every_failed_allocation__is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

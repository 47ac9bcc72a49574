/* The lists of kinds of all rooms. */
#include "api/rooms.h"

#include "controller/controller.h"
#include "coords/coords.h"
#include "force/force.h"
#include "integrate/integrate.h"
#include "joint/joint.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "order/order.h"

#include <stdio.h>
#include <string.h>

/* ---- text appended to a buffer of fixed size, truncated to fit */

static void add(char *text, size_t size, const char *more) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length ? "; " : "", more);
}

/* "needs a, b" from the bits that are set */
typedef struct bit_name {
    uint32_t bit;
    const char *name;
} bit_name;

static void add_bits(char *text, size_t size, const char *head, uint32_t bits, const bit_name *names, size_t count) {
    char line[BL_FACTS_BYTES] = "";
    for (size_t i = 0; i < count; i++)
        if (bits & names[i].bit) {
            size_t length = strlen(line);
            snprintf(line + length, sizeof line - length, "%s%s", length ? ", " : head, names[i].name);
        }
    if (line[0])
        add(text, size, line);
}

/* ---- rooms */

static size_t joint_count(void) { return bl_joint_kind_count; }
static const bl_kind *joint_kind(size_t i) { return &bl_joint_kinds[i]->kind; }
static void joint_facts(size_t i, char facts[BL_FACTS_BYTES]) {
    const bl_joint_kind *joint = bl_joint_kinds[i];
    char line[BL_FACTS_BYTES];
    bool plane = joint->kind.gives & BL_IN_PLANE, space = joint->kind.gives & BL_IN_SPACE;
    facts[0] = '\0';
    if (plane && space)
        snprintf(line, sizeof line, "removes %d of 3 degrees of freedom in the plane, %d of 6 in space", joint->forbids_2d,
                 joint->forbids_3d);
    else
        snprintf(line, sizeof line, "in %s only: removes %d of %d degrees of freedom", plane ? "the plane" : "space",
                 plane ? joint->forbids_2d : joint->forbids_3d, plane ? 3 : 6);
    if (joint->nbody == 0)
        snprintf(line, sizeof line, "removes %d degree of freedom", joint->forbids_3d);
    add(facts, BL_FACTS_BYTES, line);
    if (joint->slips_3d) {
        snprintf(line, sizeof line, "restricts velocities by another %d in the plane, %d in space", joint->slips_2d, joint->slips_3d);
        add(facts, BL_FACTS_BYTES, line);
    }
    for (int k = 0; joint->variables && joint->variables[k]; k++) {
        size_t length = strlen(facts);
        snprintf(facts + length, BL_FACTS_BYTES - length, "%s%s", k ? ", " : "; variables: ", joint->variables[k]);
    }
    if (joint->kind.gives & BL_RUBS)
        add(facts, BL_FACTS_BYTES, "can have dry friction from its reaction");
    if (joint->nbody == 0)
        add(facts, BL_FACTS_BYTES, "couples variables, takes no bodies");
    else if (joint->closes_only)
        add(facts, BL_FACTS_BYTES, "always a constraint equation, never a tree joint");
}

static size_t force_count(void) { return bl_force_kind_count; }
static const bl_kind *force_kind(size_t i) { return &bl_force_kinds[i]->kind; }

static size_t controller_count(void) { return bl_controller_kind_count; }
static const bl_kind *controller_kind(size_t i) { return &bl_controller_kinds[i]->kind; }
static void controller_facts(size_t i, char facts[BL_FACTS_BYTES]) {
    uint32_t gives = bl_controller_kinds[i]->kind.gives;
    snprintf(facts, BL_FACTS_BYTES, "%s", gives & BL_SAMPLED ? "continuous, or sampled with `every`" : "continuous");
    const char *const *states = bl_controller_kinds[i]->states;
    for (int k = 0; states && states[k]; k++) {
        size_t length = strlen(facts);
        snprintf(facts + length, BL_FACTS_BYTES - length, "%s%s", k ? ", " : "; states: ", states[k]);
    }
}

static size_t element_count(void) { return bl_element_kind_count; }
static const bl_kind *element_kind(size_t i) { return &bl_element_kinds[i]->kind; }
static void element_facts(size_t i, char facts[BL_FACTS_BYTES]) {
    const bl_element_kind *element = bl_element_kinds[i];
    bl_quadrature stiffness = {0}, mass = {0}, reduced = {0};
    char line[128];
    (void)bl_quadrature_of(element->shape, element->points, &stiffness);
    (void)bl_quadrature_of(element->shape, element->mass_points, &mass);
    (void)bl_quadrature_of(element->shape, element->reduced_points, &reduced);
    snprintf(facts, BL_FACTS_BYTES, "dimension %d, %d nodes, degree %d", element->dim, element->nnode, element->degree);
    if (element->dim == 1)
        add(facts, BL_FACTS_BYTES, "a bar in the plane and in space");
    snprintf(line, sizeof line, "integration points: %d, mass %d, reduced %d", (int)stiffness.n, (int)mass.n, (int)reduced.n);
    add(facts, BL_FACTS_BYTES, line);
    add(facts, BL_FACTS_BYTES, element->row_sum ? "lumped mass by row sums" : "lumped mass by scaling the diagonal");
}

static size_t generator_count(void) { return bl_generator_kind_count; }
static const bl_kind *generator_kind(size_t i) { return &bl_generator_kinds[i]->kind; }
static void generator_facts(size_t i, char facts[BL_FACTS_BYTES]) {
    char line[BL_FACTS_BYTES] = "";
    int dim = bl_generator_kinds[i]->dim;
    for (size_t k = 0; k < bl_element_kind_count; k++)
        if (bl_element_kinds[k]->dim == dim) {
            size_t length = strlen(line);
            snprintf(line + length, sizeof line - length, "%s%s", length ? ", " : "takes ", bl_element_kinds[k]->kind.name);
        }
    snprintf(facts, BL_FACTS_BYTES, "dimension %d", dim);
    add(facts, BL_FACTS_BYTES, line);
}

static size_t material_count(void) { return bl_material_kind_count; }
static const bl_kind *material_kind(size_t i) { return &bl_material_kinds[i]->kind; }
static void material_facts(size_t i, char facts[BL_FACTS_BYTES]) {
    const bl_material_kind *material = bl_material_kinds[i];
    uint32_t gives = material->kind.gives;
    char line[BL_FACTS_BYTES] = "";
    facts[0] = '\0';
    for (size_t k = 0; k < bl_strain_kind_count; k++)
        if (!bl_material_refuses(material, bl_strain_kinds[k], BL_PLANE_NONE)) {
            size_t length = strlen(line);
            snprintf(line + length, sizeof line - length, "%s%s", length ? ", " : "with strain ", bl_strain_kinds[k]->kind.name);
        }
    if (material->kind.needs & BL_OF_GRADIENT) {
        add(facts, BL_FACTS_BYTES, "for fields (temperature and the like)");
        return;
    }
    add(facts, BL_FACTS_BYTES, line);
    add(facts, BL_FACTS_BYTES,
        gives & BL_MATERIAL_NO_PLANE_STRESS                                               ? "neither plane stress nor bars"
        : (gives & BL_MATERIAL_PLANE_STRESS) && !(material->kind.needs & BL_OF_INCREMENT) ? "plane stress in closed form"
                                                                                          : "plane stress by iteration");
    if (gives & BL_MATERIAL_HISTORY)
        add(facts, BL_FACTS_BYTES, "has a history");
    if (gives & BL_MATERIAL_DILATATION)
        add(facts, BL_FACTS_BYTES, "allows averaged dilatations (bbar) with large strains");
    if (!(gives & BL_MATERIAL_ENERGY))
        add(facts, BL_FACTS_BYTES, "no stored energy");
}

static size_t strain_count(void) { return bl_strain_kind_count; }
static const bl_kind *strain_kind(size_t i) { return &bl_strain_kinds[i]->kind; }
static void strain_facts(size_t i, char facts[BL_FACTS_BYTES]) {
    const bl_strain_kind *strain = bl_strain_kinds[i];
    char line[BL_FACTS_BYTES] = "";
    for (size_t k = 0; k < bl_material_kind_count; k++)
        if (!bl_material_refuses(bl_material_kinds[k], strain, BL_PLANE_NONE)) {
            size_t length = strlen(line);
            snprintf(line + length, sizeof line - length, "%s%s", length ? ", " : "with ", bl_material_kinds[k]->kind.name);
        }
    snprintf(facts, BL_FACTS_BYTES, "%s", line);
    if (strain->nhistory > 0)
        add(facts, BL_FACTS_BYTES, "has a history");
    if (strain->kind.gives & BL_MATERIAL_UNSYMMETRIC)
        add(facts, BL_FACTS_BYTES, "unsymmetric tangent, except for bars");
}

static size_t coords_count(void) { return bl_coords_kind_count; }
static const bl_kind *coords_kind(size_t i) { return &bl_coords_kinds[i]->kind; }

static const bit_name face_names[] = {
    {BL_CAN_RATE, "rate"}, {BL_CAN_STAGE, "stage"}, {BL_CAN_COEFFICIENT, "series"}, {BL_CAN_SHIFT, "shift"}};
enum { NFACE = sizeof face_names / sizeof *face_names };

static size_t formulation_count(void) { return bl_formulation_kind_count; }
static const bl_kind *formulation_kind(size_t i) { return &bl_formulation_kinds[i]->kind; }
static void formulation_facts(size_t i, char facts[BL_FACTS_BYTES]) {
    const bl_formulation_kind *form = bl_formulation_kinds[i];
    char line[BL_FACTS_BYTES];
    snprintf(facts, BL_FACTS_BYTES, "index %d", form->index);
    add_bits(facts, BL_FACTS_BYTES, "gives ", form->kind.gives, face_names, NFACE);
    bool rate = form->kind.gives & BL_CAN_RATE, motion = form->residual != bl_rate_stage_residual;
    add(facts, BL_FACTS_BYTES,
        rate && motion ? "works with every integrator"
        : rate         ? "works with explicit integrators and implicit ones of first order"
                       : "works with implicit integrators of first and second order");
    if (form->index > 0)
        add(facts, BL_FACTS_BYTES,
            form->kind.gives & BL_COMPLIANT ? "multipliers nearly exact (compliant constraints)" : "multipliers exact");
    if (form->kind.gives & BL_TAKES_LOADS)
        add(facts, BL_FACTS_BYTES, "allows friction that depends on reactions");
    if (form->redundant) {
        snprintf(line, sizeof line, "redundant constraints: %s", form->redundant);
        add(facts, BL_FACTS_BYTES, line);
    }
    if (form->singular) {
        snprintf(line, sizeof line, "singular configurations: %s", form->singular);
        add(facts, BL_FACTS_BYTES, line);
    }
}

static size_t integrator_count(void) { return bl_integrator_kind_count; }
static const bl_kind *integrator_kind(size_t i) { return &bl_integrator_kinds[i]->kind; }
static void integrator_facts(size_t i, char facts[BL_FACTS_BYTES]) {
    const bl_integrator_kind *integ = bl_integrator_kinds[i];
    char line[64];
    snprintf(facts, BL_FACTS_BYTES, integ->kind.gives & BL_VARIABLE_ORDER ? "orders up to %d" : "order %d", integ->order);
    if (integ->kind.gives & BL_DENSE) {
        snprintf(line, sizeof line, integ->kind.gives & BL_VARIABLE_ORDER ? "dense output of orders up to %d" : "dense output of order %d",
                 integ->dense_order);
        add(facts, BL_FACTS_BYTES, line);
    }
    add(facts, BL_FACTS_BYTES, integ->kind.gives & BL_ADAPTIVE ? "adaptive step" : "fixed step");
    add_bits(facts, BL_FACTS_BYTES, "needs a formulation with ", integ->kind.needs, face_names, NFACE);
}

static size_t linsol_count(void) { return bl_linsol_kind_count; }
static const bl_kind *linsol_kind(size_t i) { return &bl_linsol_kinds[i]->kind; }
static void linsol_facts(size_t i, char facts[BL_FACTS_BYTES]) {
    static const bit_name names[] = {{BL_LINSOL_REFUSE, "refuse"}, {BL_LINSOL_DROP, "drop"}, {BL_LINSOL_MIN_NORM, "minimum norm"}};
    uint32_t gives = bl_linsol_kinds[i]->kind.gives;
    facts[0] = '\0';
    add_bits(facts, BL_FACTS_BYTES, "linearly dependent rows: ", gives, names, sizeof names / sizeof *names);
    if (gives & BL_LINSOL_TRANSPOSED)
        add(facts, BL_FACTS_BYTES, "solves transposed systems");
    uint32_t needs = bl_linsol_kinds[i]->kind.needs;
    if (needs & BL_LINSOL_SYMMETRIC) {
        char line[96];
        snprintf(line, sizeof line, "symmetric%s matrices %s", needs & BL_LINSOL_DEFINITE ? " positive definite" : "",
                 needs & BL_LINSOL_BY_DEFAULT ? "by its default method" : "only");
        add(facts, BL_FACTS_BYTES, line);
    }
    if (gives & BL_LINSOL_ITERATIVE)
        add(facts, BL_FACTS_BYTES, "iterates to a tolerance");
    if (needs & BL_LINSOL_MEMORY)
        add(facts, BL_FACTS_BYTES, "allocates in every step");
}

static size_t ordering_count(void) { return bl_order_kind_count; }
static const bl_kind *ordering_kind(size_t i) { return &bl_order_kinds[i]->kind; }
static void ordering_facts(size_t i, char facts[BL_FACTS_BYTES]) {
    static const bit_name names[] = {
        {BL_ORDER_BLOCKS, "diagonal blocks"},
        {BL_ORDER_BORDER, "border and band"},
        {BL_ORDER_BANDWIDTH, "bandwidth"},
        {BL_ORDER_NESTED, "blocks and borders in parts"},
    };
    uint32_t gives = bl_order_kinds[i]->kind.gives;
    snprintf(facts, BL_FACTS_BYTES, "%s", gives & BL_ORDER_RECTANGULAR ? "any matrix" : "square matrices");
    add_bits(facts, BL_FACTS_BYTES, "finds ", gives, names, sizeof names / sizeof *names);
}

const bl_room bl_rooms[] = {
    {"joints", "connections between bodies", NULL, "type", joint_count, joint_kind, joint_facts},
    {"forces", "loads, springs, dampers, friction", NULL, "type", force_count, force_kind, NULL},
    {"controllers", "controllers and filters beside bodies", NULL, "type", controller_count, controller_kind, controller_facts},
    {"elements", "finite elements of meshes", NULL, "mesh: {element}", element_count, element_kind, element_facts},
    {"generators", "generators of simple meshes", NULL, "mesh: {GENERATOR: {...}}", generator_count, generator_kind, generator_facts},
    {"materials", "material laws: stress from strain, flux from gradient", NULL, "materials: {NAME: {type}}", material_count, material_kind,
     material_facts},
    {"strains", "strain measures of meshed bodies", NULL, "strain", strain_count, strain_kind, strain_facts},
    {"coordinates", "unknowns that describe the configuration", "--coordinates", "coordinates", coords_count, coords_kind, NULL},
    {"formulations", "forms of the equations of motion", "--formulation", "simulate: {formulation}", formulation_count, formulation_kind,
     formulation_facts},
    {"integrators", "time integration methods", "--integrator", "simulate: {integrator}", integrator_count, integrator_kind,
     integrator_facts},
    {"linsols", "solvers of linear systems", "--linsol", "simulate: {linsol}", linsol_count, linsol_kind, linsol_facts},
    {"orderings", "elimination orderings of sparse matrices", "--ordering", "simulate: {ordering}", ordering_count, ordering_kind,
     ordering_facts},
};
const size_t bl_room_count = sizeof bl_rooms / sizeof *bl_rooms;

/* The one place that sees all kind lists. */
#include "api/rooms.h"

#include "coords/coords.h"
#include "force/force.h"
#include "integrate/integrate.h"
#include "joint/joint.h"
#include "order/order.h"

#include <stdio.h>
#include <string.h>

/* ---- texts that grow in a fixed place; what does not fit is left out */

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
        snprintf(line, sizeof line, "forbids %d of 3 freedoms in the plane, %d of 6 in space", joint->forbids_2d, joint->forbids_3d);
    else
        snprintf(line, sizeof line, "in %s only: forbids %d of %d freedoms", plane ? "the plane" : "space",
                 plane ? joint->forbids_2d : joint->forbids_3d, plane ? 3 : 6);
    if (joint->nbody == 0)
        snprintf(line, sizeof line, "forbids %d freedom", joint->forbids_3d);
    add(facts, BL_FACTS_BYTES, line);
    for (int k = 0; joint->variables && joint->variables[k]; k++) {
        size_t length = strlen(facts);
        snprintf(facts + length, BL_FACTS_BYTES - length, "%s%s", k ? ", " : "; variables: ", joint->variables[k]);
    }
    if (joint->kind.gives & BL_RUBS)
        add(facts, BL_FACTS_BYTES, "may have dry friction by its reaction");
    if (joint->nbody == 0)
        add(facts, BL_FACTS_BYTES, "ties variables, takes no bodies");
    else if (!joint->freedoms)
        add(facts, BL_FACTS_BYTES, "closes by equations only");
}

static size_t force_count(void) { return bl_force_kind_count; }
static const bl_kind *force_kind(size_t i) { return &bl_force_kinds[i]->kind; }

static size_t coords_count(void) { return bl_coords_kind_count; }
static const bl_kind *coords_kind(size_t i) { return bl_coords_kinds[i]; }

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
    bool rate = form->kind.gives & BL_CAN_RATE, motion = form->index == 0 ? form->kind.gives & BL_TAKES_STATES : !rate;
    add(facts, BL_FACTS_BYTES,
        rate && motion ? "fits every integrator"
        : rate         ? "fits explicit integrators and implicit ones of first order"
                       : "fits implicit integrators, of first and second order");
    if (form->index > 0)
        add(facts, BL_FACTS_BYTES,
            form->kind.gives & BL_GIVES_WAY ? "multipliers nearly exact, as far as rows give way" : "multipliers exact");
    if (form->kind.gives & BL_TAKES_LOADS)
        add(facts, BL_FACTS_BYTES, "takes friction by reactions");
    if (form->redundant) {
        snprintf(line, sizeof line, "redundant constraints: %s", form->redundant);
        add(facts, BL_FACTS_BYTES, line);
    }
    if (form->singular) {
        snprintf(line, sizeof line, "singular positions: %s", form->singular);
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
    add_bits(facts, BL_FACTS_BYTES, "dependent rows: ", gives, names, sizeof names / sizeof *names);
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
    {"joints", "what holds bodies together", NULL, "type", joint_count, joint_kind, joint_facts},
    {"forces", "what pushes", NULL, "type", force_count, force_kind, NULL},
    {"coordinates", "in which unknowns the mechanism is written", "--coordinates", "coordinates", coords_count, coords_kind, NULL},
    {"formulations", "which equations are solved", "--formulation", "simulate: {formulation}", formulation_count, formulation_kind,
     formulation_facts},
    {"integrators", "how time is stepped", "--integrator", "simulate: {integrator}", integrator_count, integrator_kind, integrator_facts},
    {"linsols", "how linear systems are solved", "--linsol", "simulate: {linsol}", linsol_count, linsol_kind, linsol_facts},
    {"orderings", "in which order unknowns are eliminated", "--ordering", "simulate: {ordering}", ordering_count, ordering_kind,
     ordering_facts},
};
const size_t bl_room_count = sizeof bl_rooms / sizeof *bl_rooms;

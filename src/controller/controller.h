/* controller: what a kind of controller consists of: states and an output, recorded once as operations on what it reads. A continuous one
 * has states with rates and an output that is an expression; a sampled one (`every`) has held numbers, which every sample sets from the
 * values just before it. To add one: copy low_pass.c, add a line to controller_list.h. */
#ifndef BL_CONTROLLER_H
#define BL_CONTROLLER_H

#include "model/model.h"

/* bl_kind.gives */
enum {
    BL_CONTINUOUS = 1,
    BL_SAMPLED = 2,
    BL_OWN_STATES = 4 /* states are defined in the model file: `states`, with `rate` or `update` */
};

typedef struct bl_controller_state {
    const char *name; /* without that of the controller */
    bl_index signal;
    bl_index next;  /* node: its rate, or its next value if it is sampled; -1: it does not change */
    bl_index start; /* node: its value at the start; -1: that of the signal */
} bl_controller_state;

/* A controller while it is recorded. */
typedef struct bl_controller {
    bl_context *ctx;
    const bl_model *model;
    const struct bl_controller_kind *kind;
    const char *name;
    bl_place place;
    bl_value value[BL_MAX_PARAMS];
    bool sampled;
    double period; /* sampled */
    bl_index nstate;
    bl_controller_state *state;
    bl_index output; /* node; -1: not yet */
    bl_tape *tape;
    bl_index ninput, room;
    bl_symbol *input;  /* of each input of the tape */
    bl_index *rate_of; /* [nsignal] node of the rate of an output, plus 1; 0: not yet; -1: it is being recorded */
    bl_status status;  /* the first failure */
} bl_controller;

typedef struct bl_controller_kind {
    bl_kind kind;
    /* names of its states, ended by NULL; NULL: none */
    const char *const *states, *const *sampled_states;
    bl_status (*build)(bl_controller *);
} bl_controller_kind;

/* ---- recording; after a failure, which `status` keeps, nodes are those of 0 */
bl_index bl_controller_law(bl_controller *c, const bl_value *value); /* the law or constant of a parameter; 0: not given */
bl_index bl_controller_model_law(bl_controller *c, bl_index law);    /* of the model */
/* The rate of an expression during the motion. `of`: where it is given. Refused: if accelerations would be needed. */
bl_index bl_controller_rate(bl_controller *c, bl_index node, const bl_value *of);
bl_index bl_controller_state_node(bl_controller *c, const char *name);
void bl_controller_next(bl_controller *c, const char *name, bl_index node);
void bl_controller_start(bl_controller *c, const char *name, bl_index node);
bl_status bl_controller_refuse(bl_controller *c, const bl_value *value, const char *advice, const char *format, ...) BL_PRINTF(4, 5);

static inline bl_index bl_c_number(bl_controller *c, double value) { return bl_tape_const(c->tape, value); }
static inline bl_index bl_c_add(bl_controller *c, bl_index a, bl_index b) { return bl_tape_op2(c->tape, BL_TAPE_ADD, a, b); }
static inline bl_index bl_c_sub(bl_controller *c, bl_index a, bl_index b) { return bl_tape_op2(c->tape, BL_TAPE_SUB, a, b); }
static inline bl_index bl_c_scale(bl_controller *c, double k, bl_index a) {
    return bl_tape_op2(c->tape, BL_TAPE_MUL, bl_c_number(c, k), a);
}
/* x between -limit and limit, if the limit is given */
bl_index bl_c_limit(bl_controller *c, bl_index x, const bl_value *limit);

#define BL_KIND(name) extern const bl_controller_kind bl_controller_##name;
#include "controller/controller_list.h"
#undef BL_KIND

extern const bl_controller_kind *const bl_controller_kinds[];
extern const size_t bl_controller_kind_count;

#endif

/* ops: short names for recording operations on nodes of a force's tape. */
#ifndef BL_FORCE_OPS_H
#define BL_FORCE_OPS_H

#include "force/force.h"

static inline bl_index bl_node(bl_record *r, double value) { return bl_tape_const(r->tape, value); }
static inline bl_index bl_node_add(bl_record *r, bl_index a, bl_index b) { return bl_tape_op2(r->tape, BL_TAPE_ADD, a, b); }
static inline bl_index bl_node_sub(bl_record *r, bl_index a, bl_index b) { return bl_tape_op2(r->tape, BL_TAPE_SUB, a, b); }
static inline bl_index bl_node_mul(bl_record *r, bl_index a, bl_index b) { return bl_tape_op2(r->tape, BL_TAPE_MUL, a, b); }
static inline bl_index bl_node_div(bl_record *r, bl_index a, bl_index b) { return bl_tape_op2(r->tape, BL_TAPE_DIV, a, b); }
static inline bl_index bl_node_neg(bl_record *r, bl_index a) { return bl_tape_op1(r->tape, BL_TAPE_NEG, a); }
static inline bl_index bl_node_sqrt(bl_record *r, bl_index a) { return bl_tape_op1(r->tape, BL_TAPE_SQRT, a); }
static inline bl_index bl_node_tanh(bl_record *r, bl_index a) { return bl_tape_op1(r->tape, BL_TAPE_TANH, a); }
static inline bl_index bl_node_sin(bl_record *r, bl_index a) { return bl_tape_op1(r->tape, BL_TAPE_SIN, a); }
static inline bl_index bl_node_atan(bl_record *r, bl_index a) { return bl_tape_op1(r->tape, BL_TAPE_ATAN, a); }
static inline bl_index bl_node_scale(bl_record *r, double k, bl_index a) { return bl_node_mul(r, bl_node(r, k), a); }

static inline void bl_node_sub3(bl_record *r, const bl_index a[3], const bl_index b[3], bl_index c[3]) {
    for (int k = 0; k < 3; k++)
        c[k] = bl_node_sub(r, a[k], b[k]);
}

static inline void bl_node_neg3(bl_record *r, const bl_index a[3], bl_index b[3]) {
    for (int k = 0; k < 3; k++)
        b[k] = bl_node_neg(r, a[k]);
}

/* a += k x */
static inline void bl_node_add3(bl_record *r, bl_index k, const bl_index x[3], bl_index a[3]) {
    for (int i = 0; i < 3; i++)
        a[i] = bl_node_add(r, a[i], bl_node_mul(r, k, x[i]));
}

static inline bl_index bl_node_dot(bl_record *r, const bl_index a[3], const bl_index b[3]) {
    bl_index sum = bl_node_mul(r, a[0], b[0]);
    for (int k = 1; k < 3; k++)
        sum = bl_node_add(r, sum, bl_node_mul(r, a[k], b[k]));
    return sum;
}

static inline void bl_node_cross(bl_record *r, const bl_index a[3], const bl_index b[3], bl_index c[3]) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        c[k] = bl_node_sub(r, bl_node_mul(r, a[i], b[j]), bl_node_mul(r, a[j], b[i]));
    }
}

/* The body of a BL_P_BODY parameter; ground when not given. */
static inline bl_index bl_value_body(const bl_value *value) { return value->given ? value->ref : 0; }

/* Law or constant of a BL_P_LAW parameter; 0 when not given. */
static inline bl_index bl_node_law(bl_record *r, const bl_value *value, bl_index x, bl_index xd) {
    return value->given ? bl_record_law(r, value->law[0], value->number, x, xd) : bl_node(r, 0);
}

/* A held magnitude along the constant components of a BL_P_LAW3 parameter (record.c). */
void bl_record_along(bl_record *r, const bl_value *value, bool about_z, bl_index node[3]);

/* The three components of a BL_P_LAW3 parameter. Planar models use the first two or, about_z, the last. */
static inline void bl_node_law3(bl_record *r, const bl_value *value, bool about_z, bl_index node[3]) {
    if (r->actuator >= 0) {
        bl_record_along(r, value, about_z, node);
        return;
    }
    for (int k = 0; k < 3; k++) {
        bool used = value->given && (r->model->dim == 3 || about_z == (k == 2));
        node[k] = used ? bl_record_law(r, value->law[k], value->vector[k], -1, -1) : bl_node(r, 0);
    }
}

/* Transforms components from body axes to global axes. */
static inline void bl_node_rotate(bl_record *r, bl_index body, bl_index node[3]) {
    bl_index sum[3] = {bl_node(r, 0), bl_node(r, 0), r->model->dim == 2 ? node[2] : bl_node(r, 0)};
    for (int i = 0; i < r->model->dim; i++) {
        bl_mark axis = {.body = body, .is_vector = true};
        axis.s[i] = 1;
        bl_index e[3];
        bl_record_position(r, bl_record_mark(r, axis), e);
        for (int k = 0; k < r->model->dim; k++)
            sum[k] = bl_node_add(r, sum[k], bl_node_mul(r, node[i], e[k]));
    }
    for (int k = 0; k < 3; k++)
        node[k] = sum[k];
}

#endif

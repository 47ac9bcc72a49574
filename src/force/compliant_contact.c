/* Contact of two surfaces that yield: normal force N = k d^n (1 + chi d') at the depth d (compliant_law.c), friction mu N tanh(s / v)
 * against the speed s of sliding. The surfaces are drawn as those of rigid contacts (joint/touch.h): the derivative of the gap by a vector
 * of a body, and its coefficient in a speed of sliding, are the directions in which these forces act along it. */
#include "force/compliant_law.h"
#include "force/force_limits.h"
#include "force/ops.h"
#include "joint/touch.h"

#include <string.h>

static const bl_param params[] = {
    BL_COMPLIANT_PARAMS("N/m^n", "s/m"),
    {"velocity", BL_P_NUMBER, BL_POSITIVE, 1e-3, NULL, "m/s", "sliding speed over which friction changes its sign"},
    {0},
};
enum { VELOCITY = BL_COMPLIANT_MORE };

enum { GAP, FIRST_SLIP, ROWS = 3, COORDINATES = 3 * BL_TOUCH_VECTORS };

/* A contact on the tape of the force: its vectors d, A_j, B_j, the gap, and the coefficients of the rates of all vectors in the rates of
 * the gap and of sliding. */
typedef struct surfaces {
    int dim, axes, nvector;
    bl_index point[2], axis[2 * 3];              /* marks */
    bl_index gap, reach, row[ROWS][COORDINATES]; /* reach -1: everywhere */
} surfaces;

static void record_marks(bl_record *r, surfaces *s) {
    const bl_contact_def *contact = r->def->contact;
    for (int side = 0; side < 2; side++) {
        s->point[side] = bl_record_mark(r, bl_model_mark_point(r->model, contact->body[side], contact->point[side]));
        for (int j = 0; j < s->axes; j++)
            s->axis[side * s->axes + j] = bl_record_mark(r, bl_model_mark_vector(r->model, contact->body[side], contact->axis[side][j]));
    }
}

/* all vectors, or their rates */
static void record_vectors(bl_record *r, const surfaces *s, void (*read)(bl_record *, bl_index, bl_index *), bl_index *x) {
    bl_index end[2][3], vector[3];
    read(r, s->point[0], end[0]);
    read(r, s->point[1], end[1]);
    bl_node_sub3(r, end[1], end[0], vector);
    for (int v = 0; v < s->nvector; v++) {
        if (v > 0)
            read(r, s->axis[v - 1], vector);
        memcpy(x + v * s->dim, vector, (size_t)s->dim * sizeof *x);
    }
}

/* the drawing on a tape of its own, whose inputs are the vectors, and then on that of the force */
static bl_status draw(bl_record *r, surfaces *s, bl_tape *tape, const bl_index *x) {
    const bl_contact_def *contact = r->def->contact;
    bl_index row[ROWS][COORDINATES], out[2 + ROWS * COORDINATES], n = (bl_index)(s->nvector * s->dim);
    BL_TRY(bl_touch_record_rows(contact->touch, s->dim, contact->number, tape, &s->gap, &s->reach, row));
    BL_TRY(bl_tape_output(tape, s->gap));
    for (int i = 0; i < s->dim; i++)
        for (bl_index k = 0; k < n; k++)
            BL_TRY(bl_tape_output(tape, row[i][k] >= 0 ? row[i][k] : bl_tape_const(tape, 0)));
    bool ends = s->reach >= 0;
    if (ends)
        BL_TRY(bl_tape_output(tape, s->reach));
    BL_TRY(bl_tape_finish(tape));
    BL_TRY(bl_tape_splice(r->tape, tape, x, out));
    s->reach = ends ? out[1 + s->dim * n] : -1;
    s->gap = out[0];
    for (int i = 0; i < s->dim; i++)
        memcpy(s->row[i], out + 1 + i * n, (size_t)n * sizeof *out);
    return BL_OK;
}

static bl_index rate_of(bl_record *r, const surfaces *s, int row, const bl_index *rate) {
    bl_index sum = bl_node(r, 0);
    for (int k = 0; k < s->nvector * s->dim; k++)
        sum = bl_node_add(r, sum, bl_node_mul(r, s->row[row][k], rate[k]));
    return sum;
}

/* adds a force along the rate of a row; false: nothing there */
static bool direction(bl_record *r, const surfaces *s, int row, int vector, bl_index force, bl_index out[3]) {
    bool any = false;
    for (int k = 0; k < 3; k++) {
        double value = 1;
        out[k] = k < s->dim ? bl_node_mul(r, force, s->row[row][vector * s->dim + k]) : bl_node(r, 0);
        any = any || !bl_tape_known(r->tape, out[k], &value) || value != 0;
    }
    return any;
}

static void push(bl_record *r, const surfaces *s, int row, bl_index force) {
    bl_index f[3], back[3];
    for (int v = 0; v < s->nvector; v++) {
        if (!direction(r, s, row, v, force, f))
            continue;
        bl_record_push(r, v == 0 ? s->point[1] : s->axis[v - 1], f);
        bl_node_neg3(r, f, back);
        if (v == 0)
            bl_record_push(r, s->point[0], back);
    }
}

/* in space, opposite to the speed; the last term keeps the direction defined at rest and is otherwise negligible */
static void record_friction(bl_record *r, const surfaces *s, bl_index normal, const bl_index *rate) {
    double speed_scale = r->def->value[VELOCITY].number;
    bl_index slip[2], scale = bl_node(r, speed_scale), dry = bl_node_scale(r, -r->def->contact->friction, normal);
    for (int k = 0; k < s->dim - 1; k++)
        slip[k] = rate_of(r, s, FIRST_SLIP + k, rate);
    if (s->dim == 2) {
        push(r, s, FIRST_SLIP, bl_node_mul(r, dry, bl_node_tanh(r, bl_node_div(r, slip[0], scale))));
        return;
    }
    bl_index square = bl_node_add(r, bl_node_mul(r, slip[0], slip[0]), bl_node_mul(r, slip[1], slip[1]));
    bl_index speed = bl_node_sqrt(r, bl_node_add(r, square, bl_node(r, force_screw_rest * speed_scale * speed_scale)));
    bl_index per_speed = bl_node_div(r, bl_node_mul(r, dry, bl_node_tanh(r, bl_node_div(r, speed, scale))), speed);
    for (int k = 0; k < 2; k++)
        push(r, s, FIRST_SLIP + k, bl_node_mul(r, per_speed, slip[k]));
}

/* A part of a surface acts within its reach; a face, as long as the center of a ball has not passed it: behind that another face is
 * nearer. */
static bl_index within(bl_record *r, const surfaces *s) {
    double deepest = r->def->contact->deepest;
    bl_index inside = s->reach < 0 ? -1 : bl_tape_op2(r->tape, BL_TAPE_LESS, bl_node(r, 0), s->reach);
    if (!(deepest > 0))
        return inside;
    bl_index shallow = bl_tape_op2(r->tape, BL_TAPE_LESS, bl_node(r, -deepest), s->gap);
    return inside < 0 ? shallow : bl_tape_op2(r->tape, BL_TAPE_AND, inside, shallow);
}

static bl_status compliant_contact_record(bl_record *r) {
    surfaces s = {.dim = r->model->dim, .axes = r->model->dim == 3 ? 3 : 1};
    bl_index x[COORDINATES], rate[COORDINATES];
    bl_tape *tape = NULL;
    s.nvector = 1 + 2 * s.axes;
    record_marks(r, &s);
    record_vectors(r, &s, bl_record_position, x);
    record_vectors(r, &s, bl_record_velocity, rate);
    BL_TRY(bl_tape_create(r->ctx, &tape));
    bl_status status = draw(r, &s, tape, x);
    bl_tape_destroy(tape);
    BL_TRY(status);
    bl_index normal = bl_record_compliant(r, s.gap, rate_of(r, &s, GAP, rate), within(r, &s));
    push(r, &s, GAP, normal);
    if (r->def->contact->friction > 0)
        record_friction(r, &s, normal, rate);
    return BL_OK;
}

static bl_status compliant_contact_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    (void)model;
    out->drawn = BL_DRAWN_FORCE;
    memcpy(out->body, def->contact->body, sizeof out->body);
    memcpy(out->at, def->contact->point, sizeof out->at);
    return BL_OK;
}

const bl_force_kind bl_force_compliant_contact = {
    .kind = {"contact", "two surfaces that may touch, and yield", params, 0, 0},
    .record = compliant_contact_record,
    .picture = compliant_contact_picture,
};

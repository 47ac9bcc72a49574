/* Findings: what `check` reports. A warning names something that probably makes a run differ from what the user means; a note explains. */
#include "study/check.h"

#include "base/vector3.h"
#include "force/force.h"
#include "formulation/formulation.h"
#include "study/closure.h"
#include "study/start.h"
#include "study/start_warnings.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 6 };

/* ---- a line of text, truncated at the end of its buffer */

typedef struct line {
    char text[256];
    size_t used;
} line;

static void append(line *l, const char *format, ...) BL_PRINTF(2, 3);
static void append(line *l, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int wrote = vsnprintf(l->text + l->used, sizeof l->text - l->used, format, args);
    va_end(args);
    l->used += wrote > 0 ? (size_t)wrote : 0;
    if (l->used >= sizeof l->text)
        l->used = sizeof l->text - 1;
}

static const char *plural(bl_index n, const char *one, const char *many) { return n == 1 ? one : many; }

static bl_status add(bl_checking *c, int level, const char *part, const line *l) {
    bl_check_report *report = c->report;
    BL_TRY(BL_RESERVE(c->ctx, report->finding, c->room, report->nfinding + 1));
    bl_finding *f = &report->finding[report->nfinding++];
    f->level = level;
    snprintf(f->part, sizeof f->part, "%s", part);
    snprintf(f->text, sizeof f->text, "%s", l->text);
    return BL_OK;
}

static void body_part(const bl_checking *c, bl_index body, char *part, size_t size) {
    const bl_body *b = &c->model->body[body];
    snprintf(part, size, "body '%s'", b->what == BL_BODY_RIGID ? b->name : c->model->elastic[b->elastic].name);
}

/* owner: joint, or njoint + driver */
static void owner_part(const bl_checking *c, bl_index owner, char *part, size_t size) {
    const bl_model *model = c->model;
    if (owner >= model->njoint)
        snprintf(part, size, "driver of %s", model->variable[model->driver[owner - model->njoint].variable].name);
    else
        snprintf(part, size, "%s '%s'", model->joint[owner].kind->kind.name, model->joint[owner].name);
}

static void append_owners(line *l, const bl_checking *c, bl_index n, const bl_index *owner) {
    const bl_model *model = c->model;
    bl_index shown = n > MOST_NAMES + 1 ? MOST_NAMES : n;
    for (bl_index i = 0; i < shown; i++) {
        const char *between = i == 0 ? "" : i + 1 == n ? " and " : ", ";
        if (owner[i] >= model->njoint)
            append(l, "%sthe driver of %s", between, model->variable[model->driver[owner[i] - model->njoint].variable].name);
        else
            append(l, "%s%s", between, model->joint[owner[i]].name);
    }
    if (shown < n)
        append(l, " and %d more", (int)(n - shown));
}

/* an axis as x, y or z, any other direction by its components */
static void append_direction(line *l, const double v[3]) {
    double u[3], size = norm3(v);
    for (int k = 0; k < 3; k++) {
        u[k] = fabs(v[k]) > 1e-6 * size ? v[k] / size : 0;
        if (fabs(u[k]) > 1 - 1e-6) {
            append(l, "%s%c", u[k] < 0 ? "-" : "", "xyz"[k]);
            return;
        }
    }
    append(l, "(%.3g %.3g %.3g)", u[0], u[1], u[2]);
}

static bool vanishes(const double *a) { return a[0] == 0 && a[1] == 0 && a[2] == 0; }

/* "moving along x and y, turning about z"; false: no direction to name */
static bool append_directions(line *l, const bl_dependency *d, int dim) {
    int written = 0;
    for (int kind = 0; kind < 3; kind++) { /* pure forces, pure moments, both */
        int of_kind = 0;
        for (bl_index i = 0; i < d->count; i++) {
            const double *f = d->direction[i], *m = d->direction[i] + 3;
            int is = vanishes(m) ? 0 : vanishes(f) ? 1 : 2;
            if (is != kind || (vanishes(f) && vanishes(m)))
                continue;
            append(l, "%s", of_kind ? " and " : written ? ", " : "");
            if (!of_kind || kind == 2)
                append(l, "%s", kind == 1 ? (dim == 2 ? "turning" : "turning about ") : "moving along ");
            if (kind != 1)
                append_direction(l, f);
            if (kind == 2)
                append(l, " while turning%s", dim == 2 ? "" : " about ");
            if (kind >= 1 && dim == 3)
                append_direction(l, m);
            of_kind++;
            written++;
        }
    }
    return written > 0;
}

bool bl_check_directions(const bl_dependency *d, int dim, char *text, size_t size) {
    line l = {0};
    bool written = append_directions(&l, d, dim);
    snprintf(text, size, "%s", l.text);
    return written;
}

/* ---- constraints */

/* Joints of each body, ascending: list[ptr[b] .. ptr[b + 1]); the caller frees *ptr. Relations between variables have no bodies. */
static bl_status joints_of_bodies(const bl_model *model, bl_context *ctx, bl_index **ptr, bl_index **list) {
    size_t nbody = (size_t)model->nbody;
    BL_TRY(BL_NEW(ctx, *ptr, nbody + 2 + 2 * (size_t)model->njoint));
    *list = *ptr + nbody + 2;
    for (bl_index i = 0; i < 2 * model->njoint; i++)
        if (model->joint[i / 2].body[i % 2] >= 0)
            (*ptr)[model->joint[i / 2].body[i % 2] + 2]++;
    for (size_t b = 0; b < nbody; b++)
        (*ptr)[b + 2] += (*ptr)[b + 1];
    for (bl_index i = 0; i < 2 * model->njoint; i++)
        if (model->joint[i / 2].body[i % 2] >= 0)
            (*list)[(*ptr)[model->joint[i / 2].body[i % 2] + 1]++] = i / 2;
    return BL_OK;
}

/* The earlier joint between the same bodies at the same point, -1: none. Searches the joints of the body that has fewer of them. */
static bl_index find_twin(const bl_checking *c, const bl_index *ptr, const bl_index *list, bl_index joint) {
    const bl_model *model = c->model;
    const bl_joint_def *j = &model->joint[joint];
    const bl_prim *mine = bl_joint_prim(j, BL_COINCIDE);
    if (!mine || j->body[0] < 0 || j->body[1] < 0)
        return -1;
    bl_index a = j->body[0], b = j->body[1], body = ptr[a + 1] - ptr[a] < ptr[b + 1] - ptr[b] ? a : b;
    for (bl_index k = ptr[body]; k < ptr[body + 1] && list[k] < joint; k++) {
        bl_index i = list[k];
        const bl_joint_def *other = &model->joint[i];
        bool straight = other->body[0] == j->body[0] && other->body[1] == j->body[1];
        bool reversed = other->body[0] == j->body[1] && other->body[1] == j->body[0];
        if (other->kind != j->kind || (!straight && !reversed))
            continue;
        const bl_prim *theirs = bl_joint_prim(other, BL_COINCIDE);
        const bl_mark *here = &mine->a, *there = reversed ? &theirs->b : &theirs->a;
        double gap = hypot(hypot(here->s[0] - there->s[0], here->s[1] - there->s[1]), here->s[2] - there->s[2]);
        if (here->body == there->body && gap < study_check_same_point * c->length)
            return i;
    }
    return -1;
}

/* whether drivers determine what a joint prevents, too */
static bool driven(const bl_checking *c, const bl_dependency *d) { return d->nother > 0 && d->other[d->nother - 1] >= c->model->njoint; }

/* of equations that restrict velocities only: "slipping on the plane, second direction: axle_l and roll_l already prevent it" */
static void append_slip(line *l, const bl_checking *c, const bl_dependency *d) {
    for (bl_index i = 0; i < d->count; i++)
        append(l, "%s%s", i == 0 ? "" : i + 1 == d->count ? " and " : ", ", d->meaning[i]);
    append(l, ": ");
    if (d->nother == 0) {
        append(l, "%s no motion in this configuration", plural(d->count, "restricts", "restrict"));
        return;
    }
    append_owners(l, c, d->nother, d->other);
    append(l, " already %s %s; %s", plural(d->nother, "prevents", "prevent"), plural(d->count, "it", "them"),
           driven(c, d) ? "the mechanism locks where a driver disagrees" : "the reactions are not unique");
}

/* whether what the joint prevents includes slip */
static bool rolls(const bl_checking *c, bl_index owner) {
    bool slip = false;
    for (bl_index i = 0; owner < c->model->njoint && i < c->model->joint[owner].nprim; i++)
        slip = slip || bl_prim_is_slip(&c->model->joint[owner].prim[i]);
    return slip;
}

static bl_status describe_redundant(bl_checking *c, const bl_index *ptr, const bl_index *list) {
    const bl_model *model = c->model;
    char part[96];
    for (bl_index i = 0; i < c->dependencies.n; i++) {
        const bl_dependency *d = &c->dependencies.dependency[i];
        line l = {0};
        bl_index twin = -1;
        owner_part(c, d->owner, part, sizeof part);
        if (d->owner < model->njoint)
            twin = find_twin(c, ptr, list, d->owner);
        if (d->slip || rolls(c, d->owner)) {
            append_slip(&l, c, d);
        } else if (d->owner >= model->njoint) {
            if (d->nother)
                append_owners(&l, c, d->nother, d->other);
            append(&l, "%s already determine%s this variable: the driver is redundant, and the mechanism locks where its value disagrees",
                   d->nother ? "" : "the joints", d->nother == 1 ? "s" : "");
        } else if (twin >= 0) {
            append(&l, "connects the same bodies at the same point as '%s': remove one of the two", model->joint[twin].name);
        } else if (d->nother == 0) {
            append(&l, "%d of its %d constraint equations %s no motion in this configuration", (int)d->count, (int)d->of,
                   plural(d->count, "restricts", "restrict"));
        } else if (d->count == d->of) {
            append(&l, "redundant: ");
            append_owners(&l, c, d->nother, d->other);
            append(&l, " already %s every motion that it prevents; the reactions are not unique", plural(d->nother, "prevents", "prevent"));
        } else {
            append(&l, "%d of its %d constraints %s redundant with ", (int)d->count, (int)d->of, plural(d->count, "is", "are"));
            append_owners(&l, c, d->nother, d->other);
            append(&l, ": ");
            line directions = {0};
            if (append_directions(&directions, d, model->dim))
                append(&l, "%s is prevented twice; ", directions.text);
            append(&l, "the reactions are not unique");
        }
        bool warn = d->owner >= model->njoint || twin >= 0 || (rolls(c, d->owner) ? driven(c, d) : d->count == d->of);
        BL_TRY(add(c, warn ? BL_FINDING_WARNING : BL_FINDING_NOTE, part, &l));
    }
    return BL_OK;
}

static bl_status redundant_constraints(bl_checking *c) {
    bl_index *ptr = NULL, *list = NULL;
    bl_status status = joints_of_bodies(c->model, c->ctx, &ptr, &list);
    if (status == BL_OK)
        status = describe_redundant(c, ptr, list);
    bl_free(c->ctx, ptr);
    return status;
}

/* joints whose friction depends on a reaction that the equations of rigid bodies do not determine */
static bl_status undetermined_loads(bl_checking *c) {
    const bl_system *sys = c->sys;
    uint8_t *open = NULL;
    if (sys->nload == 0)
        return BL_OK;
    BL_TRY(BL_NEW(c->ctx, open, sys->nload));
    bl_eval_at(&c->eval, &c->regular);
    bl_status status = bl_loads_open(sys, &c->eval, open);
    for (bl_index i = 0; i < sys->nload && status == BL_OK; i++) {
        char part[96];
        line l = {0};
        if (!open[i])
            continue;
        bl_system_load_name(sys, i, part, sizeof part);
        append(&l, "redundant constraints leave its reaction undetermined: friction, and laws that read it, use the smallest reactions in "
                   "balance");
        status = add(c, BL_FINDING_WARNING, part, &l);
    }
    bl_free(c->ctx, open);
    return status;
}

static bl_status mobility(bl_checking *c) {
    const bl_check_report *r = c->report;
    if (r->mobility_start != r->mobility_rank) {
        line l = {0};
        append(&l, "singular: %d %s of freedom here, %d nearby; a run may leave it along more than one branch", (int)r->mobility_start,
               plural(r->mobility_start, "degree", "degrees"), (int)r->mobility_rank);
        BL_TRY(add(c, BL_FINDING_WARNING, "starting position", &l));
    }
    if (c->stuck) {
        line l = {0};
        append(&l,
               "%d %s of freedom by rank, but no other position can be reached: the mechanism is fully stretched or folded, or it can be "
               "assembled only here",
               (int)r->mobility_start, plural(r->mobility_start, "degree", "degrees"));
        BL_TRY(add(c, BL_FINDING_WARNING, "starting position", &l));
    }
    if (r->mobility_rank == 0 && r->bodies > 0) {
        line l = {0};
        if (c->model->ndriver)
            append(&l, "the drivers determine the complete motion");
        else
            append(&l, "nothing can move: the joints hold every body");
        BL_TRY(add(c, c->model->ndriver ? BL_FINDING_NOTE : BL_FINDING_WARNING, "mobility", &l));
    }
    if (r->overconstraint || r->idle > 0) {
        line l = {0};
        append(&l, "%d by counting", (int)r->mobility_count);
        if (r->overconstraint)
            append(&l, " + %d redundant %s", (int)r->overconstraint, plural(r->overconstraint, "constraint", "constraints"));
        if (r->idle > 0)
            append(&l, " - %d idle %s of freedom", (int)r->idle, plural(r->idle, "degree", "degrees"));
        append(&l, " = %d", (int)r->mobility_position);
        BL_TRY(add(c, BL_FINDING_NOTE, "mobility", &l));
    }
    if (r->mobility_position != r->mobility_rank) {
        line l = {0};
        append(&l, "%d %s of freedom of positions, %d of velocities: constraints of velocities restrict how the mechanism moves, not where",
               (int)r->mobility_position, plural(r->mobility_position, "degree", "degrees"), (int)r->mobility_rank);
        BL_TRY(add(c, BL_FINDING_NOTE, "mobility", &l));
    }
    return BL_OK;
}

/* ---- mass */

static double inertia_size(const bl_model *model, const bl_body *b) {
    return model->dim == 2 ? fabs(b->inertia[2][2]) : fmax(fmax(fabs(b->inertia[0][0]), fabs(b->inertia[1][1])), fabs(b->inertia[2][2]));
}

static bool without_mass(const bl_model *model, const bl_body *b) { return b->mass == 0 && inertia_size(model, b) == 0; }

/* whether a force acts on the body, or on a variable or joint of it */
static bool is_pushed(const bl_model *model, bl_index body) {
    for (bl_index i = 0; i < model->nforce; i++) {
        const bl_force_def *force = &model->force[i];
        const bl_param *param = force->kind->kind.params;
        if (force->contact && (force->contact->body[0] == body || force->contact->body[1] == body))
            return true;
        for (bl_index k = 0; param && param[k].type != BL_P_END; k++) {
            const bl_value *value = &force->value[k];
            bl_index joint = -1;
            if (!value->given)
                continue;
            if (param[k].type == BL_P_BODY && value->ref == body)
                return true;
            if (param[k].type == BL_P_VARIABLE)
                joint = model->variable[value->ref].joint;
            else if (param[k].type == BL_P_JOINT)
                joint = value->ref;
            if (joint >= 0 && (model->joint[joint].body[0] == body || model->joint[joint].body[1] == body))
                return true;
        }
    }
    return false;
}

static bl_index joints_at(const bl_model *model, bl_index body) {
    bl_index n = 0;
    for (bl_index j = 0; j < model->njoint; j++)
        n += model->joint[j].body[0] == body || model->joint[j].body[1] == body;
    return n;
}

/* names the body that a massless motion moves most, and the direction */
static bl_status massless_motions(bl_checking *c, bool *named) {
    const bl_system *sys = c->sys;
    for (bl_index k = 0; k < c->nmassless; k++) {
        bl_eval_at(&c->eval, &c->regular);
        c->eval.v = c->massless + (size_t)k * (size_t)sys->nv;
        BL_TRY(bl_system_eval(sys, &c->eval, BL_POSE));
        bl_index most = -1;
        double best = 0, speed, turning;
        for (bl_index b = 1; b < sys->nbody; b++) {
            double amount = norm3(c->eval.pose[b].velocity) / c->length + norm3(c->eval.pose[b].angular_velocity);
            if (amount > best * (1 + 1e-9)) {
                best = amount;
                most = b;
            }
        }
        line l = {0};
        char part[96];
        if (most < 0) { /* a coordinate that moves no body */
            bl_index col = 0;
            for (bl_index j = 0; j < sys->nv; j++)
                if (fabs(c->eval.v[j]) / sys->col[j].scale > fabs(c->eval.v[col]) / sys->col[col].scale)
                    col = j;
            char name[96];
            bl_system_col_name(sys, col, name, sizeof name);
            snprintf(part, sizeof part, "coordinate %.80s", name);
            append(&l, "moves no mass: its acceleration is not determined");
        } else {
            const bl_pose *pose = &c->eval.pose[most];
            speed = norm3(pose->velocity) / c->length;
            turning = norm3(pose->angular_velocity);
            body_part(c, most, part, sizeof part);
            append(&l, "can %s", turning >= study_rather_turns * speed ? "turn" : "move");
            if (c->model->dim == 3 || turning < study_rather_turns * speed) {
                append(&l, " %s ", turning >= study_rather_turns * speed ? "about" : "along");
                append_direction(&l, turning >= study_rather_turns * speed ? pose->angular_velocity : pose->velocity);
            }
            append(&l, " without moving any mass: its acceleration is not determined; %s",
                   turning >= study_rather_turns * speed ? bl_start_lacks(c->model, most) : "give it mass or inertia, or constrain it");
            named[most] = true;
        }
        BL_TRY(add(c, BL_FINDING_WARNING, part, &l));
    }
    line l = {0};
    append(&l, "%d more motions move no mass: give the bodies mass and inertia, or constrain them", (int)c->more_massless);
    return c->more_massless ? add(c, BL_FINDING_WARNING, "", &l) : BL_OK;
}

/* axis of zero inertia as a unit vector in body axes; false: there is none, or every axis is one */
static bool spin_axis(const bl_body *b, double axis[3]) {
    double best = 0, size = 0;
    axis[0] = axis[1] = axis[2] = 0;
    for (int i = 0; i < 3; i++)
        size = fmax(size, fabs(b->inertia[i][i]));
    for (int i = 0; i < 3; i++) { /* the null vector of a matrix of rank two is the cross product of two rows */
        const double *p = b->inertia[i], *q = b->inertia[(i + 1) % 3];
        double n[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]}, length = norm3(n);
        for (int k = 0; length > best && k < 3; k++)
            axis[k] = n[k] / length;
        best = fmax(best, length);
    }
    if (!(best > study_check_spin_rank * size * size))
        return false;
    for (int i = 0; i < 3; i++)
        if (fabs(b->inertia[i][0] * axis[0] + b->inertia[i][1] * axis[1] + b->inertia[i][2] * axis[2]) > study_check_spin * size)
            return false;
    return true;
}

static void rotate(const double q[4], const double s[3], double out[3]) {
    double a[3] = {q[2] * s[2] - q[3] * s[1], q[3] * s[0] - q[1] * s[2], q[1] * s[1] - q[2] * s[0]};
    double b[3] = {q[2] * a[2] - q[3] * a[1], q[3] * a[0] - q[1] * a[2], q[1] * a[1] - q[2] * a[0]};
    for (int k = 0; k < 3; k++)
        out[k] = s[k] + 2 * (q[0] * a[k] + b[k]);
}

/* number of axes about which body b can rotate alone without moving mass; *spins: a slender body about its own axis */
static bl_index idle_rotations(const bl_checking *c, bl_index b, bool *spins) {
    const bl_model *model = c->model;
    const bl_body *body = &model->body[b];
    double axis[3] = {0, 0, 0}, now[3];
    bl_index free = 0;
    *spins = false;
    if (inertia_size(model, body) <= study_check_no_inertia * fabs(body->mass) * c->length * c->length) {
        for (int k = model->dim == 2 ? 2 : 0; k < 3; k++) {
            double e[3] = {k == 0, k == 1, k == 2};
            free += bl_twists_resist_turning(&c->twists, b, e) < study_check_idle;
        }
    } else if (model->dim == 3 && spin_axis(body, axis)) {
        rotate(c->eval.pose[b].quaternion, axis, now);
        free = *spins = bl_twists_resist_turning(&c->twists, b, now) < study_check_idle;
    }
    return free;
}

static bl_status idle_dof(bl_checking *c) {
    const bl_model *model = c->model;
    bl_index left = c->report->idle, nspin = 0, first = 0;
    line l = {0};
    char part[96];
    bl_eval_at(&c->eval, &c->regular);
    BL_TRY(bl_system_eval(c->sys, &c->eval, BL_POSE));
    for (bl_index b = 1; b < model->nbody && left > 0; b++) {
        bool spins;
        bl_index free = idle_rotations(c, b, &spins);
        left -= free;
        if (spins) { /* one finding for all slender bodies */
            if (nspin == 0)
                first = b;
            else if (nspin < MOST_NAMES)
                append(&l, "%s%s", nspin > 1 ? ", " : "with ", model->body[b].name);
            nspin++;
        } else if (free) {
            line own = {0};
            body_part(c, b, part, sizeof part);
            append(&own, "can rotate about its mass center without inertia: %d idle %s of freedom, left out of the coordinates", (int)free,
                   plural(free, "degree", "degrees"));
            BL_TRY(add(c, BL_FINDING_NOTE, part, &own));
        }
    }
    if (nspin == 0)
        return BL_OK;
    body_part(c, first, part, sizeof part);
    if (nspin > MOST_NAMES)
        append(&l, " and %d more", (int)(nspin - MOST_NAMES));
    if (nspin == 1)
        append(&l, "can spin about its own axis without inertia: an idle degree of freedom, left out of the coordinates");
    else
        append(&l, ": each can spin about its own axis without inertia: %d idle degrees of freedom, left out of the coordinates",
               (int)nspin);
    return add(c, BL_FINDING_NOTE, part, &l);
}

/* ---- the graph of bodies and joints, and laws */

static bl_status pieces(bl_checking *c, const bool *named) {
    const bl_model *model = c->model;
    bl_index *piece = NULL, npiece = 0;
    BL_TRY(BL_NEW(c->ctx, piece, model->nbody));
    bl_status status = bl_topology_pieces(c->ctx, model, piece, &npiece);
    bool heavy = norm3(model->gravity) > 0;
    for (bl_index p = 1; status == BL_OK && p < npiece; p++) {
        bl_index first = 0, size = 0;
        bool pushed = false, mass = false;
        for (bl_index b = model->nbody - 1; b > 0; b--)
            if (piece[b] == p) {
                const bl_body *body = &model->body[b];
                first = b;
                size += body->what != BL_BODY_FRAME || b == bl_elastic_body(&model->elastic[body->elastic]);
                pushed = pushed || is_pushed(model, b);
                mass = mass || body->what != BL_BODY_RIGID || !without_mass(model, body);
            }
        line l = {0};
        char part[96];
        body_part(c, first, part, sizeof part);
        if (size > 1)
            append(&l, "and %d more %s: ", (int)(size - 1), plural(size - 1, "body", "bodies"));
        append(&l, "no joint connects %s to ground", size > 1 ? "them" : "it");
        if (!pushed && mass)
            append(&l, heavy ? "; no force acts but gravity: free fall" : "; no force acts");
        status = add(c, BL_FINDING_NOTE, part, &l);
    }
    for (bl_index b = 1; status == BL_OK && b < model->nbody; b++)
        if (!named[b] && model->body[b].what == BL_BODY_RIGID && without_mass(model, &model->body[b]) && joints_at(model, b) < 2 &&
            !is_pushed(model, b)) {
            line l = {0};
            char part[96];
            body_part(c, b, part, sizeof part);
            append(&l, "has no mass, and neither joints nor forces need it: remove it, or give it mass");
            status = add(c, BL_FINDING_WARNING, part, &l);
        }
    bl_free(c->ctx, piece);
    return status;
}

static bl_status law_finding(bl_checking *c, const char *what, const char *name, bl_index law) {
    if (law < 0 || bl_tape_smooth(c->model->law[law].tape))
        return BL_OK;
    line l = {0};
    char part[96];
    snprintf(part, sizeof part, "%s%s", what, name);
    append(&l, "'%.80s' is not smooth everywhere: time steps become short or less accurate where it has a corner or a jump",
           c->model->law[law].text);
    return add(c, BL_FINDING_NOTE, part, &l);
}

static bl_status laws(bl_checking *c) {
    const bl_model *model = c->model;
    for (bl_index i = 0; i < model->nforce; i++) {
        const bl_param *param = model->force[i].kind->kind.params;
        for (bl_index k = 0; param && param[k].type != BL_P_END; k++)
            for (int part = 0; part < (param[k].type == BL_P_LAW ? 1 : param[k].type == BL_P_LAW3 ? 3 : 0); part++)
                if (model->force[i].value[k].given)
                    BL_TRY(law_finding(c, "force ", model->force[i].name, model->force[i].value[k].law[part]));
    }
    for (bl_index i = 0; i < model->ndriver; i++)
        BL_TRY(law_finding(c, "driver of ", model->variable[model->driver[i].variable].name, model->driver[i].law));
    return BL_OK;
}

/* warnings first; stable */
static void sort(bl_check_report *report) {
    for (bl_index i = 1; i < report->nfinding; i++) {
        bl_finding f = report->finding[i];
        bl_index k = i;
        for (; k > 0 && f.level == BL_FINDING_WARNING && report->finding[k - 1].level == BL_FINDING_NOTE; k--)
            report->finding[k] = report->finding[k - 1];
        report->finding[k] = f;
    }
}

static bl_status nearly_redundant(void *user, const char *part, const char *text) {
    line l = {0};
    append(&l, "%s", text);
    return add(user, BL_FINDING_WARNING, part, &l);
}

/* of elastic mechanisms that could not start in this way if they were rigid */
static bl_status sudden_start(bl_checking *c) {
    bool sudden;
    line l = {0};
    BL_TRY(bl_start_is_sudden(c->sys, c->model, &c->start, &sudden));
    append(&l, "impulses of joints and drivers give the initial velocities, since the mechanism could not move in this way if it were "
               "rigid: elastic bodies deform and vibrate from the first instant, unless drivers start smoothly");
    return sudden ? add(c, BL_FINDING_NOTE, "sudden start", &l) : BL_OK;
}

bl_status bl_check_findings(bl_checking *c) {
    bool *named = NULL; /* bodies that a warning already names */
    BL_TRY(BL_NEW(c->ctx, named, c->model->nbody));
    bl_status status = mobility(c);
    if (status == BL_OK)
        status = bl_closure_examine(c->own, c->model, &c->start, nearly_redundant, c);
    if (status == BL_OK)
        status = redundant_constraints(c);
    if (status == BL_OK)
        status = undetermined_loads(c);
    if (status == BL_OK)
        status = massless_motions(c, named);
    if (status == BL_OK)
        status = idle_dof(c);
    if (status == BL_OK)
        status = pieces(c, named);
    if (status == BL_OK)
        status = laws(c);
    if (status == BL_OK && !c->model->rests)
        status = sudden_start(c);
    sort(c->report);
    bl_free(c->ctx, named);
    return status;
}

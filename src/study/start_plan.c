/* Plan of a start: which joint variables are given, kept or free, which joints they set, which bodies move as one group. */
#include "study/start.h"

#include "base/vector3.h"
#include "model/law_inputs.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

/* ---- the model in the given configuration */

/* the mean over bodies of the farthest mark from the mass center */
static double typical_length(const bl_start *s) {
    const bl_model *model = s->model;
    double sum = 0, far = 0;
    bl_index count = 0;
    double *reach = s->body_mass; /* not in use yet */
    memset(reach, 0, (size_t)model->nbody * sizeof *reach);
    for (const bl_prim *prim = model->prim; prim < model->prim + model->nprim; prim++)
        for (const bl_mark *mark = prim->mark; mark < prim->mark + 2 && !bl_prim_is_relation(prim); mark++)
            if (!mark->is_vector)
                reach[mark->body] = fmax(reach[mark->body], sqrt(dot3(mark->s, mark->s)));
    for (bl_index b = 1; b < model->nbody; b++) {
        const double(*I)[3] = model->body[b].inertia;
        double radius = model->body[b].mass > 0 ? sqrt((I[0][0] + I[1][1] + I[2][2]) / model->body[b].mass) : 0;
        far = fmax(reach[b], radius);
        sum += far;
        count += far > 0;
    }
    return count > 0 ? sum / (double)count : 1;
}

static double mean_mass(const bl_model *model) {
    double sum = 0;
    for (bl_index b = 1; b < model->nbody; b++)
        sum += model->body[b].mass;
    return sum > 0 ? sum / (double)(model->nbody - 1) : 1;
}

/* raises eigenvalues below `least` to it */
static void raise_eigenvalues(double A[3][3], double least) {
    double V[3][3], D[3][3];
    memcpy(D, A, sizeof D);
    eigen3(D, V);
    for (int e = 0; e < 3; e++)
        for (int i = 0; i < 3 && D[e][e] < least; i++)
            for (int j = 0; j < 3; j++)
                A[i][j] += (least - D[e][e]) * V[i][e] * V[j][e];
}

static void measure_bodies(bl_start *s) {
    const bl_model *model = s->model;
    double unit = s->mass * s->length * s->length;
    for (bl_index b = 0; b < model->nbody; b++) {
        s->body_mass[b] = fmax(model->body[b].mass / s->mass, study_start_least_mass);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                s->inertia[b][i][j] = model->body[b].inertia[i][j] / unit;
        if (model->dim == 2)
            s->inertia[b][2][2] = fmax(s->inertia[b][2][2], study_start_least_mass);
        else
            raise_eigenvalues(s->inertia[b], study_start_least_mass);
    }
}

static void model_pose(const bl_model *model, bl_index body, bl_pose *pose) {
    *pose = (bl_pose){.quaternion = {1, 0, 0, 0}};
    memcpy(pose->position, model->body[body].center, sizeof pose->position);
}

static bool is_relation(const bl_twist_row *row) { return dot3(row->force, row->force) == 0 && dot3(row->moment, row->moment) == 0; }

static bl_status measure_joints(bl_start *s) {
    for (bl_index b = 0; b < s->model->nbody; b++)
        model_pose(s->model, b, &s->pose[b]);
    memset(s->pose[0].position, 0, sizeof s->pose[0].position);
    for (const bl_prim *prim = s->model->prim; prim < s->model->prim + s->model->nprim; prim++)
        for (int k = 0; bl_prim_is_relation(prim) && !prim->one_sided && k < 3; k++)
            if (prim->var[k] >= 0 && prim->coef[k] != 0)
                s->related[prim->var[k]] = true;
    bl_twists_variables(&s->twists, s->pose, NULL, s->model_value);
    memcpy(s->variable, s->model_value, (size_t)s->model->nvariable * sizeof(double));
    BL_TRY(bl_twists_at(&s->twists, s->pose, s->model_value));
    for (bl_index i = 0; i < s->twists.nrow; i++) {
        const bl_twist_row *row = &s->twists.row[i];
        if (row->owner < s->model->njoint && !is_relation(row))
            s->gap[row->owner] = fmax(s->gap[row->owner], fabs(row->gap));
    }
    return BL_OK;
}

/* value and rate of a driver at the start */
static bl_status drive(bl_start *s, bl_index driver) {
    const bl_law *law = &s->model->law[s->model->driver[driver].law];
    double f[2] = {0, 0}, *in = NULL;
    size_t count = 2 * (size_t)law->ninput;
    BL_TRY(BL_NEW(s->ctx, in, count + bl_tape_series_work(law->tape, 1) + 1));
    bl_law_read_series(s->model, law, &(bl_instant){.t = s->t}, 1, in);
    bl_tape_series(law->tape, 1, in, f, in + count);
    s->driven[driver] = f[0];
    s->driven_rate[driver] = f[1];
    bl_free(s->ctx, in);
    return BL_OK;
}

bl_status bl_start_create(bl_context *ctx, const bl_model *model, double t, double closure, bl_start *s) {
    size_t nbody = (size_t)model->nbody, njoint = (size_t)model->njoint + 1, nvariable = (size_t)model->nvariable + 1;
    *s = (bl_start){.ctx = ctx, .model = model, .t = t, .closure = closure, .arena = {.ctx = ctx}, .only = -1, .only_driver = -1};
    s->upto = model->ninitial;
    s->drivers = model->ndriver;
    s->per_body = model->dim == 3 ? 6 : 3;
    bl_arena *a = &s->arena;
    BL_TRY(BL_ARENA_ARRAYS(a, BL_ARRAY(s->order, nbody), BL_ARRAY(s->up, nbody), BL_ARRAY(s->group, nbody), BL_ARRAY(s->at, nbody),
                           BL_ARRAY(s->inertia, nbody), BL_ARRAY(s->body_mass, nbody), BL_ARRAY(s->pose, nbody),
                           BL_ARRAY(s->carried, nbody), BL_ARRAY(s->known_twist, nbody), BL_ARRAY(s->sum, 6 * nbody),
                           BL_ARRAY(s->size, 6 * nbody), BL_ARRAY(s->touched, nbody), BL_ARRAY(s->bridge, njoint),
                           BL_ARRAY(s->released, njoint), BL_ARRAY(s->set, njoint), BL_ARRAY(s->gap, njoint),
                           BL_ARRAY(s->model_value, nvariable), BL_ARRAY(s->variable, nvariable), BL_ARRAY(s->value, nvariable),
                           BL_ARRAY(s->known, nvariable), BL_ARRAY(s->driven, model->ndriver), BL_ARRAY(s->driven_rate, model->ndriver),
                           BL_ARRAY(s->angle, nbody), BL_ARRAY(s->related, nvariable)));
    for (bl_index d = 0; d < model->ndriver; d++)
        BL_TRY(drive(s, d));
    BL_TRY(bl_twists_create(ctx, model, 1, &s->twists));
    s->length = s->twists.length = typical_length(s);
    s->mass = mean_mass(model);
    measure_bodies(s);
    BL_TRY(bl_topology_bridges(ctx, model, s->order, s->up, s->bridge));
    return measure_joints(s);
}

void bl_start_destroy(bl_start *s) {
    if (!s->ctx)
        return;
    bl_twists_destroy(&s->twists);
    bl_free(s->ctx, s->row);
    bl_free(s->ctx, s->entry_col);
    bl_free(s->ctx, s->entry_coef);
    bl_free(s->ctx, s->work);
    bl_free(s->ctx, s->indices);
    bl_arena_destroy(&s->arena);
}

bool bl_start_entry_counts(const bl_start *s, bl_index entry) {
    bl_initial_what what = s->model->initial[entry].what;
    bool of_positions = what == BL_INITIAL_VARIABLE || what == BL_INITIAL_POSITION || what == BL_INITIAL_ORIENTATION;
    return of_positions == s->positions && entry < s->upto && (s->only < 0 || entry == s->only);
}

bool bl_start_driver_counts(const bl_start *s, bl_index driver) {
    return driver < s->drivers && (s->only_driver < 0 || driver == s->only_driver);
}

/* ---- known variables */

static bl_index parent_of(const bl_start *s, bl_index body) {
    const bl_joint_def *joint = &s->model->joint[s->up[body]];
    return joint->body[joint->body[0] == body];
}

/* A bridge is released if it separates bodies that entries of `initial:` refer to, from each other or from the ground. */
static bl_status release(bl_start *s) {
    const bl_model *model = s->model;
    bl_index *below, *all;
    BL_TRY(BL_NEW(s->ctx, below, 2 * (size_t)model->nbody));
    all = below + model->nbody; /* number of bodies with entries in the connected piece of a body */
    below[0] = 1;               /* the ground is fixed */
    for (bl_index i = 0; i < model->ninitial; i++) {
        bl_initial_what what = model->initial[i].what;
        if (what != BL_INITIAL_VARIABLE && what != BL_INITIAL_RATE && bl_start_entry_counts(s, i))
            below[model->initial[i].mark.body] = 1;
    }
    for (bl_index i = model->nbody - 1; i >= 0; i--)
        if (s->up[s->order[i]] >= 0)
            below[parent_of(s, s->order[i])] += below[s->order[i]];
    for (bl_index i = 0; i < model->nbody; i++) {
        bl_index body = s->order[i], joint = s->up[body];
        all[body] = joint < 0 ? below[body] : all[parent_of(s, body)];
        if (joint >= 0)
            s->released[joint] = s->bridge[joint] && below[body] > 0 && below[body] < all[body];
    }
    bl_free(s->ctx, below);
    return BL_OK;
}

/* a value that is not finite is left to its equation, which a message then names */
static void give(bl_start *s, bl_index variable, double value) {
    if (!isfinite(value)) {
        s->known[variable] = BL_START_FREE;
        return;
    }
    s->known[variable] = BL_START_GIVEN;
    s->value[variable] = value;
}

/* coef . variables = *right: a linear relation, a function linearized about the values so far, or in velocities its rate. False: it does
 * not determine its first variable. */
static bool relation_now(const bl_start *s, const bl_prim *prim, double coef[3], double *right) {
    bl_prim_relation at;
    double value[3] = {0, 0, 0};
    bool given = s->known[prim->var[0]] == BL_START_GIVEN;
    memcpy(coef, prim->coef, 3 * sizeof *coef);
    *right = s->positions ? prim->value : 0;
    if (prim->what == BL_LINEAR)
        return true;
    for (int k = 0; k < 2; k++) {
        bl_index v = prim->var[k];
        value[k] = !s->positions ? s->variable[v] : s->known[v] == BL_START_GIVEN ? s->value[v] : s->model_value[v];
    }
    bl_prim_relate(prim, value, &at);
    memcpy(coef, at.coef, sizeof at.coef);
    if (s->positions)
        *right = coef[0] * value[0] + coef[1] * value[1] - at.gap;
    return !s->positions || given;
}

/* A relation with one unknown determines it; with more unknowns, if others move some of its variables, they become free. */
static bool apply_relation(bl_start *s, const bl_prim *prim) {
    bl_index unknown = -1, nunknown = 0, nkept = 0;
    double each[3], rest, coef = 1, open;
    bool moved = false, changed = false, determines = relation_now(s, prim, each, &rest);
    open = rest;
    for (int k = 0; k < 3; k++) {
        bl_index v = prim->var[k];
        if (v < 0 || prim->coef[k] == 0)
            continue;
        open -= s->positions ? each[k] * s->model_value[v] : 0;
        if (s->known[v] == BL_START_GIVEN) {
            rest -= each[k] * s->value[v];
            moved = true;
            continue;
        }
        unknown = v;
        coef = each[k];
        nunknown++;
        nkept += s->known[v] == BL_START_KEPT;
        moved = moved || s->known[v] == BL_START_FREE;
    }
    if (nunknown == 1 && determines && isfinite(rest / coef)) {
        give(s, unknown, rest / coef);
        return true;
    }
    moved = moved || fabs(open) > study_closed;
    for (int k = 0; moved && nunknown > determines && nkept > 0 && k < 3; k++)
        if (prim->var[k] >= 0 && prim->coef[k] != 0 && s->known[prim->var[k]] == BL_START_KEPT) {
            s->known[prim->var[k]] = BL_START_FREE;
            changed = true;
        }
    return changed;
}

/* A joint that measures more variables than it has degrees of freedom cannot keep all of them if one is given: the last ones are free. */
static void free_dependent(bl_start *s, bl_index j) {
    const bl_joint_def *def = &s->model->joint[j];
    bl_index first = def->first_var, end = first, fixed = 0, given = 0;
    for (; first >= 0 && end < s->model->nvariable && s->model->variable[end].joint == j; end++) {
        fixed += s->known[end] != BL_START_FREE;
        given += s->known[end] == BL_START_GIVEN;
    }
    bl_index most = (s->model->dim == 3 ? 6 : 3) - bl_joint_forbids(s->model, def);
    for (bl_index v = end - 1; given > 0 && v >= first && fixed > most; v--)
        if (s->known[v] == BL_START_KEPT) {
            s->known[v] = BL_START_FREE;
            fixed--;
        }
}

static void find_known(bl_start *s) {
    const bl_model *model = s->model;
    for (bl_index v = 0; v < model->nvariable; v++) {
        bl_index joint = model->variable[v].joint;
        s->known[v] = s->bridge[joint] && !s->released[joint] ? BL_START_KEPT : BL_START_FREE;
        s->value[v] = s->positions ? s->model_value[v] : 0;
    }
    for (bl_index d = 0; d < model->ndriver; d++) {
        if (bl_start_driver_counts(s, d))
            give(s, model->driver[d].variable, s->positions ? s->driven[d] : s->driven_rate[d]);
    }
    for (int guess = 0; guess < 2; guess++) /* a guess is used where nothing else determines the variable */
        for (bl_index i = 0; i < model->ninitial; i++) {
            const bl_initial *entry = &model->initial[i];
            bool of_variable = entry->what == BL_INITIAL_VARIABLE || entry->what == BL_INITIAL_RATE;
            if (!of_variable || entry->guess != (guess == 1) || !bl_start_entry_counts(s, i) || s->known[entry->ref] == BL_START_GIVEN)
                continue;
            if (!guess || (s->known[entry->ref] == BL_START_KEPT && !s->related[entry->ref]))
                give(s, entry->ref, entry->value[0]);
            else
                s->known[entry->ref] = BL_START_FREE;
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (const bl_prim *prim = model->prim; prim < model->prim + model->nprim; prim++)
            if (bl_prim_is_relation(prim) && !prim->one_sided)
                changed = apply_relation(s, prim) || changed;
    }
    for (bl_index j = 0; j < model->njoint; j++)
        free_dependent(s, j);
}

/* ---- joints that are set, groups */

/* Whether the known variables of the joint determine its position or velocity. Nothing given: it keeps the model configuration. */
static bool can_be_set(const bl_start *s, bl_index j) {
    const bl_joint_def *def = &s->model->joint[j];
    bool given = false, free = false;
    bl_index measured = 0, end = def->first_var < 0 ? 0 : def->first_var;
    for (bl_index v = end; def->first_var >= 0 && v < s->model->nvariable && s->model->variable[v].joint == j; end = ++v) {
        given = given || (s->known[v] == BL_START_GIVEN && s->value[v] != (s->positions ? s->model_value[v] : 0));
        free = free || s->known[v] == BL_START_FREE;
    }
    bool closed = s->gap[j] <= study_closed;
    if (!free && !given && !s->released[j] && (closed || !s->positions))
        return true;
    if (free || !closed || def->kind->closes_only)
        return false;
    for (bl_index i = 0; i < def->ndof; i++)
        measured += def->dof[i].var >= 0;
    return measured == (def->first_var < 0 ? 0 : end - def->first_var) && (measured == def->ndof || !s->released[j]);
}

bl_status bl_start_plan(bl_start *s) {
    const bl_model *model = s->model;
    BL_TRY(release(s));
    find_known(s);
    for (bl_index j = 0; j < model->njoint; j++)
        s->set[j] = s->bridge[j] && can_be_set(s, j);
    s->ngroup = 0;
    for (bl_index i = 0; i < model->nbody; i++) {
        bl_index body = s->order[i];
        s->group[body] = s->up[body] >= 0 && s->set[s->up[body]] ? s->group[parent_of(s, body)] : s->ngroup++;
    }
    return BL_OK;
}

/* ---- the configuration carried along */

/* x -> R(q) x + t of the model configuration */
typedef struct map {
    double q[4], t[3];
} map;

static void product(const double a[4], const double b[4], double out[4]) {
    double c[3], w = a[0] * b[0] - dot3(a + 1, b + 1);
    cross3(a + 1, b + 1, c);
    for (int k = 0; k < 3; k++)
        c[k] += a[0] * b[k + 1] + b[0] * a[k + 1];
    double size = sqrt(w * w + dot3(c, c));
    out[0] = w / size;
    for (int k = 0; k < 3; k++)
        out[k + 1] = c[k] / size;
}

static map then(const map *a, const map *b) { /* a after b */
    map out;
    turn3(a->q, b->t, out.t);
    for (int k = 0; k < 3; k++)
        out.t[k] += a->t[k];
    product(a->q, b->q, out.q);
    return out;
}

static map inverse(const map *a) {
    map out = {.q = {a->q[0], -a->q[1], -a->q[2], -a->q[3]}};
    turn3(out.q, a->t, out.t);
    for (int k = 0; k < 3; k++)
        out.t[k] = -out.t[k];
    return out;
}

static map motion_of(const bl_joint_dof *f, const double *at, double amount) {
    map m = {.q = {1, 0, 0, 0}};
    if (amount == 0)
        return m;
    if (f->what == BL_SLIDE) {
        for (int k = 0; k < 3; k++)
            m.t[k] = amount * f->axis[k];
        return m;
    }
    double rotated[3];
    m.q[0] = cos(amount / 2);
    for (int k = 0; k < 3; k++)
        m.q[k + 1] = sin(amount / 2) * f->axis[k];
    turn3(m.q, at, rotated);
    for (int k = 0; k < 3; k++)
        m.t[k] = at[k] - rotated[k];
    return m;
}

/* a point of the joint's axes in the given configuration, global */
static void model_point(const bl_start *s, const bl_joint_def *def, const bl_joint_dof *f, double at[3]) {
    for (int k = 0; k < 3; k++)
        at[k] = f->at[k] + (def->body[0] > 0 ? s->model->body[def->body[0]].center[k] : 0);
}

/* motion of the second body relative to the first by the joint; *angle: its rotation, in the plane */
static map joint_map(const bl_start *s, const bl_joint_def *def, double *angle) {
    map out = {.q = {1, 0, 0, 0}};
    for (const bl_joint_dof *f = def->dof; f < def->dof + def->ndof; f++)
        if (f->var >= 0) {
            double at[3], amount = s->value[f->var] - s->model_value[f->var];
            model_point(s, def, f, at);
            map one = motion_of(f, at, amount);
            out = then(&out, &one);
            *angle += f->what == BL_TURN ? amount * f->axis[2] : 0;
        }
    return out;
}

static bl_status carry_positions(bl_start *s) {
    const bl_model *model = s->model;
    map *moved;
    BL_TRY(BL_NEW(s->ctx, moved, model->nbody));
    for (bl_index i = 0; i < model->nbody; i++) {
        bl_index body = s->order[i], j = s->up[body];
        map here = {.q = {1, 0, 0, 0}};
        s->angle[body] = 0;
        if (j >= 0) {
            map by = {.q = {1, 0, 0, 0}};
            bool forward = model->joint[j].body[1] == body;
            double angle = 0;
            if (s->set[j])
                by = joint_map(s, &model->joint[j], &angle);
            by = forward ? by : inverse(&by);
            here = then(&moved[parent_of(s, body)], &by);
            s->angle[body] = s->angle[parent_of(s, body)] + (forward ? angle : -angle);
        }
        moved[body] = here;
        memcpy(s->pose[body].quaternion, here.q, sizeof here.q);
        turn3(here.q, body > 0 ? model->body[body].center : (const double[3]){0, 0, 0}, s->pose[body].position);
        for (int k = 0; k < 3; k++)
            s->pose[body].position[k] += here.t[k];
    }
    bl_free(s->ctx, moved);
    memcpy(s->carried, s->pose, (size_t)model->nbody * sizeof *s->pose);
    for (bl_index v = 0; v < model->nvariable; v++)
        s->variable[v] = s->set[model->variable[v].joint] ? s->value[v] : s->model_value[v];
    bl_twists_variables(&s->twists, s->pose, s->variable, s->variable);
    return BL_OK;
}

/* twist of the second body relative to the first, at `point`, due to the joint's rates */
static void joint_twist(const bl_start *s, const bl_joint_def *def, const double point[3], double twist[6]) {
    const bl_pose *first = &s->pose[def->body[0]];
    const double *center = s->model->body[def->body[0]].center;
    memset(twist, 0, 6 * sizeof *twist);
    map so_far = {.q = {1, 0, 0, 0}};
    for (const bl_joint_dof *f = def->dof; f < def->dof + def->ndof; f++) {
        if (f->var < 0)
            continue;
        double rate = s->value[f->var], at[3], axis[3], u[3], r[3], p[3], arm[3], v[3];
        model_point(s, def, f, at);
        turn3(so_far.q, f->axis, axis);
        turn3(first->quaternion, axis, u);
        turn3(so_far.q, at, p);
        for (int k = 0; k < 3; k++)
            p[k] += so_far.t[k] - (def->body[0] > 0 ? center[k] : 0);
        turn3(first->quaternion, p, r);
        for (int k = 0; k < 3; k++)
            arm[k] = point[k] - first->position[k] - r[k];
        cross3(u, arm, v);
        for (int k = 0; k < 3; k++) {
            twist[k] += rate * (f->what == BL_SLIDE ? u[k] : v[k]);
            twist[3 + k] += f->what == BL_SLIDE ? 0 : rate * u[k];
        }
        map one = motion_of(f, at, s->variable[f->var] - s->model_value[f->var]);
        so_far = then(&so_far, &one);
    }
}

static void carry_velocities(bl_start *s) {
    for (bl_index i = 0; i < s->model->nbody; i++) {
        bl_index body = s->order[i], j = s->up[body];
        double *own = s->known_twist[body];
        memset(own, 0, sizeof s->known_twist[body]);
        if (j < 0 || !s->set[j])
            continue;
        bl_index parent = parent_of(s, body);
        double arm[3], v[3], by[6], sign = s->model->joint[j].body[1] == body ? 1 : -1;
        for (int k = 0; k < 3; k++)
            arm[k] = s->pose[body].position[k] - s->pose[parent].position[k];
        cross3(s->known_twist[parent] + 3, arm, v);
        joint_twist(s, &s->model->joint[j], s->pose[body].position, by);
        for (int k = 0; k < 3; k++) {
            own[k] = s->known_twist[parent][k] + v[k] + sign * by[k];
            own[3 + k] = s->known_twist[parent][3 + k] + sign * by[3 + k];
        }
    }
}

bl_status bl_start_carry(bl_start *s) {
    if (s->positions)
        return carry_positions(s);
    carry_velocities(s);
    return BL_OK;
}

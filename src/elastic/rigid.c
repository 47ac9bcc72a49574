#include "elastic/rigid.h"

#include "base/vector3.h"
#include "elastic/beam.h"

#include <math.h>
#include <string.h>

/* ---- mass */

typedef struct moments { /* integrals of 1, r, r r^T over the mass */
    double mass, first[3], second[3][3];
} moments;

static void add_square(moments *m, double w, const double a[3], const double b[3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->second[i][j] += w * a[i] * b[j];
}

static void add_beam(const bl_model *model, const bl_beam_def *beam, moments *m) {
    for (bl_index k = 0; k < beam->nelement; k++) {
        bl_beam_element e;
        double x[BL_BEAM_LOCAL];
        if (bl_beam_element_make(beam, model->dim, k, &e, x) != BL_OK)
            continue;
        for (int a = 0; a < e.nnode; a++)
            for (int b = 0; b < e.nnode; b++)
                for (int i = 0; i < e.nvector; i++) {
                    double w = e.inertia[i] * e.mass[a][b], va[3] = {0, 0, 0}, vb[3] = {0, 0, 0};
                    for (int c = 0; c < e.dim; c++) {
                        va[c] = x[(a * e.nvector + i) * e.dim + c];
                        vb[c] = x[(b * e.nvector + i) * e.dim + c];
                    }
                    add_square(m, w, va, vb);
                    m->mass += i == 0 ? w : 0;
                    for (int c = 0; i == 0 && c < 3; c++)
                        m->first[c] += w * va[c];
                }
    }
}

/* without deformation: the axes of its frame are those of the model */
static void add_floating(const bl_model *model, const bl_elastic_def *def, moments *m) {
    const double *mass = def->floating->mass, *center = model->body[def->frame].center;
    bl_index inner = 1 + model->dim * (1 + def->floating->n);
    double first[3] = {0};
    m->mass += mass[0];
    for (int k = 0; k < model->dim; k++)
        first[k] = mass[1 + k];
    for (int i = 0; i < 3; i++) {
        m->first[i] += mass[0] * center[i] + first[i];
        for (int j = 0; j < 3; j++)
            m->second[i][j] += mass[0] * center[i] * center[j] + first[i] * center[j] + center[i] * first[j] +
                               (i < model->dim && j < model->dim ? mass[(1 + i) * inner + 1 + j] : 0);
    }
}

/* what is attached to a frame */
static void add_body(const bl_model *model, const bl_body *body, moments *m) {
    double half = 0.5 * (body->inertia[0][0] + body->inertia[1][1] + body->inertia[2][2]);
    m->mass += body->mass;
    for (int c = 0; c < 3; c++)
        m->first[c] += body->mass * body->center[c];
    add_square(m, body->mass, body->center, body->center);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->second[i][j] += model->dim == 2 ? (i == j && i < 2 ? half : 0) : (i == j ? half : 0) - body->inertia[i][j];
}

void bl_elastic_mass_of(const bl_model *model, const bl_elastic_def *def, bl_elastic_mass *out) {
    moments m = {0};
    if (def->beam)
        add_beam(model, def->beam, &m);
    else if (def->floating)
        add_floating(model, def, &m);
    else if (def->what == BL_ELASTIC_MESH)
        add_body(model, &model->body[def->body], &m);
    for (bl_index b = def->frame; b < def->frame + def->nframe; b++)
        add_body(model, &model->body[b], &m);
    *out = (bl_elastic_mass){.mass = m.mass};
    if (!(m.mass > 0)) {
        memcpy(out->center, model->body[bl_elastic_body(def)].center, sizeof out->center);
        return;
    }
    for (int c = 0; c < 3; c++)
        out->center[c] = m.first[c] / m.mass;
    add_square(&m, -m.mass, out->center, out->center);
    double trace = m.second[0][0] + m.second[1][1] + m.second[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->inertia[i][j] = (i == j ? trace : 0) - m.second[i][j];
}

/* ---- the model */

static bl_status make_bodies(const bl_model *model, bl_rigid_model *r) {
    bl_index *first;
    BL_TRY(BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(r->body, model->nbody), BL_ARRAY(r->model.body, model->nbody),
                           BL_ARRAY(first, model->nelastic)));
    bl_index n = 0;
    for (bl_index b = 0; b < model->nbody; b++) {
        const bl_body *body = &model->body[b];
        const bl_elastic_def *elastic = body->what == BL_BODY_RIGID ? NULL : &model->elastic[body->elastic];
        if (elastic && first[body->elastic] > 0) {
            r->body[b] = first[body->elastic];
            continue;
        }
        r->body[b] = n;
        r->model.body[n] = *body;
        if (elastic) {
            bl_elastic_mass mass;
            bl_elastic_mass_of(model, elastic, &mass);
            first[body->elastic] = n;
            r->model.body[n].what = BL_BODY_RIGID;
            r->model.body[n].name = elastic->name;
            r->model.body[n].place = elastic->place;
            r->model.body[n].ncarry = 0;
            r->model.body[n].coordinates = NULL;
            r->model.body[n].mass = mass.mass;
            memcpy(r->model.body[n].center, mass.center, sizeof mass.center);
            memcpy(r->model.body[n].inertia, mass.inertia, sizeof mass.inertia);
        }
        n++;
    }
    r->model.nbody = n;
    r->model.nelastic = 0;
    return BL_OK;
}

/* from the center of a body to that of the body to which it belongs */
static void shift_of(const bl_rigid_model *r, const bl_model *model, bl_index body, double shift[3]) {
    for (int k = 0; k < 3; k++)
        shift[k] = body > 0 ? model->body[body].center[k] - r->model.body[r->body[body]].center[k] : 0;
}

static void move_mark(const bl_rigid_model *r, const bl_model *model, bl_mark *mark) {
    double shift[3];
    if (mark->body <= 0)
        return;
    shift_of(r, model, mark->body, shift);
    for (int k = 0; k < 3 && !mark->is_vector; k++)
        mark->s[k] += shift[k];
    mark->body = r->body[mark->body];
}

static bl_status make_joints(const bl_model *model, bl_rigid_model *r) {
    bl_index count = bl_model_joints(model);
    bl_prim *prim;
    bl_joint_dof *dof;
    bl_index ndof = 0;
    for (bl_index j = 0; j < count; j++)
        ndof += model->joint[j].ndof;
    BL_TRY(BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(prim, model->nprim), BL_ARRAY(dof, ndof), BL_ARRAY(r->model.joint, count),
                           BL_ARRAY(r->model.variable, model->nvariable)));
    if (model->nprim)
        memcpy(prim, model->prim, (size_t)model->nprim * sizeof *prim);
    for (bl_prim *p = prim; p < prim + model->nprim; p++)
        for (int k = 0; k < bl_prim_marks(p); k++)
            move_mark(r, model, &p->mark[k]);
    r->model.prim = prim;
    for (bl_index j = 0; j < count; j++) {
        bl_joint_def *joint = &r->model.joint[j];
        double shift[3] = {0, 0, 0};
        *joint = model->joint[j];
        joint->prim = joint->prim ? prim + (joint->prim - model->prim) : NULL;
        if (joint->body[0] >= 0) {
            shift_of(r, model, joint->body[0], shift);
            for (int k = 0; k < 2; k++)
                joint->body[k] = r->body[joint->body[k]];
            if (joint->body[0] == joint->body[1]) /* between two frames of one body */
                joint->nprim = joint->ndof = 0;
        }
        for (bl_index i = 0; i < joint->ndof; i++) {
            dof[i] = joint->dof[i];
            for (int k = 0; k < 3; k++)
                dof[i].at[k] += shift[k];
        }
        joint->dof = dof;
        dof += joint->ndof;
    }
    for (bl_index v = 0; v < model->nvariable; v++) {
        r->model.variable[v] = model->variable[v];
        if (model->variable[v].prim)
            r->model.variable[v].prim = prim + (model->variable[v].prim - model->prim);
    }
    return BL_OK;
}

static bl_status make_entries(const bl_model *model, bl_rigid_model *r) {
    BL_TRY(BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(r->model.probe, model->nprobe), BL_ARRAY(r->model.initial, model->ninitial),
                           BL_ARRAY(r->model.contact, model->ncontact)));
    for (bl_index i = 0; i < model->nprobe; i++) {
        r->model.probe[i] = model->probe[i];
        move_mark(r, model, &r->model.probe[i].mark);
    }
    for (bl_index i = 0; i < model->ninitial; i++) {
        r->model.initial[i] = model->initial[i];
        if (model->initial[i].what != BL_INITIAL_VARIABLE && model->initial[i].what != BL_INITIAL_RATE)
            move_mark(r, model, &r->model.initial[i].mark);
    }
    for (bl_index i = 0; i < model->ncontact; i++) {
        r->model.contact[i] = model->contact[i];
        for (int k = 0; k < 2; k++)
            r->model.contact[i].body[k] = model->contact[i].body[k] > 0 ? r->body[model->contact[i].body[k]] : model->contact[i].body[k];
    }
    return BL_OK;
}

bl_status bl_rigid_model_create(bl_context *ctx, const bl_model *model, bl_rigid_model *r) {
    *r = (bl_rigid_model){.model = *model, .arena = {.ctx = ctx}};
    r->model.nforce = 0;
    BL_TRY(make_bodies(model, r));
    BL_TRY(make_joints(model, r));
    return make_entries(model, r);
}

void bl_rigid_model_destroy(bl_rigid_model *r) {
    if (r->arena.ctx)
        bl_arena_destroy(&r->arena);
}

/* ---- poses */

/* the pose of a body at `shift` from another one, in its axes */
static void pose_at(const bl_pose *of, const double shift[3], bl_pose *out) {
    double arm[3], turning[3];
    turn3(of->quaternion, shift, arm);
    cross3(of->angular_velocity, arm, turning);
    bl_pose moved = *of;
    for (int k = 0; k < 3; k++) {
        moved.position[k] += arm[k];
        moved.velocity[k] += turning[k];
    }
    *out = moved;
}

void bl_rigid_model_spread(const bl_rigid_model *r, const bl_model *model, const bl_pose *of_rigid, bl_pose *pose) {
    for (bl_index b = 0; b < model->nbody; b++) {
        double shift[3];
        shift_of(r, model, b, shift);
        pose_at(&of_rigid[r->body[b]], shift, &pose[b]);
    }
}

void bl_rigid_model_gather(const bl_rigid_model *r, const bl_model *model, const bl_pose *pose, bl_pose *of_rigid) {
    for (bl_index b = model->nbody - 1; b >= 0; b--) { /* the first frame last */
        double shift[3];
        shift_of(r, model, b, shift);
        for (int k = 0; k < 3; k++)
            shift[k] = -shift[k];
        pose_at(&pose[b], shift, &of_rigid[r->body[b]]);
    }
}

void bl_rigid_model_move(const bl_rigid_model *r, const bl_model *model, const bl_pose *of_rigid, bl_pose *pose) {
    for (bl_index b = 0; b < model->nbody; b++) {
        const bl_pose *of = &of_rigid[r->body[b]];
        double arm[3], turning[3];
        for (int k = 0; k < 3; k++)
            arm[k] = pose[b].position[k] - of->position[k];
        cross3(of->angular_velocity, arm, turning);
        for (int k = 0; k < 3; k++) {
            pose[b].velocity[k] = of->velocity[k] + turning[k];
            pose[b].angular_velocity[k] = of->angular_velocity[k];
        }
    }
}

/* Modes as motions of bodies, and the reference configuration: results that do not depend on the coordinates. */
#include "study/linear_limits.h"
#include "study/modes_private.h"
#include "study/motion_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* r rotated by a unit quaternion, w first */
static void rotate(const double q[4], const double r[3], double out[3]) {
    double t[3], u[3];
    cross(q + 1, r, t);
    for (int i = 0; i < 3; i++)
        t[i] *= 2;
    cross(q + 1, t, u);
    for (int i = 0; i < 3; i++)
        out[i] = r[i] + q[0] * t[i] + u[i];
}

/* largest |displacement| of a point of the body at `from` (model configuration), *re and *im its largest component */
static double displaced(const bl_body *body, const bl_pose *pose, const bl_mode_motion *m, const double *from, double size, double big[2]) {
    double arm[3] = {0}, r[3], wr[3], wi[3];
    for (int i = 0; i < 3 && from; i++)
        r[i] = from[i] - body->center[i];
    if (from)
        rotate(pose->quaternion, r, arm);
    cross(m->angular_velocity, arm, wr);
    cross(m->angular_velocity_im, arm, wi);
    for (int i = 0; i < 3; i++) {
        double re = m->velocity[i] + wr[i], im = m->velocity_im[i] + wi[i];
        if (hypot(re, im) > (1 + 1e-9) * size) {
            size = hypot(re, im);
            big[0] = re;
            big[1] = im;
        }
    }
    return size;
}

/* over the visible points of a body: its mass center, ends of rods and cylinders, corners of polygons */
static double largest_point(const bl_body *body, const bl_pose *pose, const bl_mode_motion *m, double size, double big[2]) {
    size = displaced(body, pose, m, NULL, size, big);
    for (bl_index k = 0; k < body->nappearance; k++) {
        const bl_appearance *look = &body->appearance[k];
        bool ends = look->kind == BL_APPEARANCE_ROD || look->kind == BL_APPEARANCE_CYLINDER || look->kind == BL_APPEARANCE_WHEEL;
        for (int i = 0; i < 2 && ends; i++)
            size = displaced(body, pose, m, look->at[i], size, big);
        for (bl_index i = 0; i < look->npoint && (look->kind == BL_APPEARANCE_POLYGON || look->kind == BL_APPEARANCE_POINTS); i++)
            size = displaced(body, pose, m, look->point[i], size, big);
    }
    return size;
}

/* scales the largest displacement to 1, real and positive; without any (a disc about its axis) the largest rotation */
static void scale(const bl_model *model, const bl_pose *pose, bl_mode_motion *motion) {
    double size = 0, big[2] = {0, 0};
    for (bl_index b = 1; b < model->nbody; b++)
        size = largest_point(&model->body[b], &pose[b], &motion[b - 1], size, big);
    double spin[2] = {0, 0};
    for (bl_index b = 1; b < model->nbody; b++)
        for (int i = 0; i < 3; i++) {
            double re = motion[b - 1].angular_velocity[i], im = motion[b - 1].angular_velocity_im[i];
            if (hypot(re, im) > (1 + 1e-9) * hypot(spin[0], spin[1]))
                spin[0] = re, spin[1] = im;
        }
    if (size <= study_modes_no_motion * hypot(spin[0], spin[1]) * bl_model_size(model)) /* displacements are only rounding */
        big[0] = spin[0], big[1] = spin[1];
    size = hypot(big[0], big[1]);
    if (!(size > 0))
        return;
    double c = big[0] / (size * size), s = -big[1] / (size * size);
    for (bl_index b = 0; b < model->nbody - 1; b++)
        for (int i = 0; i < 3; i++) {
            double *re[] = {&motion[b].velocity[i], &motion[b].angular_velocity[i]};
            double *im[] = {&motion[b].velocity_im[i], &motion[b].angular_velocity_im[i]};
            for (int k = 0; k < 2; k++) {
                double r = *re[k];
                *re[k] = c * r - s * *im[k];
                *im[k] = c * *im[k] + s * r;
            }
        }
}

/* "chassis z 1, RL z 0.31, RR z 0.31": the three bodies whose mass centers, or else rotations, move most */
static void describe(const bl_model *model, const bl_mode_motion *motion, char *text, size_t size) {
    static const char *const turn_in_space[] = {"roll", "pitch", "yaw"};
    bl_index done[3] = {-1, -1, -1};
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < 3; k++) {
        double most = k ? 0.02 : 0, value = 0;
        bl_index mover = -1;
        int part = 0;
        for (bl_index b = 0; b < model->nbody - 1; b++) {
            if (b == done[0] || b == done[1])
                continue;
            for (int i = 0; i < 6; i++) {
                double re = i < 3 ? motion[b].velocity[i] : motion[b].angular_velocity[i - 3];
                double im = i < 3 ? motion[b].velocity_im[i] : motion[b].angular_velocity_im[i - 3];
                if (hypot(re, im) > (1 + 1e-9) * most) {
                    most = hypot(re, im);
                    value = copysign(most, re);
                    mover = b;
                    part = i;
                }
            }
        }
        if (mover < 0 || used >= size)
            return;
        done[k] = mover;
        char component[8];
        if (part < 3)
            snprintf(component, sizeof component, "%c", "xyz"[part]);
        else
            snprintf(component, sizeof component, "%s", model->dim == 2 ? "turn" : turn_in_space[part - 3]);
        used += (size_t)snprintf(text + used, size - used, "%s%s %s %.3g", used ? ", " : "", model->body[mover + 1].name, component, value);
    }
}

/* velocities of all bodies along x */
static bl_status velocities_along(bl_modes_own *own, const double *x, bool imaginary, bl_mode_motion *motion) {
    bl_eval *e = &own->eval;
    bl_eval_at(e, &own->reference);
    e->v = x;
    BL_TRY(bl_system_eval(own->sys, e, BL_POSE));
    for (bl_index b = 1; b < own->sys->nbody; b++) {
        bl_mode_motion *m = &motion[b - 1];
        memcpy(imaginary ? m->velocity_im : m->velocity, e->pose[b].velocity, sizeof m->velocity);
        memcpy(imaginary ? m->angular_velocity_im : m->angular_velocity, e->pose[b].angular_velocity, sizeof m->velocity);
    }
    return BL_OK;
}

static bl_status copy_reference(bl_modes_own *own, bl_modes_report *report) {
    const bl_model *model = own->model;
    const char **body, **variable;
    double *value;
    BL_TRY(BL_ARENA_ARRAYS(&own->arena, BL_ARRAY(body, model->nbody), BL_ARRAY(variable, model->nvariable + 1),
                           BL_ARRAY(value, 2 * (size_t)model->nvariable + 1)));
    for (bl_index b = 1; b < model->nbody; b++)
        body[b - 1] = model->body[b].name;
    bl_eval_at(&own->eval, &own->reference);
    BL_TRY(bl_system_eval(own->sys, &own->eval, BL_VARIABLES));
    for (bl_index v = 0; v < model->nvariable; v++) {
        variable[v] = model->variable[v].name;
        value[v] = own->eval.variable[v];
        value[model->nvariable + v] = own->eval.variable_rate[v];
    }
    report->nbody = model->nbody - 1;
    report->body = body;
    report->nvariable = model->nvariable;
    report->variable = variable;
    report->value = value;
    report->rate = value + model->nvariable;
    return BL_OK;
}

bl_status bl_modes_motions(bl_modes_own *own, bl_modes_report *report) {
    const bl_model *model = own->model;
    if (!own->problem.bodies || own->sys->nbody < 2 || own->sys->nv == 0)
        return BL_OK;
    BL_TRY(copy_reference(own, report));
    for (bl_index k = 0; k < report->nmode; k++) {
        bl_mode *m = &own->mode[k];
        bl_mode_motion *motion;
        BL_TRY(BL_ARENA_NEW(&own->arena, motion, model->nbody));
        BL_TRY(velocities_along(own, m->shape, false, motion));
        if (m->shape_im)
            BL_TRY(velocities_along(own, m->shape_im, true, motion));
        scale(model, own->eval.pose, motion);
        m->motion = motion;
        describe(model, motion, m->bodies, sizeof m->bodies);
    }
    return BL_OK;
}

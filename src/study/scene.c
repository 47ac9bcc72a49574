/* The scene of a model as JSON: bodies, joints, springs, forces, probes, drivers, groups, in the model configuration and global axes. */
#include "study/scene.h"

#include "biela/biela.h"
#include "joint/touch.h"
#include "study/run.h"

#include <math.h>
#include <string.h>

/* numbers of bodies as in result files; -1: ground */
static void put_body(bl_scene *s, const char *key, bl_index body) { bl_json_integer(s->json, key, (long)body - 1); }

static void put_point(bl_scene *s, const char *key, const double at[3]) { bl_json_numbers(s->json, key, at, 3); }

/* ---- pictures of all kinds */

static bl_status draw(bl_scene *s) {
    const bl_model *model = s->model;
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(s->joint, model->njoint), BL_ARRAY(s->force, model->nforce),
                           BL_ARRAY(s->drawn, model->nforce)));
    for (bl_index j = 0; j < model->njoint; j++)
        BL_TRY(bl_joint_draw(model, &model->joint[j], &s->joint[j]));
    for (bl_index i = 0; i < model->nforce; i++) {
        /* errors of a force are reported by the studies that use it: kinematics does not */
        bl_status status = bl_force_draw(model, &model->force[i], &s->force[i]);
        if (status != BL_OK && status != BL_E_MODEL)
            return status;
        s->drawn[i] = status == BL_OK;
    }
    return BL_OK;
}

/* ---- bodies */

static void put_bodies(bl_scene *s) {
    bl_json *json = s->json;
    bl_json_open(json, "bodies", '[');
    for (bl_index i = 1; i < s->model->nbody; i++) {
        const bl_body *body = &s->model->body[i];
        const double(*J)[3] = body->inertia;
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", body->name);
        bl_json_number(json, "mass", body->mass);
        put_point(s, "center", body->center);
        bl_json_numbers(json, "inertia", (const double[]){J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]}, 6);
        bl_json_open(json, "points", '[');
        for (bl_index p = s->first[i]; p >= 0; p = s->point[p].next)
            put_point(s, NULL, s->point[p].at);
        bl_json_close(json, ']');
        bl_scene_shapes(json, s->model, i);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    bl_json_open(json, "ground", '{');
    bl_scene_shapes(json, s->model, 0);
    bl_json_close(json, '}');
}

/* ---- joints and drivers */

static void put_relation(bl_scene *s, const bl_joint_def *joint, const bl_joint_picture *picture) {
    const bl_variable *variable = s->model->variable;
    bl_json_open(s->json, "gear", '{');
    bl_json_open(s->json, "joints", '[');
    for (int k = 0; k < 3 && picture->variable[k] >= 0; k++)
        bl_json_integer(s->json, NULL, variable[picture->variable[k]].joint);
    bl_json_close(s->json, ']');
    bl_json_open(s->json, "variables", '[');
    for (int k = 0; k < 3 && picture->variable[k] >= 0; k++)
        bl_json_text(s->json, NULL, variable[picture->variable[k]].name);
    bl_json_close(s->json, ']');
    if (!bl_joint_prim(joint, BL_FUNCTION)) /* the ratio of a function is not one number */
        bl_json_number(s->json, "ratio", picture->ratio);
    bl_json_close(s->json, '}');
}

enum { CURVE_DIGITS = 9 }; /* as many as points of STL files have */

/* the curve of the first body, and what of the second body touches it */
static void put_curve(bl_scene *s, const bl_joint_def *joint, const bl_joint_picture *picture) {
    bool closed;
    bl_index n = bl_scene_curve(picture, &closed);
    if (n == 0)
        return;
    bl_json_open(s->json, "curve", '[');
    for (bl_index i = 0; i < n; i++) {
        double at[3];
        bl_scene_curve_point(picture, i, at);
        bl_json_open(s->json, NULL, '[');
        for (int k = 0; k < 3; k++)
            bl_json_digits(s->json, NULL, at[k], CURVE_DIGITS);
        bl_json_close(s->json, ']');
    }
    bl_json_close(s->json, ']');
    bl_json_flag(s->json, "closed", closed);
    const bl_prim *face = bl_joint_prim(joint, BL_ON_FACE);
    if (picture->length > 0)
        bl_json_number(s->json, "roller", picture->length);
    if (face)
        put_point(s, "face", face->c.s);
}

static void put_geometry(bl_scene *s, const bl_joint_def *joint, const bl_joint_picture *picture) {
    put_body(s, "a", joint->body[0]);
    put_body(s, "b", joint->body[1]);
    put_point(s, "at", picture->at[0]);
    put_point(s, "at_b", picture->at[1]);
    if (picture->has & BL_PICTURE_AXIS)
        put_point(s, "axis", picture->axis[0]);
    if (picture->has & BL_PICTURE_AXIS_B)
        put_point(s, "axis_b", picture->axis[1]);
    if (picture->has & BL_PICTURE_REFERENCE)
        put_point(s, "reference", picture->reference[0]);
    if (picture->has & BL_PICTURE_REFERENCE_B)
        put_point(s, "reference_b", picture->reference[1]);
    if (picture->has & BL_PICTURE_PLANE)
        put_point(s, "normal", picture->axis[0]);
    if (picture->bar) {
        put_point(s, "to", picture->at[1]);
        bl_json_number(s->json, "length", picture->length);
    }
    if (picture->pitch != 0)
        bl_json_number(s->json, "pitch", picture->pitch);
    put_curve(s, joint, picture);
}

static bl_status put_joints(bl_scene *s) {
    const bl_model *model = s->model;
    bl_json *json = s->json;
    bool *driven;
    BL_TRY(BL_ARENA_NEW(&s->arena, driven, model->njoint));
    for (bl_index d = 0; d < model->ndriver; d++)
        driven[model->variable[model->driver[d].variable].joint] = true;
    bl_json_open(json, "joints", '[');
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_joint_def *joint = &model->joint[j];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", joint->name);
        bl_json_text(json, "kind", joint->kind->kind.name);
        if (s->joint[j].relation)
            put_relation(s, joint, &s->joint[j]);
        else
            put_geometry(s, joint, &s->joint[j]);
        bl_json_open(json, "variables", '[');
        for (bl_index v = joint->first_var; v >= 0 && v < model->nvariable && model->variable[v].joint == j; v++)
            bl_json_text(json, NULL, model->variable[v].name);
        bl_json_close(json, ']');
        bl_json_flag(json, "driven", driven[j]);
        bl_json_flag(json, "free", s->joint[j].free);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    bl_json_open(json, "drivers", '[');
    for (bl_index d = 0; d < model->ndriver; d++) {
        const bl_variable *variable = &model->variable[model->driver[d].variable];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", model->driver[d].name);
        bl_json_integer(json, "joint", variable->joint);
        bl_json_text(json, "variable", variable->name);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    return BL_OK;
}

/* ---- springs and forces */

/* A spring on the distance of a slider whose points coincide in the given configuration would be drawn with zero length: its end on the
 * first body is shifted back, so that it is visible and has its free length where the spring is unloaded. */
static void draw_back(const bl_scene *s, bl_force_picture *f) {
    static const double share = 0.25; /* of the size */
    double apart = 0, rest = isnan(f->free) ? 0 : f->free, length = share * s->size;
    for (int k = 0; k < 3; k++)
        apart = hypot(apart, f->at[1][k] - f->at[0][k]);
    if (!f->has_axis || apart > 1e-6 * s->size)
        return;
    for (int k = 0; k < 3; k++)
        f->at[0][k] += (rest - length) * f->axis[k];
    if (!isnan(f->free))
        f->free = length;
}

static void put_spring(bl_scene *s, const bl_force_def *def, bl_force_picture f) {
    bl_json *json = s->json;
    bool turning = f.drawn == BL_DRAWN_TURNING, bushing = f.drawn == BL_DRAWN_BUSHING;
    if (!turning && !bushing)
        draw_back(s, &f);
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", def->name);
    bl_json_text(json, "kind", turning || bushing ? def->kind->kind.name : "spring");
    put_body(s, "a", f.body[0]);
    put_body(s, "b", f.body[1]);
    put_point(s, "at", f.at[0]);
    if (!turning)
        put_point(s, "to", f.at[1]);
    if (turning)
        bl_json_integer(json, "joint", f.joint);
    if ((turning || bushing) && f.has_axis)
        put_point(s, "axis", f.axis);
    if (f.variable >= 0)
        bl_json_text(json, "variable", s->model->variable[f.variable].name);
    bl_json_number(json, "free", f.free);
    bl_json_flag(json, "damped", f.damped);
    bl_json_close(json, '}');
}

static void put_force(bl_scene *s, const bl_force_def *def, const bl_force_picture *f) {
    bl_json *json = s->json;
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", def->name);
    bl_json_text(json, "kind", f->drawn == BL_DRAWN_FORCE ? "force" : "moment");
    put_body(s, "body", f->body[1]);
    put_body(s, "against", f->body[0]);
    put_point(s, "at", f->at[1]);
    if (f->has_axis)
        put_point(s, "axis", f->axis);
    if (f->joint >= 0)
        bl_json_integer(json, "joint", f->joint);
    bl_json_close(json, '}');
}

static void put_forces(bl_scene *s) {
    const bl_model *model = s->model;
    for (int springs = 1; springs >= 0; springs--) {
        bl_json_open(s->json, springs ? "springs" : "forces", '[');
        for (bl_index i = 0; i < model->nforce; i++) {
            bl_force_drawn drawn = s->force[i].drawn;
            bool spring = drawn == BL_DRAWN_SPRING || drawn == BL_DRAWN_BUSHING || drawn == BL_DRAWN_TURNING;
            if (!s->drawn[i] || spring != springs)
                continue;
            if (spring)
                put_spring(s, &model->force[i], s->force[i]);
            else
                put_force(s, &model->force[i], &s->force[i]);
        }
        bl_json_close(s->json, ']');
    }
}

static void put_probes(bl_scene *s) {
    const bl_model *model = s->model;
    bl_json_open(s->json, "probes", '[');
    for (bl_index i = 0; i < model->nprobe; i++) {
        double at[3];
        bl_scene_probe_point(model, i, at);
        bl_json_open(s->json, NULL, '{');
        bl_json_text(s->json, "name", model->probe[i].name);
        put_body(s, "body", model->probe[i].mark.body); /* on meshes: none, 0 */
        put_point(s, "at", at);
        if (model->solid_probe)
            bl_json_text(s->json, "mesh", model->solid[model->solid_probe[i].solid].name);
        if (model->body && model->body[model->probe[i].mark.body].what == BL_BODY_MESH) /* drawn with the mean motion of the body */
            bl_json_text(s->json, "deforms", model->body[model->probe[i].mark.body].name);
        bl_json_close(s->json, '}');
    }
    bl_json_close(s->json, ']');
}

/* ---- contacts and stops */

/* a height profile from end to end */
static void put_profile(bl_scene *s, const bl_contact_def *contact) {
    enum { POINTS = 129 };
    const double *u = contact->axis[0][0];
    bl_json_open(s->json, "curve", '[');
    for (int i = 0; i < POINTS; i++) {
        double c[3][2], at[3];
        bl_curve_at(contact->curve, contact->curve->from + (contact->curve->to - contact->curve->from) * i / (POINTS - 1), c);
        at[0] = contact->point[0][0] + c[0][0] * u[0] - c[0][1] * u[1];
        at[1] = contact->point[0][1] + c[0][0] * u[1] + c[0][1] * u[0];
        at[2] = 0;
        put_point(s, NULL, at);
    }
    bl_json_close(s->json, ']');
}

/* points and first axes of both surfaces, which joint/touch_*.c describe by kind */
static void put_surfaces(bl_scene *s, const bl_contact_def *contact, const bl_joint_def *joint) {
    put_body(s, "a", joint->body[0]);
    put_body(s, "b", joint->body[1]);
    put_point(s, "at", contact->point[0]);
    put_point(s, "to", contact->point[1]);
    bl_json_open(s->json, "axes", '[');
    for (int side = 0; side < 2; side++)
        put_point(s, NULL, contact->axis[side][0]);
    bl_json_close(s->json, ']');
    bl_json_numbers(s->json, "radii", contact->number, 3);
    if (contact->curve && contact->touch != &bl_touch_curve_face) /* whose curve is a part of it */
        put_profile(s, contact);
}

static void put_contacts(bl_scene *s) {
    const bl_model *model = s->model;
    bl_json_open(s->json, "contacts", '[');
    for (bl_index c = 0; c < bl_model_contacts_shown(model); c++) {
        const bl_contact_def *contact = &model->contact[c];
        const bl_joint_def *joint = &model->joint[model->njoint + c];
        if (contact->force >= 0 || contact->nform)
            continue; /* inside a joint, or of variables */
        bl_json_open(s->json, NULL, '{');
        bl_json_text(s->json, "name", contact->name);
        bl_json_text(s->json, "kind", contact->touch ? contact->touch->name : "stop");
        if (contact->touch) {
            put_surfaces(s, contact, joint);
        } else {
            const bl_prim *gap = joint->prim;
            bl_json_text(s->json, "variable", model->variable[gap->var[0]].name);
            bl_json_number(s->json, gap->coef[0] > 0 ? "lower" : "upper", gap->value / gap->coef[0]);
        }
        bl_json_close(s->json, '}');
    }
    bl_scene_surfaces(s->json, model);
    bl_json_close(s->json, ']');
}

/* ---- groups, by counting */

static void put_numbers(bl_json *json, const char *key, bl_index n, const bl_index *number, bl_index less) {
    bl_json_open(json, key, '[');
    for (bl_index i = 0; i < n; i++)
        bl_json_integer(json, NULL, (long)number[i] - less);
    bl_json_close(json, ']');
}

static bl_status put_groups(bl_scene *s) {
    bl_json *json = s->json;
    bl_chain chain = {.size = sizeof chain};
    bl_structure_report report = {.size = sizeof report};
    bl_status status = BL_OK;
    bool wanted = s->model->ndriver > 0 && s->model->nbody > 1 && s->model->nbody <= BL_SCENE_GROUPS;
    if (wanted) {
        bl_log_pause(s->ctx, true);
        status = bl_chain_of_model(s->ctx, s->model, &chain);
        if (status == BL_OK)
            status = bl_structure(s->ctx, &chain, NULL, &report);
        bl_log_pause(s->ctx, false);
    }
    bl_json_open(json, "groups", '[');
    for (bl_index g = 0; status == BL_OK && wanted && g < report.ngroup; g++) {
        const bl_structure_group *group = &report.group[g];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", group->form[0] ? group->form : group->kind);
        bl_json_integer(json, "class", group->nlink);
        put_numbers(json, "bodies", group->nlink, group->link, 1);
        put_numbers(json, "joints", group->npair, group->pair, 0);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    bl_structure_report_destroy(s->ctx, &report);
    bl_chain_destroy(s->ctx, &chain);
    return status;
}

/* ---- the complete scene */

static bl_status put_scene(bl_scene *s) {
    const bl_model *model = s->model;
    bl_json *json = s->json;
    BL_TRY(draw(s));
    bl_scene_measure(s);
    BL_TRY(bl_scene_collect(s));
    bl_json_open(json, NULL, '{');
    bl_json_integer(json, "dimension", model->dim == 3 ? 3 : 2);
    put_point(s, "gravity", model->gravity);
    bl_json_number(json, "size", s->size);
    put_bodies(s);
    bl_scene_elastic(json, model);
    BL_TRY(put_joints(s));
    put_forces(s);
    put_probes(s);
    if (bl_model_contacts_shown(model) > 0 || (model->surfaces && model->surfaces->nlaw > 0))
        put_contacts(s);
    BL_TRY(put_groups(s));
    bl_json_open(json, "redundant", '[');
    bl_json_close(json, ']');
    bl_json_close(json, '}');
    return json->status;
}

bl_status bl_model_scene(bl_context *ctx, const bl_model *model, bl_json *json) {
    if (!ctx || !model || !json)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_model_scene needs a context, a model and a JSON text");
    bl_scene s = {.ctx = ctx, .model = model, .json = json, .arena.ctx = ctx};
    bl_status status = put_scene(&s);
    bl_hash_free(ctx, &s.known);
    bl_arena_destroy(&s.arena);
    return status;
}

bl_status bl_run_scene(bl_run *run) {
    if (!(run->want & BL_WANT_SCENE))
        return BL_OK;
    bl_json json = {.ctx = run->ctx};
    bl_status status = bl_model_scene(run->ctx, run->model, &json);
    if (status == BL_OK && !(run->info.scene = bl_arena_text(&run->arena, json.text, json.length)))
        status = BL_E_MEMORY;
    bl_json_destroy(&json);
    return status;
}

/* Builds groups with their equations and solvers from a model, its structure and an assembled configuration. */
#include "kinematics/kinematics_private.h"

#include "biela/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const bl_group_solver *const solvers[] = {
#define BL_KIND(name) &bl_group_##name,
#include "kinematics/solver_list.h"
#undef BL_KIND
};

typedef struct builder {
    bl_kinematics *k;
    const bl_chain *chain;
    const bl_structure_report *structure;
    const bl_structure_exceptions *exceptions;
    bool whole, closed, turns;
    bl_index *first_driver, *next_driver; /* [njoint], [ndriver]: njoint + driver, -1: none */
} builder;

/* ---- bodies, variables, drivers */

static void to_matrix(const double q[4], double R[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
                   2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    memcpy(R, m, sizeof m);
}

static bl_status copy_bodies(bl_kinematics *k, const bl_pose *pose) {
    const bl_model *model = k->model;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    BL_TRY(BL_ARENA_ARRAYS(&k->arena, BL_ARRAY(k->body, model->nbody), BL_ARRAY(k->kept, model->nbody), BL_ARRAY(k->group_of, model->nbody),
                           BL_ARRAY(k->local, model->nbody)));
    for (int i = 0; i < 5; i++)
        BL_TRY(BL_ARENA_NEW(&k->arena, k->around[i], model->nbody));
    for (bl_index b = 0; b < model->nbody; b++) {
        bl_body_motion *body = &k->body[b];
        *body = (bl_body_motion){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        if (b == 0)
            continue;
        memcpy(body->position, pose[b].position, sizeof body->position);
        to_matrix(pose[b].quaternion, body->rotation);
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], body->position[i]);
            high[i] = fmax(high[i], body->position[i]);
        }
    }
    k->size = 0;
    for (int i = 0; i < 3; i++)
        k->size = fmax(k->size, high[i] - low[i]);
    return BL_OK;
}

/* joints count for the size as well: the pin of a single link may be far from its mass center */
static void include_joints(bl_kinematics *k) {
    for (const bl_prim *prim = k->model->prim; prim < k->model->prim + k->model->nprim; prim++)
        for (int side = 0; side < 2 && (prim->what == BL_COINCIDE || prim->what == BL_DISTANCE); side++)
            for (int c = 0; prim->mark[side].body > 0 && c < 3; c++)
                k->size = fmax(k->size, fabs(prim->mark[side].s[c]));
    if (!(k->size > 0))
        k->size = 1;
}

static bl_status define_variables(bl_kinematics *k) {
    const bl_model *model = k->model;
    k->nvariable = model->nvariable;
    BL_TRY(BL_ARENA_ARRAYS(&k->arena, BL_ARRAY(k->measure, model->nvariable), BL_ARRAY(k->kept_value, model->nvariable),
                           BL_ARRAY(k->first_value, model->nvariable)));
    for (bl_index v = 0; v < model->nvariable; v++)
        k->measure[v].driver = -1;
    return BL_OK;
}

static bl_status define_drivers(bl_kinematics *k) {
    const bl_model *model = k->model;
    size_t work = 1;
    k->ndriver = model->ndriver;
    BL_TRY(BL_ARENA_NEW(&k->arena, k->driver, model->ndriver));
    for (bl_index d = 0; d < model->ndriver; d++) {
        bl_driver_value *g = &k->driver[d];
        g->law = &model->law[model->driver[d].law];
        k->measure[model->driver[d].variable].driver = d;
        BL_TRY(BL_ARENA_NEW(&k->arena, g->in, 3 * g->law->ninput));
        size_t need = bl_tape_series_work(g->law->tape, 2), plain = bl_tape_work(g->law->tape);
        work = need > work ? need : work;
        work = plain > work ? plain : work;
    }
    return BL_ARENA_NEW(&k->arena, k->tape_work, work);
}

/* ---- groups */

/* equations of a joint and of its drivers; out NULL: only counts */
static bl_status rows_of(const builder *b, bl_index joint, bl_joint_row *out, bl_index *n) {
    bl_joint_row rows[BL_JOINT_ROWS];
    bl_index count = 0;
    *n = 0;
    for (bl_index owner = joint; owner >= 0;
         owner = owner == joint ? b->first_driver[joint] : b->next_driver[owner - b->k->model->njoint]) {
        count = bl_rows_of_joint(b->k, owner, rows);
        if (owner == joint && b->chain->pair[joint].passive > 0)
            BL_TRY(bl_rows_of_passive(b->k, b->exceptions, joint, b->chain->pair[joint].passive, rows, &count));
        if (out)
            memcpy(out + *n, rows, (size_t)count * sizeof *rows);
        *n += count;
    }
    return BL_OK;
}

static bl_status collect(const builder *b, bl_link_group *group) {
    bl_kinematics *k = b->k;
    bl_index n = 0, npair = b->whole ? k->model->njoint : b->structure->group[group->number - 1].npair;
    const bl_index *pair = b->whole ? NULL : b->structure->group[group->number - 1].pair;
    BL_TRY(BL_ARENA_NEW(&k->arena, group->joint, npair));
    for (bl_index pass = 0; pass < 2; pass++) {
        if (pass == 1)
            BL_TRY(BL_ARENA_NEW(&k->arena, group->row, group->nrow));
        group->nrow = group->npair = 0;
        for (bl_index i = 0; i < npair; i++) {
            bl_index joint = pair ? pair[i] : i;
            BL_TRY(rows_of(b, joint, pass == 1 ? group->row + group->nrow : NULL, &n));
            group->nrow += n;
            if (n > 0)
                group->joint[group->npair++] = joint;
        }
        if (pass == 0 && group->nrow == 0)
            break;
    }
    return BL_OK;
}

static bl_status choose_solver(builder *b, bl_link_group *group) {
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        bool fits = false;
        if (!b->closed && !solvers[i]->follows)
            continue;
        group->solver = solvers[i]; /* set first so that a partial fit is released */
        BL_TRY(solvers[i]->fit(b->k, group, &fits));
        if (!fits)
            continue;
        b->k->follows = b->k->follows || solvers[i]->follows;
        b->k->count.nclosed += !solvers[i]->follows;
        return BL_OK;
    }
    return bl_fail(b->k->ctx, BL_E_ABILITY, NULL, "no solver fits structural group %d", group->number);
}

static bl_status list_drivers(builder *b) {
    const bl_model *model = b->k->model;
    BL_TRY(BL_ARENA_NEW(&b->k->arena, b->first_driver, model->njoint));
    BL_TRY(BL_ARENA_NEW(&b->k->arena, b->next_driver, model->ndriver));
    for (bl_index j = 0; j < model->njoint; j++)
        b->first_driver[j] = -1;
    for (bl_index d = model->ndriver - 1; d >= 0; d--) {
        bl_index joint = model->variable[model->driver[d].variable].joint;
        b->next_driver[d] = b->first_driver[joint];
        b->first_driver[joint] = model->njoint + d;
    }
    return BL_OK;
}

static bl_status make_groups(builder *b) {
    bl_kinematics *k = b->k;
    const bl_model *model = k->model;
    const bl_structure_report *s = b->structure;
    bl_index n = b->whole ? model->nbody > 1 : s->ngroup;
    BL_TRY(list_drivers(b));
    BL_TRY(BL_ARENA_NEW(&k->arena, k->group, n));
    for (bl_index i = 0; i < n; i++) {
        bl_link_group *group = &k->group[i];
        group->number = i + 1;
        group->nbody = b->whole ? model->nbody - 1 : s->group[i].nlink;
        BL_TRY(BL_ARENA_NEW(&k->arena, group->body, group->nbody));
        for (bl_index j = 0; j < group->nbody; j++) {
            group->body[j] = b->whole ? j + 1 : s->group[i].link[j];
            k->group_of[group->body[j]] = i + 1;
            k->local[group->body[j]] = j;
        }
        char *kind = NULL;
        BL_TRY(BL_ARENA_NEW(&k->arena, kind, 64));
        snprintf(kind, 64, "%s%s%s", b->whole ? "mechanism" : s->group[i].kind, b->whole || !s->group[i].form[0] ? "" : " ",
                 b->whole ? "" : s->group[i].form);
        group->kind = kind;
        if (group->nbody > k->count.largest)
            k->count.largest = group->nbody;
    }
    for (bl_index i = 0; i < n; i++) {
        BL_TRY(collect(b, &k->group[i]));
        k->ngroup = i + 1; /* so that a failure releases it */
        BL_TRY(choose_solver(b, &k->group[i]));
    }
    k->count.ngroup = n;
    return BL_OK;
}

/* angles whose revolutions matter in relations, or all, unless a driver gives them */
static bl_status find_tracked(bl_kinematics *k, bool all) {
    BL_TRY(BL_ARENA_NEW(&k->arena, k->track, k->nvariable));
    bool *wanted = NULL;
    BL_TRY(BL_ARENA_NEW(&k->arena, wanted, k->nvariable));
    for (bl_index g = 0; g < k->ngroup; g++)
        for (bl_index i = 0; i < k->group[g].nrow; i++)
            for (int j = 0; j < 3; j++) {
                const bl_joint_row *row = &k->group[g].row[i];
                bl_index v = row->prim.var[j];
                if (bl_prim_is_relation(&row->prim) && row->driver < 0 && v >= 0)
                    wanted[v] = k->model->variable[v].is_angle && k->measure[v].driver < 0;
            }
    for (bl_index v = 0; v < k->nvariable; v++)
        if (wanted[v] || (all && k->model->variable[v].is_angle && k->measure[v].driver < 0))
            k->track[k->ntrack++] = v;
    k->follows = k->follows || k->ntrack > 0;
    return BL_OK;
}

bl_status bl_kinematics_set_poses(bl_kinematics *k, const bl_pose *pose) {
    BL_TRY(copy_bodies(k, pose));
    include_joints(k);
    BL_TRY(define_variables(k));
    BL_TRY(define_drivers(k));
    for (bl_index v = 0; v < k->nvariable; v++) {
        bl_gradient g;
        bl_measure_at(k, v, &g);
        k->measure[v].last = g.value;
    }
    return BL_OK;
}

static bl_status build(builder *b, const bl_pose *pose) {
    BL_TRY(bl_kinematics_set_poses(b->k, pose));
    BL_TRY(make_groups(b));
    return find_tracked(b->k, b->turns);
}

bl_status bl_kinematics_build(bl_context *ctx, const bl_model *model, const bl_pose *pose, const bl_chain *chain,
                              const bl_structure_report *structure, const bl_structure_exceptions *exceptions,
                              const bl_kinematics_options *options, bl_kinematics **out) {
    const char *solver = options && options->solver ? options->solver : "groups";
    static const char *const names[] = {"groups", "newton", "whole"};
    bl_kinematics *k = NULL;
    *out = NULL;
    builder b = {.chain = chain,
                 .structure = structure,
                 .exceptions = exceptions,
                 .whole = strcmp(solver, "whole") == 0,
                 .closed = strcmp(solver, "groups") == 0,
                 .turns = options && options->turns};
    if (!b.whole && !b.closed && strcmp(solver, "newton") != 0) {
        const char *near = bl_nearest(solver, names, 3);
        bl_fail(ctx, BL_E_ARG, NULL, "unknown kinematics solver '%s'", solver);
        bl_advise(ctx, "%s%s", near ? "did you mean " : "choose groups, newton or ", near ? near : "whole");
        return BL_E_ARG;
    }
    BL_TRY(BL_NEW(ctx, k, 1));
    *k = (bl_kinematics){.ctx = ctx, .model = model, .arena.ctx = ctx};
    k->tolerance = options && options->tolerance > 0 ? options->tolerance : 1e-12;
    b.k = k;
    bl_status status = build(&b, pose);
    if (status == BL_OK)
        status = bl_kinematics_start(k);
    if (status == BL_OK)
        *out = k;
    else
        bl_kinematics_destroy(k);
    return status;
}

void bl_kinematics_destroy(bl_kinematics *k) {
    if (!k)
        return;
    for (bl_index i = 0; i < k->ngroup; i++)
        if (k->group[i].solver && k->group[i].solver->release)
            k->group[i].solver->release(k, &k->group[i]);
    bl_arena_destroy(&k->arena);
    bl_free(k->ctx, k);
}

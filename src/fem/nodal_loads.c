/* Loads as nodal forces: int N q dA over faces, int N b dV over elements, forces on nodes, gravity, temperatures. Loads that are a law of
 * time times a constant distribution keep that distribution; laws of position and time are integrated in every evaluation; pressure acts on
 * the deformed faces, with its derivative. */
#include "fem/assembly.h"
#include "model/law_inputs.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- laws */

double bl_fem_law(const bl_fem *fem, const bl_number_law *law, double t, const double x[3], double u, bl_fem_eval *p) {
    const bl_tape *tape;
    const double *pieces;
    bl_index n = law->law >= 0 ? bl_fem_law_inputs(fem, law->law, p, &tape, &pieces) : 0;
    if (n == 0)
        return bl_part_law(fem->model, law, t, x, u, NULL, p->element);
    const bl_law *l = &fem->model->law[law->law];
    double out;
    bl_law_read(fem->model, l, &(bl_instant){.t = t}, p->law_in);
    memcpy(p->law_in + l->ninput, pieces, (size_t)n * sizeof *pieces);
    bl_tape_eval(tape, p->law_in, &out, p->law_work);
    return out;
}

enum { OF_TIME = 1, OF_POSITION = 2 };

static unsigned depends(const bl_fem *fem, const bl_number_law *law) {
    unsigned on = 0;
    const bl_law *l = law->law >= 0 ? &fem->model->law[law->law] : NULL;
    for (bl_index k = 0; l && k < l->ninput; k++)
        on |= l->input[k].what == BL_SYM_TIME ? OF_TIME : l->input[k].what == BL_SYM_PARAMETER ? 0 : OF_POSITION;
    return on;
}

/* ---- points of faces and elements */

/* an integration point of a face or element */
typedef struct load_point {
    int nn;
    const bl_index *node; /* of the part */
    const double *N;
    double measure; /* weighted area or volume, including thickness or circumference */
    double density; /* of an element */
    double x[3];
    double normal[3]; /* of a face, outward, unit */
} load_point;

typedef bl_status (*visit_point)(void *user, const load_point *s);

/* thickness or circumference: volume in space per area in the plane; of bars, the area of the cross section */
static double depth_of(const bl_fem_part *part, bl_index element, const double x[3]) {
    if (part->solid->plane == BL_PLANE_AXISYMMETRIC)
        return 2 * pi * x[0];
    return part->thickness ? part->thickness[element] : part->solid->thickness;
}

/* area vector at a point of a face, from its tangents */
static void area_vector(int dim, const double t1[3], const double t2[3], double n[3]) {
    if (dim == 3) {
        n[0] = t1[1] * t2[2] - t1[2] * t2[1];
        n[1] = t1[2] * t2[0] - t1[0] * t2[2];
        n[2] = t1[0] * t2[1] - t1[1] * t2[0];
    } else { /* to the right of the edge */
        n[0] = t1[1];
        n[1] = -t1[0];
        n[2] = 0;
    }
}

/* outward direction of a segment at one of its ends */
static void end_normal(const bl_fem_part *part, const bl_element_kind *kind, const bl_index *node, int end, double normal[3]) {
    double x[BL_ELEMENT_NODES][3], dN[BL_ELEMENT_NODES][3], g[3 * BL_ELEMENT_NODES], t[3];
    for (int a = 0; a < kind->nnode; a++)
        memcpy(x[a], part->solid->mesh.x[node[a]], sizeof x[a]);
    kind->functions(kind->node[end], NULL, dN);
    (void)bl_element_line(part->dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g, t);
    for (int c = 0; c < 3; c++)
        normal[c] = end == 0 ? -t[c] : t[c];
}

static bl_status over_face(const bl_fem_part *part, bl_index element, uint8_t which, visit_point visit, void *user) {
    bl_index at;
    const bl_mesh_block *block = bl_mesh_block_of(&part->solid->mesh, element, &at);
    const bl_element_face *face = &block->kind->face[which];
    const bl_index *of = block->node + (size_t)at * block->kind->nnode;
    bl_index node[BL_FACE_NODES];
    double N[BL_FACE_NODES], dN[BL_FACE_NODES][3];
    if (!face->kind) { /* the end of a segment */
        double one = 1;
        node[0] = of[face->node[0]];
        load_point s = {.nn = 1, .node = node, .N = &one};
        memcpy(s.x, part->solid->mesh.x[node[0]], sizeof s.x);
        s.measure = depth_of(part, element, s.x);
        end_normal(part, block->kind, of, face->node[0], s.normal);
        return visit(user, &s);
    }
    bl_quadrature rule;
    BL_TRY(bl_quadrature_of(face->kind->shape, face->kind->mass_points, &rule));
    for (int a = 0; a < face->kind->nnode; a++)
        node[a] = of[face->node[a]];
    for (bl_index k = 0; k < rule.n; k++) {
        double t1[3] = {0}, t2[3] = {0}, n[3];
        load_point s = {.nn = face->kind->nnode, .node = node, .N = N};
        face->kind->functions(rule.at[k], N, dN);
        for (int a = 0; a < s.nn; a++)
            for (int c = 0; c < 3; c++) {
                double x = part->solid->mesh.x[node[a]][c];
                s.x[c] += N[a] * x;
                t1[c] += dN[a][0] * x;
                t2[c] += dN[a][1] * x;
            }
        area_vector(part->dim, t1, t2, n);
        double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int c = 0; c < 3; c++)
            s.normal[c] = n[c] / size;
        s.measure = size * rule.weight[k] * (part->dim == 3 ? 1 : depth_of(part, element, s.x));
        BL_TRY(visit(user, &s));
    }
    return BL_OK;
}

static bl_status over_element(const bl_fem_part *part, const bl_fem_group *group, bl_index e, bl_fem_eval *p, visit_point visit,
                              void *user) {
    int nn = group->kind->nnode;
    const bl_index *node = group->node + (size_t)e * (size_t)nn;
    bl_element_work *w = p->element;
    for (int a = 0; a < nn; a++)
        memcpy(w->x[a], part->solid->mesh.x[node[a]], sizeof w->x[a]);
    for (bl_index k = 0; k < group->mass_rule.n; k++) {
        load_point s = {.nn = nn, .node = node, .N = group->mass_rule.N + (size_t)k * (size_t)nn, .density = group->material->density};
        const double(*dN)[3] = (const double(*)[3])(group->mass_rule.dN + (size_t)k * (size_t)nn);
        double det = bl_part_gradients(part, nn, (const double(*)[3])w->x, dN, w->g);
        for (int a = 0; a < nn; a++)
            for (int c = 0; c < 3; c++)
                s.x[c] += s.N[a] * w->x[a][c];
        s.measure = det * group->mass_rule.weight[k] * (part->dim == 3 && !part->bars ? 1 : depth_of(part, group->element[e], s.x));
        BL_TRY(visit(user, &s));
    }
    return BL_OK;
}

/* *item: index in the set of the element being visited */
static bl_status over_elements(const bl_fem_part *part, const bl_mesh_set *set, bl_fem_eval *p, visit_point visit, void *user,
                               bl_index *item) {
    for (bl_index g = 0; g < part->ngroup; g++) {
        const bl_fem_group *group = &part->group[g];
        bl_index at = 0;
        for (bl_index e = 0; e < group->count; e++) {
            while (set && at < set->count && set->item[at] < group->element[e])
                at++;
            *item = at;
            if (!set || (at < set->count && set->item[at] == group->element[e]))
                BL_TRY(over_element(part, group, e, p, visit, user));
        }
    }
    return BL_OK;
}

/* ---- one load, one component: f += value N measure */

typedef struct adding {
    const bl_fem *fem;
    bl_index part;
    const bl_solid_load *load;
    int component;
    double t;
    double unit; /* replaces the value of the law to get the distribution */
    bool shape;
    bool base;     /* include the constant part of the load */
    bl_index item; /* index in the load's set */
    bl_fem_eval *p;
    double *f;
} adding;

/* value at an item of the load's set from the value of the law */
static double value_at_item(const bl_solid_load *load, bl_index item, bool base, double value) {
    return (base && load->base ? load->base[item] : 0) + (load->by ? load->by[item] : 1) * value;
}

static const bl_number_law *law_of(const bl_solid_load *load, int component) {
    return &load->value[load->what == BL_LOAD_NORMAL || load->what == BL_LOAD_FLUX ? 0 : component];
}

static double density_of(const adding *on, const load_point *s) {
    const bl_solid_load *load = on->load;
    const bl_number_law *law = law_of(load, on->component);
    double value = value_at_item(load, on->item, on->base, on->shape ? on->unit : bl_fem_law(on->fem, law, on->t, s->x, 0, on->p));
    if (load->what == BL_LOAD_NORMAL)
        value *= s->normal[on->component];
    return load->what == BL_LOAD_MASS ? value * s->density : value;
}

static bl_status add_at_point(void *user, const load_point *s) {
    const adding *on = user;
    bl_index nc = on->fem->part[on->part].ncomponent, base = on->fem->full0[on->part];
    double value = density_of(on, s), factor = value * s->measure;
    if (!isfinite(value))
        return bl_fem_refuse_law(on->fem, law_of(on->load, on->component), "the load", on->part, s->x, on->t);
    for (int a = 0; a < s->nn; a++)
        on->f[base + s->node[a] * nc + on->component] += s->N[a] * factor;
    return BL_OK;
}

static bl_status add_nodes(adding *on) {
    const bl_solid_load *load = on->load;
    const bl_fem_part *part = &on->fem->part[on->part];
    bl_index count = load->set ? load->set->count : 1;
    for (bl_index k = 0; k < count; k++) {
        bl_index node = load->set ? load->set->item[k] : load->node;
        double value = on->shape ? on->unit : bl_fem_law(on->fem, &load->value[on->component], on->t, part->solid->mesh.x[node], 0, on->p);
        if (!isfinite(value))
            return bl_fem_refuse_law(on->fem, &load->value[on->component], "the load", on->part, part->solid->mesh.x[node], on->t);
        on->f[on->fem->full0[on->part] + node * part->ncomponent + on->component] += value_at_item(load, k, on->base, value);
    }
    return BL_OK;
}

static bl_status add_load(adding *on) {
    const bl_fem_part *part = &on->fem->part[on->part];
    const bl_solid_load *load = on->load;
    switch (load->what) {
    case BL_LOAD_NODE: return add_nodes(on);
    case BL_LOAD_VOLUME:
    case BL_LOAD_MASS: return over_elements(part, load->set, on->p, add_at_point, on, &on->item);
    case BL_LOAD_TRACTION:
    case BL_LOAD_NORMAL:
    case BL_LOAD_FLUX:
        for (bl_index k = 0; k < load->set->count; k++) {
            on->item = k;
            BL_TRY(over_face(part, load->set->item[k], load->set->face[k], add_at_point, on));
        }
        return BL_OK;
    default: return BL_OK; /* not a force, or a follower load */
    }
}

bl_status bl_part_dead_load(const bl_fem_part *part, const bl_solid_load *load, double *f) {
    bl_context *ctx = part->arena.ctx;
    bl_fem_part alone = *part;
    bl_index full0[2] = {0, part->solid->mesh.nnode * part->ncomponent};
    bl_fem fem = {.ctx = ctx, .model = part->model, .npart = 1, .part = &alone, .full0 = full0};
    bl_fem_eval p = {0};
    size_t inputs = 0, work = 0;
    for (int c = 0; c < part->ncomponent; c++) {
        const bl_number_law *law = &load->value[c];
        const bl_law *l = law->law >= 0 ? &part->model->law[law->law] : NULL;
        inputs = l && (size_t)l->ninput > inputs ? (size_t)l->ninput : inputs;
        work = l && bl_tape_work(l->tape) > work ? bl_tape_work(l->tape) : work;
    }
    double *room;
    BL_TRY(BL_NEW(ctx, p.element, 1));
    bl_status status = BL_NEW(ctx, room, inputs + work + 1);
    p.element->law_in = room;
    p.element->law_work = room + inputs;
    for (int c = 0; c < part->ncomponent && status == BL_OK; c++) {
        adding on = {.fem = &fem, .load = load, .component = c, .base = true, .p = &p, .f = f};
        status = add_load(&on);
    }
    bl_free(ctx, room);
    bl_free(ctx, p.element);
    return status == BL_NOT_FINITE ? BL_E_MODEL : status;
}

/* ---- precomputed loads */

static bl_index part_of(const bl_fem *fem, bl_index solid) {
    bl_index p = 0;
    while (fem->part[p].solid != &fem->model->solid[solid])
        p++;
    return p;
}

static bl_status keep_shape(bl_fem *fem, const bl_number_law *factor, const double *f) {
    BL_TRY(BL_RESERVE(fem->ctx, fem->shape, fem->shape_room, fem->nshape + 1));
    bl_fem_shape *s = &fem->shape[fem->nshape++];
    *s = (bl_fem_shape){.factor = *factor};
    for (bl_index k = 0; k < fem->nfull; k++)
        s->n += f[k] != 0;
    BL_TRY(BL_ARENA_ARRAYS(&fem->arena, BL_ARRAY(s->at, s->n), BL_ARRAY(s->value, s->n)));
    bl_index n = 0;
    for (bl_index k = 0; k < fem->nfull; k++)
        if (f[k] != 0) {
            s->at[n] = k;
            s->value[n++] = f[k];
        }
    return BL_OK;
}

static bl_status compile_component(bl_fem *fem, adding *on, bool *variable) {
    const bl_number_law *law = law_of(on->load, on->component);
    unsigned on_what = depends(fem, law);
    if (on_what & OF_TIME)
        fem->time_loads = true;
    if ((on_what & OF_TIME) && (on_what & OF_POSITION)) {
        *variable = true;
        return BL_OK;
    }
    if (law->law < 0 && law->number == 0)
        return BL_OK;
    on->f = fem->dead;
    on->base = true;
    if (!(on_what & OF_TIME))
        return add_load(on);
    on->shape = true;
    if (on->load->base)
        BL_TRY(add_load(on));
    on->base = false;
    on->unit = 1;
    on->f = on->p->f;
    memset(on->f, 0, (size_t)fem->nfull * sizeof *on->f);
    BL_TRY(add_load(on));
    return keep_shape(fem, law, on->f);
}

static bl_status gravity(bl_fem *fem, bl_fem_eval *p) {
    for (bl_index part = 0; part < fem->npart; part++) {
        if (!fem->part[part].solid->strain)
            continue;
        for (int c = 0; c < fem->part[part].dim; c++) {
            if (fem->model->gravity[c] == 0)
                continue;
            bl_solid_load load = {.what = BL_LOAD_MASS};
            load.value[c] = (bl_number_law){-1, fem->model->gravity[c]};
            adding on = {.fem = fem, .part = part, .load = &load, .component = c, .p = p, .f = fem->dead};
            BL_TRY(add_load(&on));
        }
    }
    bl_fem_mass_weight(fem, fem->dead);
    return BL_OK;
}

/* films with constant coefficients on fields without an energy are part of the constant stiffness */
static void note_follower(bl_fem *fem, const bl_solid_load *load, bl_index part) {
    bool film = load->what == BL_LOAD_FILM, has_pressure = load->what == BL_LOAD_PRESSURE;
    bool constant = !(depends(fem, &load->value[0]) & OF_TIME) && fem->part[part].solid->order != 2;
    fem->has_follower = fem->has_follower || film || has_pressure;
    fem->has_pressure = fem->has_pressure || has_pressure;
    /* forces of a field on a body: Newton's method needs one iteration for the field and one more for the body */
    fem->nonlinear_follower = fem->nonlinear_follower || has_pressure || (film && !constant) || load->field;
    fem->time_loads = fem->time_loads || (film && (depends(fem, &load->value[1]) & OF_TIME));
}

bl_status bl_fem_loads(bl_fem *fem, bl_fem_eval *p) {
    BL_TRY(BL_ARENA_ARRAYS(&fem->arena, BL_ARRAY(fem->dead, fem->nfull), BL_ARRAY(fem->variable_load, fem->model->nsolid_load)));
    for (bl_index l = 0; l < fem->model->nsolid_load; l++) {
        const bl_solid_load *load = &fem->model->solid_load[l];
        bl_index part = part_of(fem, load->solid);
        bool variable = false;
        note_follower(fem, load, part);
        fem->has_temperatures = fem->has_temperatures || load->what == BL_LOAD_TEMPERATURE;
        for (int c = 0; c < fem->part[part].ncomponent; c++) {
            adding on = {.fem = fem, .part = part, .load = load, .component = c, .p = p};
            BL_TRY(bl_fem_constant_failure(fem, compile_component(fem, &on, &variable)));
        }
        if (variable)
            fem->variable_load[fem->nvariable_load++] = l;
    }
    return gravity(fem, p);
}

/* components of a load that are laws of position and time */
static bl_status add_variable(const bl_fem *fem, double t, bl_index l, bl_fem_eval *p, double *f) {
    const bl_solid_load *load = &fem->model->solid_load[l];
    bl_index part = part_of(fem, load->solid);
    for (int c = 0; c < fem->part[part].ncomponent; c++) {
        adding on = {.fem = fem, .part = part, .load = load, .component = c, .t = t, .p = p, .f = f};
        if (depends(fem, law_of(load, c)) == (OF_TIME | OF_POSITION))
            BL_TRY(add_load(&on));
    }
    return BL_OK;
}

static bl_status temperatures(const bl_fem *fem, double t, bl_fem_eval *p) {
    for (bl_index part = 0; part < fem->npart; part++)
        for (bl_index g = 0; g < fem->part[part].ngroup; g++) { /* default: the reference temperature */
            const bl_fem_group *group = &fem->part[part].group[g];
            for (size_t k = 0; k < (size_t)group->count * group->kind->nnode; k++)
                p->temperature[fem->node0[part] + group->node[k]] = group->material->reference_temperature;
        }
    for (bl_index l = 0; l < fem->model->nsolid_load; l++) {
        const bl_solid_load *load = &fem->model->solid_load[l];
        if (load->what != BL_LOAD_TEMPERATURE)
            continue;
        bl_index part = part_of(fem, load->solid), all = fem->part[part].solid->mesh.nnode;
        for (bl_index k = 0; k < (load->set ? load->set->count : all); k++) {
            bl_index node = load->set ? load->set->item[k] : k;
            const double *x = fem->part[part].solid->mesh.x[node];
            double c[3];
            if (load->field) {
                p->temperature[fem->node0[part] + node] = p->u[fem->full0[part_of(fem, load->field - 1)] + node];
                continue;
            }
            bl_fem_expand(fem, &load->value[0], t, x, p, c);
            if (!isfinite(c[0]))
                return bl_fem_refuse_law(fem, &load->value[0], "the temperature", part, x, t);
            p->temperature[fem->node0[part] + node] = value_at_item(load, k, true, c[0]);
            p->temperature_rate[fem->node0[part] + node] =
                isfinite(c[1]) ? value_at_item(load, k, false, c[1]) : 0; /* infinite at the start for laws like sqrt(t) */
        }
    }
    return BL_OK;
}

bl_status bl_fem_load_at(const bl_fem *fem, double t, bl_fem_eval *p, double *f) {
    static const double origin[3] = {0};
    memcpy(f, fem->dead, (size_t)fem->nfull * sizeof *f);
    for (bl_index s = 0; s < fem->nshape; s++) {
        const bl_fem_shape *shape = &fem->shape[s];
        double factor = bl_fem_law(fem, &shape->factor, t, origin, 0, p);
        if (!isfinite(factor)) {
            const bl_law *law = &fem->model->law[shape->factor.law];
            bl_fail(fem->ctx, BL_NOT_FINITE, &law->place, "the load %s is not finite at t = %.9g", law->text, t);
            bl_advise(fem->ctx, "check the expression for a root or logarithm of a negative number and for division by zero");
            bl_blame(fem->ctx, NULL, NULL, t);
            return BL_NOT_FINITE;
        }
        for (bl_index k = 0; k < shape->n; k++)
            f[shape->at[k]] += factor * shape->value[k];
    }
    for (bl_index l = 0; l < fem->nvariable_load; l++)
        BL_TRY(add_variable(fem, t, fem->variable_load[l], p, f));
    return fem->has_temperatures ? temperatures(fem, t, p) : BL_OK;
}

/* ---- loads that depend on the unknowns: pressure on deformed faces, films */

typedef struct follower {
    const bl_fem *fem;
    bl_index part;
    const bl_solid_load *load;
    double t;
    bl_fem_eval *p;
    double *f, *K;
} follower;

/* f_a = -p int N_a n da on the deformed face, n da = x_1 x x_2; derivative by the nodes of the face */
static bl_status pressure_face(const follower *on, bl_index item) {
    bl_index element = on->load->set->item[item];
    uint8_t which = on->load->set->face[item];
    const bl_fem *fem = on->fem;
    const bl_fem_part *part = &fem->part[on->part];
    bl_index at;
    const bl_mesh_block *block = bl_mesh_block_of(&part->solid->mesh, element, &at);
    const bl_element_face *face = &block->kind->face[which];
    const bl_index *of = block->node + (size_t)at * block->kind->nnode;
    bl_index dim = part->dim, base = fem->full0[on->part];
    bool axisymmetric = part->solid->plane == BL_PLANE_AXISYMMETRIC;
    int nd = face->kind->nnode * (int)dim;
    bl_index full[3 * BL_FACE_NODES];
    double m[9 * BL_FACE_NODES * BL_FACE_NODES] = {0};
    for (int k = 0; k < nd; k++)
        full[k] = base + of[face->node[k / dim]] * dim + k % dim;
    bl_quadrature rule;
    BL_TRY(bl_quadrature_of(face->kind->shape, face->kind->mass_points, &rule));
    for (bl_index k = 0; k < rule.n; k++) {
        double N[BL_FACE_NODES], dN[BL_FACE_NODES][3], t1[3] = {0}, t2[3] = {0}, n[3], x[3] = {0}, x0[3] = {0};
        face->kind->functions(rule.at[k], N, dN);
        for (int a = 0; a < face->kind->nnode; a++)
            for (int c = 0; c < dim; c++) {
                bl_index node = of[face->node[a]];
                double now = part->solid->mesh.x[node][c] + on->p->u[base + node * dim + c];
                x[c] += N[a] * now;
                x0[c] += N[a] * part->solid->mesh.x[node][c];
                t1[c] += dN[a][0] * now;
                t2[c] += dN[a][1] * now;
            }
        area_vector((int)dim, t1, t2, n);
        double depth = dim == 3 ? 1 : depth_of(part, element, x);
        double factor = -value_at_item(on->load, item, true, bl_fem_law(fem, &on->load->value[0], on->t, x0, 0, on->p)) * rule.weight[k];
        for (int a = 0; a < face->kind->nnode; a++) {
            bl_index row = base + of[face->node[a]] * dim;
            for (int c = 0; c < dim; c++)
                on->f[row + c] += factor * depth * N[a] * n[c];
            for (int b = 0; on->K && b < face->kind->nnode; b++) {
                double slope[3][3] = {{0}}; /* of n times depth, with respect to the position of node b */
                const double d1 = dN[b][0], d2 = dN[b][1];
                if (dim == 3) { /* d(t1 x t2) = d1 e x t2 + t1 x d2 e */
                    double s[3];
                    for (int c = 0; c < 3; c++)
                        s[c] = d1 * t2[c] - d2 * t1[c];
                    /* e_j x s in column j */
                    slope[1][0] = -s[2], slope[2][0] = s[1];
                    slope[0][1] = s[2], slope[2][1] = -s[0];
                    slope[0][2] = -s[1], slope[1][2] = s[0];
                } else {
                    slope[0][1] = d1 * depth;
                    slope[1][0] = -d1 * depth;
                    for (int i = 0; axisymmetric && i < 2; i++)
                        slope[i][0] += 2 * pi * N[b] * n[i];
                }
                for (int i = 0; i < dim; i++)
                    for (int j = 0; j < dim; j++)
                        m[(a * dim + i) * nd + b * dim + j] += factor * N[a] * slope[i][j];
            }
        }
    }
    if (on->K)
        bl_fem_add_dofs(fem, nd, full, m, -1, false, &fem->pattern, on->K);
    return BL_OK;
}

static bl_status add_film_at_point(void *user, const load_point *s) {
    const follower *on = user;
    const bl_fem *fem = on->fem;
    bl_index base = fem->full0[on->part];
    double u = 0, h = bl_fem_law(fem, &on->load->value[0], on->t, s->x, 0, on->p);
    double outside = bl_fem_law(fem, &on->load->value[1], on->t, s->x, 0, on->p);
    for (int a = 0; a < s->nn && !on->p->film_constant_only; a++)
        u += s->N[a] * on->p->u[base + s->node[a]];
    bl_index full[BL_FACE_NODES];
    double m[BL_FACE_NODES * BL_FACE_NODES];
    for (int a = 0; a < s->nn; a++) {
        full[a] = base + s->node[a];
        on->f[full[a]] -= s->N[a] * h * (u - outside) * s->measure;
        for (int b = 0; b < s->nn; b++)
            m[a * s->nn + b] = s->N[a] * s->N[b] * h * s->measure;
    }
    if (on->K)
        bl_fem_add_dofs(fem, s->nn, full, m, 1, false, &fem->pattern, on->K);
    return BL_OK;
}

bl_status bl_fem_pressure(const bl_fem *fem, double t, bl_fem_eval *p, double *f, double *K) {
    for (bl_index l = 0; l < fem->model->nsolid_load; l++) {
        const bl_solid_load *load = &fem->model->solid_load[l];
        follower on = {.fem = fem, .part = part_of(fem, load->solid), .load = load, .t = t, .p = p, .f = f, .K = K};
        for (bl_index k = 0; load->what == BL_LOAD_PRESSURE && k < load->set->count; k++)
            BL_TRY(pressure_face(&on, k));
        for (bl_index k = 0; load->what == BL_LOAD_FILM && k < load->set->count; k++)
            BL_TRY(over_face(&fem->part[on.part], load->set->item[k], load->set->face[k], add_film_at_point, &on));
    }
    return BL_OK;
}

/* ---- rounding errors of internal forces, however small displacements are, correspond to displacements of this size */

/* edge of a cube or square with the volume of the mean element */
static double element_size(const bl_fem_part *part) {
    return pow(bl_mesh_volume(&part->solid->mesh) / part->solid->mesh.nelement, 1.0 / part->dim);
}

/* Forces of thermal strains cancel between neighbors; their rounding errors are those of displacements that cause such strains. */
static double thermal_size(const bl_fem *fem, bl_index p, const bl_fem_eval *eval) {
    double size = 0;
    for (bl_index g = 0; g < fem->part[p].ngroup; g++) {
        const bl_fem_group *group = &fem->part[p].group[g];
        double most = 0;
        for (size_t k = 0; k < (size_t)group->count * group->kind->nnode && group->material->expansion != 0; k++)
            most = fmax(most, fabs(eval->temperature[fem->node0[p] + group->node[k]] - group->material->reference_temperature));
        size = fmax(size, fabs(group->material->expansion) * most);
    }
    return size > 0 ? size * element_size(&fem->part[p]) : 0;
}

/* Large strains are computed from 1 + grad u: rounding errors are those of displacements as large as an element. */
double bl_fem_rounded(const bl_fem *fem, const bl_fem_eval *eval) {
    double size = 0;
    for (bl_index p = 0; p < fem->npart; p++) {
        const bl_solid *solid = fem->part[p].solid;
        if (solid->strain && !solid->strain->small)
            size = fmax(size, element_size(&fem->part[p]));
        else if (solid->strain && fem->has_temperatures && eval)
            size = fmax(size, thermal_size(fem, p, eval));
    }
    return size;
}

/* Reactions. The load that the joints must supply to a body is found at its entities:
 *
 *     load = M_b a - Q_b + G^T lambda   (equations of this body only)
 *
 * a force on each point, a generalized force g on each vector, that is a moment u x g. A joint that shares entities transmits such loads
 * between the seats of its two bodies: seats with one undetermined joint are balanced one after another, and loops of joints on one
 * entity divide the load with minimum norm. Joints with equations add their multipliers. Forces on a driven or spring-loaded variable
 * are not reactions. */
#include "base/vector3.h"
#include "coords/mechanism.h"
#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

static void add_cross(const double *a, const double *b, double *c) {
    c[0] += a[1] * b[2] - a[2] * b[1];
    c[1] += a[2] * b[0] - a[0] * b[2];
    c[2] += a[0] * b[1] - a[1] * b[0];
}

/* ---- set-up */

void bl_wrench_group(bl_index ngroup, bl_index n, const bl_index *of, size_t stride, bl_index *ptr, bl_index *list) {
    memset(ptr, 0, ((size_t)ngroup + 1) * sizeof *ptr);
    for (int pass = 0; pass < 2; pass++) {
        for (bl_index i = 0; i < n; i++) {
            bl_index g = *(const bl_index *)(const void *)((const char *)of + (size_t)i * stride);
            if (g < 0)
                continue;
            if (pass == 0)
                ptr[g + 1]++;
            else
                list[ptr[g]++] = i;
        }
        for (bl_index g = 0; pass == 0 && g < ngroup; g++)
            ptr[g + 1] += ptr[g];
    }
    for (bl_index g = ngroup; g > 0; g--) /* filling advanced each start to the next one */
        ptr[g] = ptr[g - 1];
    ptr[0] = 0;
}

/* the joint of a row; -1: none */
static bl_index joint_of_row(const bl_mechanism *m, bl_index r) {
    const bl_row *row = &m->row[r];
    bool of_joint = row->what == BL_ROW_JOINT || row->what == BL_ROW_CLOSURE || row->what == BL_ROW_VARIABLE;
    return of_joint ? row->owner : -1;
}

/* what each joint transmits to its bodies: terms of its equations, shared entities */
static bl_status joint_tables(bl_mechanism *m) {
    bl_index njoint = bl_model_joints(m->model), most = m->nquad > m->nlinear ? m->nquad : m->nlinear, *of;
    most = m->nproduct > most ? m->nproduct : most;
    most = m->nrow > most ? m->nrow : most;
    const bl_index count[5] = {m->nquad, m->nlinear, m->nproduct, m->nshare, m->nrow};
    for (int k = 0; k < 5; k++) {
        BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->joint_ptr[k], (size_t)njoint + 1), BL_ARRAY(m->joint_list[k], count[k])));
    }
    BL_TRY(BL_NEW(m->ctx, of, most));
    for (int k = 0; k < 3; k++) {
        for (bl_index i = 0; i < count[k]; i++)
            of[i] = joint_of_row(m, k == 0 ? m->quad[i].row : k == 1 ? m->linear[i].row : m->product[i].row);
        bl_wrench_group(njoint, count[k], of, sizeof *of, m->joint_ptr[k], m->joint_list[k]);
    }
    for (bl_index r = 0; r < m->nrow; r++)
        of[r] = m->row[r].what == BL_ROW_VARIABLE ? m->row[r].owner : -1;
    bl_wrench_group(njoint, m->nrow, of, sizeof *of, m->joint_ptr[4], m->joint_list[4]);
    bl_free(m->ctx, of);
    if (m->nshare)
        bl_wrench_group(njoint, m->nshare, &m->share[0].joint, sizeof *m->share, m->joint_ptr[3], m->joint_list[3]);
    return BL_OK;
}

/* Seats of each body by entity, then by index. */
static bl_status sort_seats(bl_mechanism *m) {
    bl_index nbody = m->model->nbody, *work;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->seat_sorted, m->nseat));
    BL_TRY(BL_NEW(m->ctx, work, m->nentity + 1 + m->nseat + nbody));
    bl_index *ptr = work, *by_entity = ptr + m->nentity + 1, *next = by_entity + m->nseat;
    if (m->nseat)
        bl_wrench_group(m->nentity, m->nseat, &m->seat[0].entity, sizeof *m->seat, ptr, by_entity);
    memcpy(next, m->seat_ptr, (size_t)nbody * sizeof *next);
    for (bl_index i = 0; i < m->nseat; i++)
        m->seat_sorted[next[m->seat[by_entity[i]].body]++] = by_entity[i];
    bl_free(m->ctx, work);
    return BL_OK;
}

/* index into seat_load for a force on an entry of x at a seat of the body; -1: none */
static bl_index load_index_of(const bl_mechanism *m, bl_index body, bl_index entry) {
    bl_index e = m->entry_entity[entry], low = m->seat_ptr[body], high = m->seat_ptr[body + 1];
    while (low < high) { /* the first seat whose entity is not before this one */
        bl_index middle = low + (high - low) / 2;
        if (m->seat[m->seat_sorted[middle]].entity < e)
            low = middle + 1;
        else
            high = middle;
    }
    if (e < 0 || low == m->seat_ptr[body + 1] || m->seat[m->seat_sorted[low]].entity != e)
        return -1;
    return 3 * m->seat_sorted[low] + entry - m->entity[e].base;
}

/* likewise; what acts on a mesh may act on nodes that are fixed in its frames */
static bl_index load_index(const bl_mechanism *m, bl_index body, bl_index entry) {
    bl_index found = load_index_of(m, body, entry);
    const bl_mesh_body *mesh = found < 0 ? bl_mesh_of(m, body) : NULL;
    for (bl_index k = 0; mesh && found < 0 && k < mesh->def->nframe; k++)
        found = load_index_of(m, mesh->def->frame + k, entry);
    return found;
}

/* indices into seat_load for every linear term, and for every term of the parts of all directions */
static bl_status push_tables(bl_mechanism *m) {
    bl_index n = 0;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->linear_to, m->nlinear));
    for (bl_index t = 0; t < m->nlinear; t++)
        m->linear_to[t] = m->linear[t].body > 0 ? load_index(m, m->linear[t].body, m->linear[t].entry) : -1;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->push_ptr, 2 * (size_t)m->ndir + 1));
    for (int fill = 0; fill < 2; fill++) {
        n = 0;
        for (bl_index d = 0; d < 2 * m->ndir; d++) {
            const bl_part *part = &m->part[d / 2][d % 2];
            m->push_ptr[d] = n;
            if (part->body <= 0)
                continue;
            for (bl_index i = m->form_ptr[part->form * m->dim]; i < m->form_ptr[(part->form + 1) * m->dim]; i++, n++)
                if (fill)
                    m->push_to[n] = load_index(m, part->body, m->form_entry[i]);
        }
        m->push_ptr[2 * m->ndir] = n;
        if (!fill && !(m->push_to = bl_arena_alloc(&m->arena, (size_t)n, sizeof *m->push_to)))
            return BL_E_MEMORY;
    }
    return BL_OK;
}

/* contribution of a quadratic term on one body, with `other` as second direction */
static bl_index part_ops(bl_mechanism *m, const struct bl_quad *q, bl_index dir, int p, bl_index other, bl_index n, bool fill) {
    const bl_part *part = &m->part[dir][p];
    if (part->body <= 0)
        return n;
    const bl_index *to = m->push_to + m->push_ptr[2 * dir + p];
    for (int k = 0; k < m->dim; k++)
        for (bl_index i = m->form_ptr[part->form * m->dim + k]; i < m->form_ptr[part->form * m->dim + k + 1]; i++, to++) {
            if (*to >= 0 && fill)
                m->quad_op[n] = (struct bl_quad_op){*to, q->row, other * m->dim + k, q->coef * part->sign * m->form_coef[i]};
            n += *to >= 0;
        }
    return n;
}

static bl_status quad_tables(bl_mechanism *m) {
    for (int fill = 0; fill < 2; fill++) {
        bl_index n = 0;
        for (bl_index t = 0; t < m->nquad; t++)
            for (int p = 0; p < 2; p++) {
                n = part_ops(m, &m->quad[t], m->quad[t].a, p, m->quad[t].b, n, fill);
                n = part_ops(m, &m->quad[t], m->quad[t].b, p, m->quad[t].a, n, fill);
            }
        m->nquad_op = n;
        if (!fill && !(m->quad_op = bl_arena_alloc(&m->arena, (size_t)n, sizeof *m->quad_op)))
            return BL_E_MEMORY;
    }
    return BL_OK;
}

/* the last seat on a fixed axis about which the body rotates; -1: none */
static bl_index axis_seat(const bl_mechanism *m, bl_index body) {
    const bl_basis *basis = &m->basis[body];
    bl_index found = -1;
    for (bl_index i = m->seat_ptr[body]; m->dim == 3 && basis->n == 3 && basis->seat[2] < 0 && i < m->seat_ptr[body + 1]; i++) {
        const bl_entity *entity = &m->entity[m->seat[m->seat_list[i]].entity];
        found = entity->is_vector && entity->fixed ? m->seat_list[i] : found;
    }
    return found;
}

static bl_status find_fixed_axes(bl_mechanism *m) {
    if (!(m->on_fixed_axis = bl_arena_alloc(&m->arena, (size_t)m->model->nbody, sizeof *m->on_fixed_axis)))
        return BL_E_MEMORY;
    for (bl_index b = 1; b < m->model->nbody; b++) {
        m->on_fixed_axis[b] = axis_seat(m, b) >= 0;
        m->any_on_fixed_axis = m->any_on_fixed_axis || m->on_fixed_axis[b];
    }
    for (bl_index v = 0; v < m->model->nvariable; v++)
        m->variables = m->variables || m->gauge[v].entry >= 0;
    return BL_OK;
}

/* indices into seat_load for the basis directions of all bodies */
static bl_status inertia_tables(bl_mechanism *m) {
    bl_index nbody = m->model->nbody, n = 0;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->inertia_ptr, 4 * (size_t)nbody + 1));
    for (int fill = 0; fill < 2; fill++) {
        n = 0;
        for (bl_index d = 4; d < 4 * nbody; d++) {
            const bl_basis *basis = &m->basis[d / 4];
            bl_form f;
            bl_form_clear(&f);
            m->inertia_ptr[d] = n;
            if (d % 4 > basis->n || bl_mesh_of(m, d / 4))
                continue;
            if (d % 4 == 0)
                bl_form_entity(m, m->seat[basis->origin].entity, 1, &f);
            else
                BL_TRY(bl_form_basis(m, basis, d % 4 - 1, &f));
            for (int k = 0; k < m->dim; k++)
                for (bl_index t = 0; t < f.n[k]; t++) {
                    bl_index to = load_index(m, d / 4, f.entry[k][t]);
                    if (to >= 0 && fill)
                        m->inertia[n] = (struct bl_inertia){to, k, f.coef[k][t]};
                    n += to >= 0;
                }
        }
        m->inertia_ptr[4 * nbody] = n;
        if (!fill && !(m->inertia = bl_arena_alloc(&m->arena, (size_t)n, sizeof *m->inertia)))
            return BL_E_MEMORY;
    }
    return BL_OK;
}

/* the body whose balance gives the reaction of a joint: the second, or the first if the second is ground */
static bl_index reporting_body(const bl_mechanism *m, bl_index joint) {
    const bl_index *body = m->model->joint[joint].body;
    return body[1] == 0 ? body[0] : body[1];
}

typedef struct seat_set {
    bl_mechanism *m;
    bl_index body, mark; /* seats of this body; those visited have this mark */
    bl_index *seen;      /* [nseat] */
    bl_index *list, n, room;
} seat_set;

/* whether a seat is one of the body, or, if that is a mesh, of its frames */
static bool is_own(const bl_mechanism *m, bl_index body, bl_index seat) {
    const bl_body *of = &m->model->body[m->seat[seat].body];
    return m->seat[seat].body == body || (bl_mesh_of(m, body) && of->what == BL_BODY_FRAME && of->elastic == m->model->body[body].elastic);
}

/* index: into seat_load, -1: none */
static bl_status visit(seat_set *set, bl_index index) {
    bl_index seat = index < 0 ? -1 : index / 3;
    if (seat < 0 || !is_own(set->m, set->body, seat) || set->seen[seat] == set->mark)
        return BL_OK;
    BL_TRY(BL_RESERVE(set->m->ctx, set->list, set->room, set->n + 1));
    set->seen[seat] = set->mark;
    set->list[set->n++] = seat;
    return BL_OK;
}

static bl_status visit_direction(seat_set *set, bl_index dir) {
    for (bl_index i = set->m->push_ptr[2 * dir]; i < set->m->push_ptr[2 * dir + 2]; i++)
        BL_TRY(visit(set, set->m->push_to[i]));
    return BL_OK;
}

/* from the terms of a joint's equations */
static bl_status visit_joint(seat_set *set, bl_index joint) {
    const bl_mechanism *m = set->m;
    for (bl_index i = m->joint_ptr[0][joint]; i < m->joint_ptr[0][joint + 1]; i++) {
        BL_TRY(visit_direction(set, m->quad[m->joint_list[0][i]].a));
        BL_TRY(visit_direction(set, m->quad[m->joint_list[0][i]].b));
    }
    for (bl_index i = m->joint_ptr[1][joint]; i < m->joint_ptr[1][joint + 1]; i++)
        BL_TRY(visit(set, m->linear_to[m->joint_list[1][i]]));
    for (bl_index i = m->joint_ptr[2][joint]; i < m->joint_ptr[2][joint + 1]; i++) {
        const bl_product *p = &m->product[m->joint_list[2][i]];
        for (bl_index d = 0; d < p->ndir; d++)
            BL_TRY(visit_direction(set, p->dir[d]));
    }
    return BL_OK;
}

/* Seats of the body whose balance gives a joint's reaction, loaded by equations of this joint: a body that carries many joints is not
 * searched for each of them. */
static bl_status joint_seats(bl_mechanism *m) {
    bl_index njoint = bl_model_joints(m->model);
    seat_set set = {.m = m};
    BL_TRY(BL_ARENA_NEW(&m->arena, m->joint_seat_ptr, (size_t)njoint + 1));
    bl_status status = BL_NEW(m->ctx, set.seen, m->nseat + 1);
    for (bl_index j = 0; j < njoint && status == BL_OK; j++) {
        bl_index first = m->joint_seat_ptr[j];
        set.body = reporting_body(m, j);
        set.mark = j + 1;
        status = visit_joint(&set, j);
        if (set.n > first)
            bl_sort_indices(set.list + first, (size_t)(set.n - first));
        m->joint_seat_ptr[j + 1] = set.n;
    }
    if (status == BL_OK && !(m->joint_seat = bl_arena_alloc(&m->arena, (size_t)set.n, sizeof *m->joint_seat)))
        status = BL_E_MEMORY;
    if (status == BL_OK && set.n > 0)
        memcpy(m->joint_seat, set.list, (size_t)set.n * sizeof *set.list);
    bl_free(m->ctx, set.list);
    bl_free(m->ctx, set.seen);
    return status;
}

bl_status bl_wrench_build(bl_mechanism *m) {
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->entry_entity, m->nx), BL_ARRAY(m->seat_ptr, (size_t)m->model->nbody + 1),
                           BL_ARRAY(m->seat_list, m->nseat)));
    for (bl_index i = 0; i < m->nx; i++)
        m->entry_entity[i] = -1;
    for (bl_index e = 0; e < m->nentity; e++)
        for (int k = 0; m->entity[e].into < 0 && k < m->dim; k++)
            m->entry_entity[m->entity[e].base + k] = e;
    bl_wrench_group(m->model->nbody, m->nseat, &m->seat[0].body, sizeof *m->seat, m->seat_ptr, m->seat_list);
    BL_TRY(sort_seats(m));
    BL_TRY(joint_tables(m));
    BL_TRY(push_tables(m));
    BL_TRY(quad_tables(m));
    BL_TRY(find_fixed_axes(m));
    BL_TRY(inertia_tables(m));
    BL_TRY(joint_seats(m));
    return bl_shares_build(m);
}

/* ---- evaluation */

typedef struct balance {
    const bl_mechanism *m;
    bl_mech_work *w;
    const double *D; /* all directions */
    bool impulsive;  /* of impulses: neither gravity nor other forces */
} balance;

static void add_entry(const balance *l, bl_index body, bl_index entry, double force) {
    bl_index to = load_index(l->m, body, entry);
    if (to >= 0)
        l->w->seat_load[to / 3][to % 3] += force;
}

/* a force g on a direction of one body: on its entities, and the true moment about the origin */
static void push(const balance *l, bl_index body, bl_index dir, const double *g) {
    const bl_mechanism *m = l->m;
    if (body <= 0)
        return;
    for (int k = 0; k < m->dim; k++)
        for (bl_index i = m->form_ptr[dir * m->dim + k]; i < m->form_ptr[dir * m->dim + k + 1]; i++)
            add_entry(l, body, m->form_entry[i], m->form_coef[i] * g[k]);
    double d[3] = {0, 0, 0};
    for (int k = 0; k < m->dim; k++)
        d[k] = l->D[dir * m->dim + k];
    add_cross(d, g, l->w->body_wrench[body] + 3);
}

static void direction_now(const balance *l, bl_index dir, double *d) {
    for (int k = 0; k < 3; k++)
        d[k] = k < l->m->dim ? l->D[dir * l->m->dim + k] : 0;
}

/* a force g on part `at` of a direction, whose indices into seat_load were found during set-up */
static void push_part(const balance *l, bl_index at, const bl_part *part, const double *g) {
    const bl_mechanism *m = l->m;
    if (part->body <= 0)
        return;
    const bl_index *to = m->push_to + m->push_ptr[at];
    double *load = (double *)l->w->seat_load;
    for (int k = 0; k < m->dim; k++)
        for (bl_index i = m->form_ptr[part->form * m->dim + k]; i < m->form_ptr[part->form * m->dim + k + 1]; i++, to++)
            if (*to >= 0)
                load[*to] += m->form_coef[i] * g[k];
    double d[3];
    direction_now(l, part->form, d);
    add_cross(d, g, l->w->body_wrench[part->body] + 3);
}

static void push_parts(const balance *l, bl_index dir, const double *g, double w) {
    for (int p = 0; p < 2; p++) {
        const bl_part *part = &l->m->part[dir][p];
        if (part->body < 0)
            continue;
        double f[3] = {w * part->sign * g[0], w * part->sign * g[1], w * part->sign * g[2]};
        push_part(l, 2 * dir + p, part, f);
    }
}

/* the directions needed for reactions only */
static void other_directions(const bl_mechanism *m, const double *x, double *D) {
    for (bl_index h = m->nhot; h < m->ndir; h++)
        for (bl_index row = m->hot[h] * m->dim; row < (m->hot[h] + 1) * m->dim; row++) {
            double sum = 0;
            for (bl_index i = m->form_ptr[row]; i < m->form_ptr[row + 1]; i++)
                sum += m->form_coef[i] * x[m->form_entry[i]];
            D[row] = sum;
        }
}

/* M_b a - gravity */
static void push_inertia(const balance *l, bl_index body) {
    const bl_mechanism *m = l->m;
    const bl_basis *basis = &m->basis[body];
    const double *xdd = l->w->xdd;
    double d[4][3] = {{0}}, a[4][3] = {{0}};
    if (m->on_fixed_axis[body])
        bl_basis_now(m, body, l->w->x, d[0], d + 1);
    bl_basis_now(m, body, xdd, a[0], a + 1);
    for (bl_index i = 0; i <= basis->n; i++) {
        double g[3];
        for (int c = 0; c < 3; c++) {
            g[c] = l->impulsive ? 0 : -basis->moment[0][i] * m->model->gravity[c];
            for (bl_index j = 0; j <= basis->n; j++)
                g[c] += basis->moment[i][j] * a[j][c];
        }
        double *load = (double *)l->w->seat_load;
        for (bl_index t = m->inertia_ptr[4 * body + i]; t < m->inertia_ptr[4 * body + i + 1]; t++)
            load[m->inertia[t].to] += m->inertia[t].coef * g[m->inertia[t].part];
        if (m->on_fixed_axis[body])
            add_cross(d[i], g, l->w->body_wrench[body] + 3);
    }
}

static void push_loads(const balance *l, const bl_eval *e) {
    const bl_mechanism *m = l->m;
    for (bl_index i = 0; i < m->nload; i++) {
        const bl_load *load = &m->load[i];
        bl_loads_forces(m, load, e->t, l->w);
        for (bl_index k = 0; k < load->record.nmark; k++) {
            if (load->mark_out[k] < 0)
                continue;
            double g[3] = {0, 0, 0};
            for (int c = 0; c < m->dim; c++)
                g[c] = -l->w->tape_out[load->mark_out[k] + c];
            push(l, load->record.mark[k].body, load->mark_dir[k], g);
        }
    }
}

static void push_elastic(const void *user, bl_index body, bl_index dir, const double *g) { push(user, body, dir, g); }

static void push_quad(const balance *l, bl_index t, const double *lambda) {
    const struct bl_quad *q = &l->m->quad[t];
    double a[3], b[3];
    direction_now(l, q->a, a);
    direction_now(l, q->b, b);
    push_parts(l, q->a, b, q->coef * lambda[q->row]);
    push_parts(l, q->b, a, q->coef * lambda[q->row]);
}

static void push_linear(const balance *l, bl_index t, const double *lambda) {
    const bl_mechanism *m = l->m;
    const struct bl_linear *q = &m->linear[t];
    if (q->body <= 0)
        return;
    bl_index to = m->linear_to[t];
    if (to >= 0)
        l->w->seat_load[to / 3][to % 3] += q->coef * lambda[q->row];
    if (q->arm < 0)
        return;
    double d[3], g[3] = {0, 0, 0};
    direction_now(l, q->arm, d);
    g[q->part] = q->force * lambda[q->row];
    add_cross(d, g, l->w->body_wrench[q->body] + 3);
}

static void push_product(const balance *l, bl_index t, const double *lambda) {
    const bl_mechanism *m = l->m;
    const bl_product *p = &m->product[t];
    double value, grad[BL_LOCAL];
    bl_product_eval(m, p, l->D, l->w->x, l->w->trig[t], &value, grad, NULL);
    for (bl_index d = 0; d < p->ndir; d++) {
        double g[3] = {0, 0, 0};
        for (int k = 0; k < m->dim; k++)
            g[k] = grad[d * m->dim + k];
        push_parts(l, p->dir[d], g, lambda[p->row]);
    }
}

/* G^T lambda of all rows */
static void push_rows(const balance *l, const double *lambda) {
    const bl_mechanism *m = l->m;
    double *load = (double *)l->w->seat_load;
    for (bl_index t = 0; t < m->nquad && m->any_on_fixed_axis; t++)
        push_quad(l, t, lambda);
    for (bl_index i = 0; i < m->nquad_op && !m->any_on_fixed_axis; i++) {
        const struct bl_quad_op *op = &m->quad_op[i];
        load[op->to] += op->w * lambda[op->row] * l->D[op->source];
    }
    for (bl_index t = 0; t < l->m->nlinear; t++)
        push_linear(l, t, lambda);
    for (bl_index t = 0; t < l->m->nproduct; t++)
        push_product(l, t, lambda);
}

/* A force on an angle is a moment about its axis. The multiplier it causes, full - lambda, has an additional effect where a direction of
 * the angle equation contains the axis of the other body: the component perpendicular to the axis is balanced by other equations and
 * counts with them. */
static void push_axial_parts(const balance *l, bl_index joint, const double *full, const double *lambda) {
    const bl_mechanism *m = l->m;
    for (bl_index i = m->joint_ptr[2][joint]; i < m->joint_ptr[2][joint + 1]; i++) {
        bl_index t = m->joint_list[2][i];
        const bl_product *p = &m->product[t];
        double value, grad[BL_LOCAL], axis[3], removed = full[p->row] - lambda[p->row];
        if (removed == 0 || (p->axial[0] == 0 && p->axial[1] == 0))
            continue;
        bl_product_eval(m, p, l->D, l->w->x, l->w->trig[t], &value, grad, NULL);
        direction_now(l, p->dir[2], axis);
        for (int s = 0; s < 2; s++) {
            double force[3], back[3];
            for (int k = 0; k < 3; k++) {
                force[k] = p->axial[s] * removed * grad[3 * s + k];
                back[k] = -force[k];
            }
            add_cross(axis, force, l->w->body_wrench[m->part[p->dir[s]][0].body] + 3);
            add_cross(axis, back, l->w->body_wrench[m->part[p->dir[2]][0].body] + 3);
        }
    }
}

/* equations of one joint */
static void push_joint(const balance *l, bl_index joint, const double *lambda) {
    static void (*const push_term[3])(const balance *, bl_index, const double *) = {push_quad, push_linear, push_product};
    for (int k = 0; k < 3; k++)
        for (bl_index i = l->m->joint_ptr[k][joint]; i < l->m->joint_ptr[k][joint + 1]; i++)
            push_term[k](l, l->m->joint_list[k][i], lambda);
}

static bool has_rows(const bl_mechanism *m, bl_index joint) {
    bool has = false;
    for (int k = 0; k < 3; k++)
        has = has || m->joint_ptr[k][joint + 1] > m->joint_ptr[k][joint];
    return has;
}

static void clear(const balance *l) {
    memset(l->w->seat_load, 0, (size_t)l->m->nseat * sizeof *l->w->seat_load);
    memset(l->w->body_wrench, 0, (size_t)l->m->model->nbody * sizeof *l->w->body_wrench);
}

/* seats loaded by equations of the joint, on the body that gives its reaction */
static void clear_joint(const balance *l, bl_index joint, bl_index body) {
    for (bl_index i = l->m->joint_seat_ptr[joint]; i < l->m->joint_seat_ptr[joint + 1]; i++)
        memset(l->w->seat_load[l->m->joint_seat[i]], 0, sizeof *l->w->seat_load);
    memset(l->w->body_wrench[body], 0, sizeof *l->w->body_wrench);
}

/* generalized forces on vectors become moments; for a body that rotates about a fixed axis the part its points do not determine is
 * assigned to that axis */
static void convert_to_moments(const balance *l) {
    const bl_mechanism *m = l->m;
    for (bl_index b = 1; b < m->model->nbody; b++) {
        double accounted[3] = {0, 0, 0};
        for (bl_index i = m->seat_ptr[b]; i < m->seat_ptr[b + 1]; i++) {
            bl_index seat = m->seat_list[i];
            const bl_entity *entity = &m->entity[m->seat[seat].entity];
            if (!entity->is_vector && !m->on_fixed_axis[b])
                continue;
            double at[3] = {0, 0, 0}, moment[3] = {0, 0, 0}, *load = l->w->seat_load[seat];
            for (int k = 0; k < m->dim; k++)
                at[k] = l->w->x[entity->base + k];
            add_cross(at, load, moment);
            for (int k = 0; k < 3; k++)
                accounted[k] += moment[k];
            if (entity->is_vector)
                memcpy(load, moment, sizeof moment);
        }
        if (m->on_fixed_axis[b])
            for (int k = 0; k < 3; k++)
                l->w->seat_load[axis_seat(m, b)][k] += l->w->body_wrench[b][3 + k] - accounted[k];
    }
}

/* point of the joint's reaction: the joint's point on the second body */
static void joint_point(const bl_mechanism *m, const bl_eval *e, bl_index joint, double *at) {
    const bl_mark *point = bl_joint_point(&m->model->joint[joint]);
    bl_mark mark = point ? *point : (bl_mark){m->model->joint[joint].body[1], false, {0, 0, 0}};
    double rate[3];
    bl_pose_mark(e, &mark, at, rate);
}

/* The equations of a joint's variables transmit the forces on these variables: slope^T d = Q for its rows, and d is subtracted. first:
 * its first variable; the others follow. Gauss elimination with row exchanges, three at most. */
static void subtract_variable_forces(const bl_mechanism *m, const bl_mech_work *w, const double *Q, bl_index first, double *lambda) {
    bl_index joint = m->gauge[first].joint, row[3], entry[3], n = 0, rows = 0;
    bool pushed = false;
    for (bl_index v = first; v < m->model->nvariable && m->gauge[v].joint == joint && n < 3; v++)
        if (m->gauge[v].entry >= 0) {
            pushed = pushed || Q[m->gauge[v].entry] != 0;
            entry[n++] = m->gauge[v].entry;
        }
    for (bl_index i = m->joint_ptr[4][joint]; pushed && i < m->joint_ptr[4][joint + 1] && rows < n; i++)
        row[rows++] = m->joint_list[4][i];
    if (!pushed || rows < n)
        return;
    double a[3][4];
    for (bl_index i = 0; i < n; i++) {
        for (bl_index j = 0; j < n; j++)
            a[i][j] = bl_row_slope(m, w, row[j], entry[i]);
        a[i][n] = Q[entry[i]];
    }
    for (bl_index p = 0; p < n; p++) {
        bl_index best = p;
        for (bl_index i = p + 1; i < n; i++)
            if (fabs(a[i][p]) > fabs(a[best][p]))
                best = i;
        if (a[best][p] == 0)
            return;
        for (bl_index j = 0; j <= n; j++) {
            double swap = a[p][j];
            a[p][j] = a[best][j];
            a[best][j] = swap;
        }
        for (bl_index i = 0; i < n; i++) {
            double f = a[i][p] / a[p][p];
            for (bl_index j = p; i != p && j <= n; j++)
                a[i][j] -= f * a[p][j];
        }
    }
    for (bl_index i = 0; i < n; i++)
        lambda[row[i]] -= a[i][n] / a[i][i];
}

/* friction_only: only joints whose normal load a force law reads; Q must be known */
static void find_wrenches(const bl_system *sys, bl_eval *e, bool friction_only) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    balance l = {m, w, w->D, e->impulsive};
    const double *all = bl_contact_multipliers(m, e);
    other_directions(m, w->x, w->D);
    if (m->nshare > 0 && (!friction_only || m->friction_shared)) { /* without shared entities all joints have multipliers of their own */
        clear(&l);
        memset(w->xdd, 0, (size_t)m->nx * sizeof *w->xdd);
        memcpy(w->xdd, e->a, (size_t)m->nfree * sizeof *w->xdd);
        for (bl_index b = 1; b < m->model->nbody; b++)
            if (!bl_mesh_of(m, b))
                push_inertia(&l, b);
        if (!e->impulsive)
            push_loads(&l, e);
        bl_elastic_balance(m, w, e->impulsive, &l, push_elastic);
        bl_floating_balance(m, w, e->impulsive, &l, push_elastic);
        push_rows(&l, all);
        convert_to_moments(&l);
        bl_shares_find(m, w);
    }

    /* multipliers without the forces on a variable: its own equation transmits these to the bodies, but they are not reactions */
    bool forced = m->variables && !e->impulsive;
    if (!friction_only && forced)
        bl_loads_eval(sys, e, BL_Q);
    double *lambda = w->row_lambda;
    memcpy(lambda, all, (size_t)m->nrow * sizeof *lambda);
    for (bl_index v = 0; v < m->model->nvariable && forced; v++)
        if (v == 0 || m->gauge[v].joint != m->gauge[v - 1].joint)
            subtract_variable_forces(m, w, e->Q, v, lambda);
    for (bl_index j = 0; j < bl_model_joints(m->model); j++) {
        if (friction_only && !m->friction_joint[j])
            continue;
        bl_wrench *out = &e->wrench[j];
        memset(out, 0, sizeof *out);
        if (m->model->joint[j].body[0] < 0)
            continue;
        bl_index body = reporting_body(m, j);
        double sign = body == m->model->joint[j].body[1] ? -1 : 1, at[3];
        if (has_rows(m, j)) {
            joint_point(m, e, j, at);
            clear_joint(&l, j, body); /* only its own seats are read */
            push_joint(&l, j, lambda);
            push_axial_parts(&l, j, all, lambda);
            double force[3] = {0, 0, 0}, moment[3] = {0, 0, 0};
            for (bl_index i = m->joint_seat_ptr[j]; i < m->joint_seat_ptr[j + 1]; i++)
                for (int k = 0; k < 3; k++)
                    if (!m->entity[m->seat[m->joint_seat[i]].entity].is_vector)
                        force[k] += w->seat_load[m->joint_seat[i]][k];
            double back[3] = {-at[0], -at[1], -at[2]};
            memcpy(moment, w->body_wrench[body] + 3, sizeof moment);
            add_cross(back, force, moment);
            for (int k = 0; k < 3; k++) {
                out->force[k] = sign * force[k];
                out->moment[k] = sign * moment[k];
            }
        }
        for (bl_index i = m->joint_ptr[3][j]; i < m->joint_ptr[3][j + 1]; i++) {
            bl_index h = m->joint_list[3][i];
            bool vector = m->entity[m->seat[m->share[h].seat_a].entity].is_vector;
            for (int k = 0; k < 3; k++)
                (vector ? out->moment : out->force)[k] += w->share_load[h][k];
        }
    }
}

void bl_wrenches(const bl_system *sys, bl_eval *e) { find_wrenches(sys, e, false); }

/* component of x perpendicular to u */
static double across(const double *x, const double *u) {
    double along = dot3(x, u), sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (x[k] - along * u[k]) * (x[k] - along * u[k]);
    return sqrt(sum);
}

void bl_normal_loads_of(const bl_system *sys, const bl_eval *e, const bl_wrench *wrench, double *load_now) {
    const bl_mechanism *m = bl_mech(sys);
    const bl_mech_work *w = e->own;
    for (bl_index i = 0; i < m->nnormal; i++) {
        const struct bl_normal *n = &m->normal[i];
        const bl_wrench *reaction = &wrench[n->joint];
        if (n->reaction) {
            load_now[i] = n->part < 3 ? reaction->force[n->part] : reaction->moment[n->part - 3];
            continue;
        }
        double u[3] = {0, 0, n->axis < 0}, length = 0;
        for (int k = 0; n->axis >= 0 && k < m->dim; k++)
            u[k] = w->D[n->axis * m->dim + k];
        length = sqrt(dot3(u, u));
        for (int k = 0; k < 3; k++)
            u[k] /= length;
        double moment = n->whole_moment ? sqrt(dot3(reaction->moment, reaction->moment)) : across(reaction->moment, u);
        load_now[i] = across(reaction->force, u) + (n->arm > 0 ? 2 * moment / n->arm : 0);
    }
    bl_contact_loads(m, e, load_now);
}

void bl_normal_loads(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    if (m->nnormal == 0) { /* nothing reads a reaction */
        bl_contact_loads(m, e, e->load_now);
        return;
    }
    if (!(e->have & BL_Q))
        bl_loads_eval(sys, e, BL_Q);
    find_wrenches(sys, e, true);
    bl_normal_loads_of(sys, e, e->wrench, e->load_now);
}

/* Unknowns, patterns, and sums over elements. See assembly.h. */
#include "fem/assembly.h"

#include "model/law_inputs.h"
#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- unknowns */

static bl_index part_of_solid(const bl_fem *fem, bl_index solid) {
    bl_index p = 0;
    while (fem->part[p].solid != &fem->model->solid[solid])
        p++;
    return p;
}

/* If several supports prescribe a component, the last one wins. support[nfull]: its number, -1: none; item[nfull]: index within its set. */
static void list_supports(const bl_fem *fem, bl_index *support, bl_index *item) {
    for (bl_index k = 0; k < fem->nfull; k++)
        support[k] = -1;
    for (bl_index s = 0; s < fem->model->nsupport; s++) {
        const bl_support *given = &fem->model->support[s];
        bl_index p = part_of_solid(fem, given->solid), nc = fem->part[p].ncomponent;
        bl_index count = given->set ? given->set->count : 1;
        for (bl_index k = 0; k < count; k++) {
            bl_index node = given->set ? given->set->item[k] : given->node;
            bl_index full = fem->full0[p] + node * nc + given->part;
            if (support[full] >= 0)
                bl_fem_warn_of_supports(fem, p, node, support[full], s);
            support[full] = s;
            item[fem->full0[p] + node * nc + given->part] = k;
        }
    }
}

static bool moves(const bl_fem_given *g) { return g->base != 0 || (g->factor != 0 && (g->value.law >= 0 || g->value.number != 0)); }

/* components with stiffness: those of nodes that belong to elements, and those in ties */
static void find_reached(const bl_fem *fem, uint8_t *reached) {
    for (bl_index p = 0; p < fem->npart; p++)
        for (bl_index g = 0; g < fem->part[p].ngroup; g++) {
            const bl_fem_group *group = &fem->part[p].group[g];
            bl_index nc = fem->part[p].ncomponent;
            for (size_t k = 0; k < (size_t)group->count * group->kind->nnode; k++)
                memset(reached + fem->full0[p] + group->node[k] * nc, 1, (size_t)nc);
        }
    for (bl_index t = 0; t < fem->model->ntie; t++) {
        const bl_tie *tie = &fem->model->tie[t];
        bl_index p = part_of_solid(fem, tie->solid);
        for (bl_index k = 0; k < tie->nterm; k++)
            reached[fem->full0[p] + tie->term[k].node * fem->part[p].ncomponent + tie->term[k].part] = 1;
    }
}

static bl_fem_given given_by(const bl_fem *fem, bl_index full, bl_index support, bl_index item) {
    if (support < 0)
        return (bl_fem_given){.at = full, .value.law = -1};
    const bl_support *s = &fem->model->support[support];
    return (bl_fem_given){full, s->value, s->base ? s->base[item] : 0, s->by ? s->by[item] : 1};
}

/* numbers unknowns, prescribed and tied components node by node */
static void number_components(bl_fem *fem, const bl_index *support, const bl_index *item) {
    bl_index given = 0, tie = 0;
    for (bl_index p = 0; p < fem->npart; p++)
        for (bl_index i = fem->node0[p]; i < fem->node0[p + 1]; i++) {
            bl_index nc = fem->part[p].ncomponent, at = fem->full0[p] + (i - fem->node0[p]) * nc;
            fem->first[i] = fem->n;
            for (bl_index k = at; k < at + nc; k++)
                if (fem->column[k] == 0)
                    fem->column[k] = fem->n++;
                else if (fem->column[k] == -1) {
                    fem->given[given] = given_by(fem, k, support[k], item[k]);
                    fem->supports_move = fem->supports_move || moves(&fem->given[given]);
                    fem->column[k] = -1 - given++;
                }
        }
    fem->first[fem->node0[fem->npart]] = fem->n;
    for (; tie < fem->ntie; tie++)
        fem->column[fem->tie[tie].full] = -1 - fem->ngiven - tie;
}

/* support, item, reached: [nfull] scratch */
static bl_status number(bl_fem *fem, bl_index *support, bl_index *item, uint8_t *reached) {
    size_t nfull = (size_t)fem->nfull;
    list_supports(fem, support, item);
    find_reached(fem, reached);
    bl_fem_warn_of_nodes(fem, reached);
    for (size_t k = 0; k < nfull; k++)
        fem->column[k] = support[k] >= 0 || !reached[k] ? -1 : 0;
    BL_TRY(bl_fem_ties(fem));
    for (size_t k = 0; k < nfull; k++)
        fem->ngiven += fem->column[k] == -1;
    BL_TRY(BL_ARENA_NEW(&fem->arena, fem->given, fem->ngiven));
    number_components(fem, support, item);
    return BL_OK;
}

bl_status bl_fem_number(bl_fem *fem) {
    size_t nnode = (size_t)fem->node0[fem->npart], nfull = (size_t)fem->nfull;
    bl_index *support, *item;
    uint8_t *reached;
    BL_TRY(BL_ARENA_ARRAYS(&fem->arena, BL_ARRAY(fem->column, nfull), BL_ARRAY(fem->first, nnode + 1)));
    BL_TRY(BL_NEW(fem->ctx, support, 2 * nfull));
    item = support + nfull;
    bl_status status = BL_NEW(fem->ctx, reached, nfull);
    if (status == BL_OK)
        status = number(fem, support, item, reached);
    bl_free(fem->ctx, support);
    bl_free(fem->ctx, reached);
    return status;
}

/* ---- patterns */

bl_status bl_fem_node_pattern(const bl_fem *fem, const bl_index *first, bool coupled, bl_pattern *pattern) {
    bl_index ngroup = 0, nmass = coupled ? fem->model->nmass : 0, *member = NULL, at = 0;
    size_t members = 0, m = 0, *start;
    bool tied = coupled && fem->ntie;
    for (bl_index p = 0; p < fem->npart; p++)
        for (bl_index g = 0; g < fem->part[p].ngroup; g++) {
            const bl_fem_group *group = &fem->part[p].group[g];
            ngroup += group->count;
            members += (size_t)group->count * group->kind->nnode;
            for (bl_index e = 0; tied && e < group->count; e++)
                members += (size_t)bl_fem_tied_nodes(fem, p, group, e, NULL);
        }
    for (bl_index k = 0; k < nmass; k++, ngroup++)
        members += (size_t)bl_fem_carriers(fem, k, NULL);
    BL_TRY(BL_NEW(fem->ctx, start, (size_t)ngroup + 1));
    bl_status status = BL_NEW(fem->ctx, member, members + 1);
    for (bl_index p = 0; status == BL_OK && p < fem->npart; p++)
        for (bl_index g = 0; g < fem->part[p].ngroup; g++) {
            const bl_fem_group *group = &fem->part[p].group[g];
            for (bl_index e = 0; e < group->count; e++) {
                for (int a = 0; a < group->kind->nnode; a++)
                    member[m++] = fem->node0[p] + group->node[(size_t)e * group->kind->nnode + (size_t)a];
                if (tied)
                    m += (size_t)bl_fem_tied_nodes(fem, p, group, e, member + m);
                start[++at] = m;
            }
        }
    for (bl_index k = 0; status == BL_OK && k < nmass; k++) {
        m += (size_t)bl_fem_carriers(fem, k, member + m);
        start[++at] = m;
    }
    if (status == BL_OK)
        status = bl_pattern_of_nodes(fem->ctx, fem->node0[fem->npart], first, ngroup, start, member, pattern);
    bl_free(fem->ctx, start);
    bl_free(fem->ctx, member);
    return status;
}

/* index of the first entry of row_node in the columns of col_node; 0 for nodes without unknowns */
static bl_index slot_of(const bl_fem *fem, bl_index row_node, bl_index col_node) {
    bl_index col = fem->first[col_node], row = fem->first[row_node];
    if (fem->first[col_node + 1] == col || fem->first[row_node + 1] == row)
        return 0;
    return bl_pattern_find(&fem->pattern, row, col) - fem->pattern.ptr[col];
}

static bl_status find_slots(bl_fem *fem) {
    BL_TRY(BL_ARENA_NEW(&fem->arena, fem->slot, fem->npart));
    for (bl_index p = 0; p < fem->npart; p++) {
        const bl_fem_part *part = &fem->part[p];
        fem->slot[p] = bl_arena_alloc(&fem->arena, (size_t)part->ngroup, sizeof **fem->slot);
        if (!fem->slot[p])
            return BL_E_MEMORY;
        for (bl_index g = 0; g < part->ngroup; g++) {
            const bl_fem_group *group = &part->group[g];
            size_t nn = group->kind->nnode;
            bl_index *slot;
            BL_TRY(BL_ARENA_NEW(&fem->arena, slot, (size_t)group->count * nn * nn));
            fem->slot[p][g] = slot;
            for (bl_index e = 0; e < group->count; e++) {
                const bl_index *node = group->node + (size_t)e * nn;
                for (size_t a = 0; a < nn; a++)
                    for (size_t b = 0; b < nn; b++)
                        *slot++ = slot_of(fem, fem->node0[p] + node[a], fem->node0[p] + node[b]);
            }
        }
    }
    return BL_OK;
}

/* builds pattern and slots unless they exist */
static bl_status make_patterns(bl_fem *fem) {
    if (fem->pattern.ptr)
        return BL_OK;
    BL_TRY(bl_fem_node_pattern(fem, fem->first, true, &fem->pattern));
    return find_slots(fem);
}

/* ---- values of all nodes */

void bl_fem_expand(const bl_fem *fem, const bl_number_law *law, double t, const double x[3], bl_fem_eval *p, double c[3]) {
    c[0] = law->number;
    c[1] = c[2] = 0;
    if (law->law < 0)
        return;
    const bl_law *l = &fem->model->law[law->law];
    const bl_tape *tape;
    const double *pieces;
    bl_index npiece = bl_fem_law_inputs(fem, law->law, p, &tape, &pieces);
    bl_law_read_series(fem->model, l, &(bl_instant){.t = t, .place = x, .field = NAN}, 2, p->law_in);
    for (bl_index k = 0; k < npiece; k++) {
        double *in = p->law_in + 3 * (l->ninput + k);
        in[0] = pieces[k];
        in[1] = in[2] = 0;
    }
    bl_tape_series(tape, 2, p->law_in, c, p->law_work);
}

bl_status bl_fem_refuse_law(const bl_fem *fem, const bl_number_law *law, const char *what, bl_index part, const double x[3], double t) {
    const bl_solid *solid = fem->part[part].solid;
    const bl_law *l = law->law >= 0 ? &fem->model->law[law->law] : NULL;
    char at[96];
    if (fem->part[part].dim == 1)
        snprintf(at, sizeof at, "x = %.6g", x[0]);
    else if (fem->part[part].dim == 2)
        snprintf(at, sizeof at, "(%.6g, %.6g)", x[0], x[1]);
    else
        snprintf(at, sizeof at, "(%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
    bl_fail(fem->ctx, BL_NOT_FINITE, l ? &l->place : &solid->place, "%s%s%s of %s is not finite at %s, t = %.9g", what, l ? " " : "",
            l ? l->text : "", solid->name, at, t);
    bl_advise(fem->ctx, "check the expression for a root or logarithm of a negative number and for division by zero");
    bl_blame(fem->ctx, solid->name, NULL, t);
    return BL_NOT_FINITE;
}

bl_status bl_fem_constant_failure(const bl_fem *fem, bl_status status) {
    if (status != BL_NOT_FINITE)
        return status;
    bl_error kept = *bl_context_error(fem->ctx);
    bl_fail_again(fem->ctx, BL_E_MODEL, &kept);
    return BL_E_MODEL;
}

static const double *position_of(const bl_fem *fem, bl_index full, bl_index *part) {
    bl_index p = 0;
    while (full >= fem->full0[p + 1])
        p++;
    *part = p;
    return fem->part[p].solid->mesh.x[(full - fem->full0[p]) / fem->part[p].ncomponent];
}

void bl_fem_spread_values(const bl_fem *fem, const double *q, const double *z, bl_fem_eval *p) {
    for (bl_index k = 0; k < fem->nfull; k++) {
        bl_index col = fem->column[k];
        bool second = col >= 0 && col < fem->nv;
        const double *from = second ? q : z;
        p->u[k] = col >= 0 && from ? from[second ? col : col - fem->nv] : 0;
    }
}

bl_status bl_fem_spread(const bl_fem *fem, double t, const double *q, const double *v, const double *z, bl_fem_eval *p) {
    memset(p->a, 0, (size_t)fem->nfull * sizeof *p->a);
    bl_fem_spread_values(fem, q, z, p);
    for (bl_index k = 0; k < fem->nfull; k++) {
        bl_index col = fem->column[k];
        p->v[k] = v && col >= 0 && col < fem->nv ? v[col] : 0;
    }
    for (bl_index g = 0; fem->supports_move && g < fem->ngiven; g++) {
        const bl_fem_given *given = &fem->given[g];
        double c[3];
        bl_index part;
        const double *x = position_of(fem, given->at, &part);
        bl_fem_expand(fem, &given->value, t, x, p, c);
        if (!isfinite(c[0]))
            return bl_fem_refuse_law(fem, &given->value, "the prescribed value", part, x, t);
        if (!isfinite(c[1]) || !isfinite(c[2]))
            return bl_fem_refuse_law(fem, &given->value, "the rate of the prescribed value", part, x, t);
        p->u[given->at] = given->base + given->factor * c[0];
        p->v[given->at] = given->factor * c[1];
        p->a[given->at] = 2 * given->factor * c[2];
    }
    bl_fem_tie_values(fem, p->u);
    bl_fem_tie_values(fem, p->v);
    bl_fem_tie_values(fem, p->a);
    return BL_OK;
}

/* ---- sums over elements */

void bl_fem_scatter(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index g, bl_index e, const double *m, double *values) {
    int nn = group->kind->nnode, nc = fem->part[p].ncomponent, n = nn * nc;
    const bl_index *node = group->node + (size_t)e * (size_t)nn, *slot = fem->slot[p][g] + (size_t)e * (size_t)(nn * nn);
    for (int b = 0; b < nn; b++) {
        const bl_index *col_b = fem->column + fem->full0[p] + node[b] * nc;
        for (int j = 0; j < nc; j++) {
            if (col_b[j] < 0)
                continue;
            double *column = values + fem->pattern.ptr[col_b[j]];
            for (int a = 0; a < nn; a++) {
                const bl_index *col_a = fem->column + fem->full0[p] + node[a] * nc;
                double *to = column + slot[a * nn + b];
                for (int i = 0; i < nc; i++)
                    if (col_a[i] >= 0)
                        *to++ += m[(size_t)(a * nc + i) * (size_t)n + (size_t)(b * nc + j)];
            }
        }
    }
    if (bl_fem_is_tied(fem, p, group, e))
        bl_fem_add_tied(fem, p, group, e, m, values);
}

/* the full matrix from its blocks a <= b */
static void unfold(int nn, int dim, const double *blocks, double *m) {
    int n = nn * dim, dd = dim * dim;
    for (int b = 0; b < nn; b++)
        for (int a = 0; a <= b; a++, blocks += dd * BL_LANES)
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++) {
                    double value = blocks[(i * dim + j) * BL_LANES];
                    m[(size_t)(a * dim + i) * (size_t)n + (size_t)(b * dim + j)] = value;
                    m[(size_t)(b * dim + j) * (size_t)n + (size_t)(a * dim + i)] = value;
                }
}

/* block (a, b) and its transpose, for nodes whose components are all unknown: the columns of such a node have equal length */
static inline void add_block(int dim, const double *block, bool mirrored, double *to, bl_index column_length, double *back,
                             bl_index back_length) {
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++)
            to[j * column_length + i] += block[(i * dim + j) * BL_LANES];
    for (int i = 0; mirrored && i < dim; i++)
        for (int j = 0; j < dim; j++)
            back[i * back_length + j] += block[(i * dim + j) * BL_LANES];
}

static inline void add_blocks(const bl_fem *fem, int nn, int dim, const bl_index *first, const bl_index *slot, const double *blocks,
                              double *values) {
    const bl_index *ptr = fem->pattern.ptr;
    for (int b = 0; b < nn; b++) {
        double *column = values + ptr[first[b]];
        bl_index column_length = ptr[first[b] + 1] - ptr[first[b]];
        for (int a = 0; a <= b; a++, blocks += dim * dim * BL_LANES)
            add_block(dim, blocks, a != b, column + slot[a * nn + b], column_length, values + ptr[first[a]] + slot[b * nn + a],
                      ptr[first[a] + 1] - ptr[first[a]]);
    }
}

void bl_fem_scatter_lane(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index g, bl_index e, const double *blocks, double *m,
                         double *values) {
    int nn = group->kind->nnode, dim = fem->part[p].dim;
    const bl_index *node = group->node + (size_t)e * (size_t)nn, *slot = fem->slot[p][g] + (size_t)e * (size_t)(nn * nn);
    bl_index first[BL_ELEMENT_NODES];
    bool free = fem->ntie == 0;
    for (int a = 0; a < nn; a++) {
        bl_index k = fem->node0[p] + node[a];
        first[a] = fem->first[k];
        free = free && fem->first[k + 1] - first[a] == dim;
    }
    if (free && dim == 3)
        add_blocks(fem, nn, 3, first, slot, blocks, values);
    else if (free && dim == 2)
        add_blocks(fem, nn, 2, first, slot, blocks, values);
    else {
        unfold(nn, dim, blocks, m);
        bl_fem_scatter(fem, p, group, g, e, m, values);
    }
}

void bl_fem_gather(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index e, const bl_fem_eval *eval, bl_element_work *w) {
    const bl_fem_part *part = &fem->part[p];
    int nn = group->kind->nnode, nc = part->ncomponent;
    const bl_index *node = group->node + (size_t)e * (size_t)nn;
    w->has_temperatures = fem->has_temperatures;
    for (int a = 0; a < nn; a++) {
        memcpy(w->x[a], part->solid->mesh.x[node[a]], sizeof w->x[a]);
        for (int i = 0; i < nc; i++)
            w->u[a * nc + i] = eval->u[fem->full0[p] + node[a] * nc + i];
        if (fem->has_temperatures) {
            w->temperature[a] = eval->temperature[fem->node0[p] + node[a]];
            w->temperature_rate[a] = eval->temperature_rate[fem->node0[p] + node[a]];
        }
    }
}

/* ---- masses */

/* which columns a pattern takes from K: all, only the diagonal, none */
typedef enum extent { NOTHING, DIAGONAL, EVERYTHING } extent;

static extent mass_columns(const bl_solid *solid) { return solid->lumped ? DIAGONAL : EVERYTHING; }

static extent columns_of_M(const bl_solid *solid) { return solid->order == 2 ? mass_columns(solid) : NOTHING; }

static extent columns_of_C(const bl_solid *solid) {
    if (solid->order == 1)
        return mass_columns(solid);
    if (solid->order == 0)
        return NOTHING;
    return solid->damping_stiffness != 0 ? EVERYTHING : solid->damping_mass != 0 ? mass_columns(solid) : NOTHING;
}

static bl_index part_of_column(const bl_fem *fem, bl_index col) {
    bl_index p = 0;
    while (p + 1 < fem->npart && fem->first[fem->node0[p + 1]] <= col)
        p++;
    return p;
}

/* ties and point masses on several nodes couple components off the diagonal */
static extent extent_of(const bl_fem *fem, extent (*of)(const bl_solid *), bl_index p) {
    extent what = of(fem->part[p].solid);
    return what == DIAGONAL && (fem->ntie || bl_fem_masses_couple(fem, p)) ? EVERYTHING : what;
}

static bl_status take_columns(bl_fem *fem, extent (*of)(const bl_solid *), bl_pattern *out) {
    bool complete = false;
    for (bl_index p = 0; p < fem->npart; p++)
        complete = complete || extent_of(fem, of, p) == EVERYTHING;
    if (complete)
        BL_TRY(make_patterns(fem));
    bl_index *ptr, *idx, n = 0;
    BL_TRY(BL_ARENA_NEW(&fem->arena, ptr, (size_t)fem->n + 1));
    for (bl_index j = 0; j < fem->n; j++) {
        extent what = extent_of(fem, of, part_of_column(fem, j));
        n += what == EVERYTHING ? fem->pattern.ptr[j + 1] - fem->pattern.ptr[j] : what == DIAGONAL;
        ptr[j + 1] = n;
    }
    if (complete && n == fem->pattern.ptr[fem->n]) {
        *out = fem->pattern;
        return BL_OK;
    }
    BL_TRY(BL_ARENA_NEW(&fem->arena, idx, (size_t)n + 1));
    for (bl_index j = 0; j < fem->n; j++)
        if (ptr[j + 1] == ptr[j] + 1)
            idx[ptr[j]] = j;
        else if (ptr[j + 1] > ptr[j])
            memcpy(idx + ptr[j], fem->pattern.idx + fem->pattern.ptr[j], (size_t)(ptr[j + 1] - ptr[j]) * sizeof *idx);
    *out = (bl_pattern){fem->n, fem->n, ptr, idx};
    return BL_OK;
}

/* values += factor times the mass matrix of the element, on columns of `out` */
static void add_mass(const bl_fem *fem, bl_index p, bl_index g, bl_index e, double factor, const double *m, const bl_pattern *out,
                     double *values) {
    const bl_fem_group *group = &fem->part[p].group[g];
    int nn = group->kind->nnode, nc = fem->part[p].ncomponent;
    bool lumped = fem->part[p].solid->lumped;
    const bl_index *node = group->node + (size_t)e * (size_t)nn;
    for (int b = 0; b < nn; b++)
        for (int i = 0; i < nc; i++) {
            bl_index col = fem->column[fem->full0[p] + node[b] * nc + i];
            if (col < 0)
                continue;
            bl_index column_length = out->ptr[col + 1] - out->ptr[col];
            if (column_length == 1 && out->idx[out->ptr[col]] == col && lumped) {
                values[out->ptr[col]] += factor * m[b];
                continue;
            }
            for (int a = lumped ? b : 0; a < (lumped ? b + 1 : nn); a++) {
                const bl_index *col_a = fem->column + fem->full0[p] + node[a] * nc;
                if (col_a[i] < 0)
                    continue;
                bl_index at = out->ptr[col] + fem->slot[p][g][(size_t)e * (size_t)(nn * nn) + (size_t)(a * nn + b)];
                for (int k = 0; k < i; k++)
                    at += col_a[k] >= 0;
                values[at] += factor * (lumped ? m[b] : m[a * nn + b]);
            }
        }
}

static double mass_factor(const bl_solid *solid, bool of_C) {
    return !of_C ? (solid->order == 2 ? 1 : 0) : solid->order == 1 ? 1 : solid->order == 2 ? solid->damping_mass : 0;
}

static void sum_masses(const bl_fem *fem, bool of_C, const bl_pattern *out, bl_fem_eval *eval, double *values) {
    for (bl_index p = 0; p < fem->npart; p++) {
        double factor = mass_factor(fem->part[p].solid, of_C);
        for (bl_index g = 0; factor != 0 && g < fem->part[p].ngroup; g++) {
            const bl_fem_group *group = &fem->part[p].group[g];
            for (bl_index e = 0; e < group->count; e++) {
                bl_fem_gather(fem, p, group, e, eval, eval->element);
                bl_part_mass(&fem->part[p], group, eval->element, eval->element->K, fem->part[p].solid->lumped);
                add_mass(fem, p, g, e, factor, eval->element->K, out, values);
                if (bl_fem_is_tied(fem, p, group, e))
                    bl_fem_add_tied_mass(fem, p, group, e, eval->element->K, factor, out, values);
            }
        }
        if (factor != 0)
            bl_fem_add_masses(fem, p, factor, out, values);
    }
}

bl_status bl_fem_make_M(bl_fem *fem, bl_fem_eval *eval) {
    if (fem->M)
        return BL_OK;
    BL_TRY(take_columns(fem, columns_of_M, &fem->M_pattern));
    BL_TRY(BL_NEW(fem->ctx, fem->M, (size_t)fem->M_pattern.ptr[fem->n] + 1));
    sum_masses(fem, false, &fem->M_pattern, eval, fem->M);
    return BL_OK;
}

/* C += beta K of the reference configuration, in columns of damped parts */
static void add_stiffness(const bl_fem *fem, const double *K) {
    for (bl_index j = 0; j < fem->nv; j++) {
        double b = fem->part[part_of_column(fem, j)].solid->damping_stiffness;
        for (bl_index k = 0; b != 0 && k < fem->pattern.ptr[j + 1] - fem->pattern.ptr[j]; k++)
            fem->C[fem->C_pattern.ptr[j] + k] += b * K[fem->pattern.ptr[j] + k];
    }
}

/* tangent stiffness in the reference configuration; the caller frees it */
static bl_status reference_K(bl_fem *fem, bl_fem_eval *eval, double **K) {
    BL_TRY(make_patterns(fem));
    BL_TRY(BL_NEW(fem->ctx, *K, (size_t)fem->pattern.ptr[fem->n] + 1));
    memset(eval->u, 0, (size_t)fem->nfull * sizeof *eval->u);
    return bl_fem_inner(fem, 0, BL_PART_FORCE | BL_PART_TANGENT, NULL, NULL, eval, eval->f, *K, NULL);
}

bl_status bl_fem_make_C(bl_fem *fem, bl_fem_eval *eval) {
    if (fem->C)
        return BL_OK;
    BL_TRY(take_columns(fem, columns_of_C, &fem->C_pattern));
    BL_TRY(BL_NEW(fem->ctx, fem->C, (size_t)fem->C_pattern.ptr[fem->n] + 1));
    sum_masses(fem, true, &fem->C_pattern, eval, fem->C);
    if (!fem->stiffness_damping)
        return BL_OK;
    double *K = NULL;
    bl_status status = reference_K(fem, eval, &K);
    if (status == BL_OK)
        add_stiffness(fem, K);
    bl_free(fem->ctx, K);
    return status;
}

bl_status bl_fem_make_K(bl_fem *fem, bl_fem_eval *eval) {
    BL_TRY(make_patterns(fem));
    BL_TRY(bl_fem_make_C(fem, eval));
    if (!fem->linear || fem->K)
        return BL_OK;
    double *K = NULL;
    bl_status status = reference_K(fem, eval, &K);
    if (status == BL_OK && fem->has_follower) /* films */
        status = bl_fem_pressure(fem, 0, eval, eval->f, K);
    if (status == BL_OK)
        fem->K = K;
    else
        bl_free(fem->ctx, K);
    return status;
}

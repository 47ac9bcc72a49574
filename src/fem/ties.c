/* Linear equations between components of nodes (bl_tie): each eliminates one component,
 *
 *     u_k = sum_j c_j u_j,     f_j += c_j f_k,     K <- T^T K T,
 *
 * with the u_j free or prescribed. Equations may contain components that others eliminate: they are reduced by Gauss-Jordan elimination. */
#include "fem/assembly.h"
#include "fem/fem_limits.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

/* ---- reduction */

typedef struct tie_row {
    bl_index pivot, n;
    bl_index *at;
    double *coefficient; /* u_pivot = sum coefficient u_at */
} tie_row;

typedef struct reduction {
    bl_fem *fem;
    tie_row *made;
    bl_index n;
    bl_index *row_of; /* [nfull] row with this pivot; -1: none */
    /* the equation being reduced: sum coefficient u_at = 0 */
    double *coefficient; /* [nfull] */
    uint8_t *present;    /* [nfull] */
    bl_index *at, nat;   /* in order of appearance */
    size_t terms;
} reduction;

static void add_term(reduction *r, bl_index at, double coefficient) {
    if (!r->present[at]) {
        r->present[at] = 1;
        r->at[r->nat++] = at;
        r->coefficient[at] = 0;
    }
    r->coefficient[at] += coefficient;
}

static void clear_equation(reduction *r) {
    for (bl_index k = 0; k < r->nat; k++)
        r->present[r->at[k]] = 0;
    r->nat = 0;
}

/* among the components of the equation being reduced, the eliminated one whose row is the first; -1: none */
static bl_index first_eliminated(const reduction *r) {
    bl_index first = -1;
    for (bl_index k = 0; k < r->nat; k++) {
        bl_index row = r->row_of[r->at[k]];
        if (row >= 0 && r->coefficient[r->at[k]] != 0 && (first < 0 || row < first))
            first = row;
    }
    return first;
}

static void substitute(reduction *r, const tie_row *from) {
    double coefficient = r->coefficient[from->pivot];
    r->coefficient[from->pivot] = 0;
    for (bl_index k = 0; k < from->n; k++)
        add_term(r, from->at[k], coefficient * from->coefficient[k]);
}

/* removes terms that have canceled */
static void drop_canceled(reduction *r, double size) {
    bl_index n = 0;
    for (bl_index k = 0; k < r->nat; k++) {
        bl_index at = r->at[k];
        if (fabs(r->coefficient[at]) > fem_tie_canceled * size)
            r->at[n++] = at;
        else
            r->present[at] = 0;
    }
    r->nat = n;
}

/* the first term that no support prescribes; the largest one if its coefficient is very small */
static bl_index choose_pivot(const reduction *r) {
    bl_index first = -1, best = -1;
    double largest = 0;
    for (bl_index k = 0; k < r->nat; k++) {
        bl_index at = r->at[k];
        if (r->fem->column[at] < 0)
            continue;
        first = first < 0 ? at : first;
        if (fabs(r->coefficient[at]) > largest) {
            largest = fabs(r->coefficient[at]);
            best = at;
        }
    }
    return first >= 0 && fabs(r->coefficient[first]) >= fem_tie_pivot * largest ? first : best;
}

static bl_status keep_row(reduction *r, bl_index pivot, const bl_place *place) {
    tie_row *made = &r->made[r->n];
    *made = (tie_row){.pivot = pivot};
    BL_TRY(BL_ARENA_ARRAYS(&r->fem->arena, BL_ARRAY(made->at, r->nat), BL_ARRAY(made->coefficient, r->nat)));
    for (bl_index k = 0; k < r->nat; k++)
        if (r->at[k] != pivot) {
            made->at[made->n] = r->at[k];
            made->coefficient[made->n++] = -r->coefficient[r->at[k]] / r->coefficient[pivot];
        }
    if ((r->terms += (size_t)made->n) > (size_t)fem_tie_terms)
        return bl_fail(r->fem->ctx, BL_E_MODEL, place,
                       "equations between nodes depend on each other so much that they have more than %.0f terms after elimination",
                       fem_tie_terms);
    r->row_of[pivot] = r->n++;
    return BL_OK;
}

static bl_index full_of(const bl_fem *fem, const bl_tie *tie, bl_index k) {
    bl_index p = 0;
    while (fem->part[p].solid != &fem->model->solid[tie->solid])
        p++;
    return fem->full0[p] + tie->term[k].node * fem->part[p].ncomponent + tie->term[k].part;
}

static bl_status reduce(reduction *r, const bl_tie *tie) {
    double size = 0;
    bl_index row;
    for (bl_index k = 0; k < tie->nterm; k++) {
        add_term(r, full_of(r->fem, tie, k), tie->term[k].by);
        size = fmax(size, fabs(tie->term[k].by));
    }
    while ((row = first_eliminated(r)) >= 0)
        substitute(r, &r->made[row]);
    drop_canceled(r, size);
    bl_status status = BL_OK;
    if (r->nat > 0) { /* else it is a consequence of earlier ones */
        bl_index pivot = choose_pivot(r);
        status = pivot >= 0
                     ? keep_row(r, pivot, &tie->place)
                     : bl_fail(r->fem->ctx, BL_E_MODEL, &tie->place,
                               "supports prescribe all components in this equation between nodes, so it cannot determine any of them");
    }
    clear_equation(r);
    return status;
}

/* substitutes later rows into earlier ones */
static bl_status back_substitute(reduction *r) {
    for (bl_index k = r->n - 1; k >= 0; k--) {
        tie_row *made = &r->made[k];
        bool refers = false;
        for (bl_index i = 0; i < made->n; i++)
            refers = refers || r->row_of[made->at[i]] >= 0;
        if (!refers)
            continue;
        double size = 0;
        for (bl_index i = 0; i < made->n; i++) {
            add_term(r, made->at[i], made->coefficient[i]);
            size = fmax(size, fabs(made->coefficient[i]));
        }
        for (bl_index later; (later = first_eliminated(r)) >= 0;)
            substitute(r, &r->made[later]);
        drop_canceled(r, size);
        made->n = r->nat;
        BL_TRY(BL_ARENA_ARRAYS(&r->fem->arena, BL_ARRAY(made->at, r->nat), BL_ARRAY(made->coefficient, r->nat)));
        if ((r->terms += (size_t)r->nat) > (size_t)fem_tie_terms)
            return bl_fail(r->fem->ctx, BL_E_MODEL, &r->fem->model->tie[0].place,
                           "equations between nodes depend on each other so much that they have more than %.0f terms after elimination",
                           fem_tie_terms);
        for (bl_index i = 0; i < r->nat; i++) {
            made->at[i] = r->at[i];
            made->coefficient[i] = r->coefficient[r->at[i]];
        }
        clear_equation(r);
    }
    return BL_OK;
}

/* column[] holds 0 for free components and -1 for prescribed ones; tied ones become -2 */
bl_status bl_fem_ties(bl_fem *fem) {
    bl_arena *arena = &fem->arena;
    size_t n = (size_t)fem->nfull, ntie = (size_t)fem->model->ntie;
    if (ntie == 0)
        return BL_OK;
    reduction r = {.fem = fem};
    r.made = bl_arena_alloc(arena, ntie, sizeof *r.made);
    r.row_of = bl_arena_alloc(arena, n, sizeof *r.row_of);
    r.coefficient = bl_arena_alloc(arena, n, sizeof *r.coefficient);
    r.present = bl_arena_alloc(arena, n, 1);
    r.at = bl_arena_alloc(arena, n, sizeof *r.at);
    if (!r.made || !r.row_of || !r.coefficient || !r.present || !r.at)
        return BL_E_MEMORY;
    for (size_t k = 0; k < n; k++)
        r.row_of[k] = -1;
    for (size_t k = 0; k < ntie; k++) {
        BL_TRY(bl_go_on(fem->ctx));
        BL_TRY(reduce(&r, &fem->model->tie[k]));
    }
    BL_TRY(back_substitute(&r));
    BL_TRY(BL_ARENA_NEW(arena, fem->tie, r.n));
    for (bl_index k = 0; k < r.n; k++) {
        fem->tie[k] = (bl_fem_tie){.full = r.made[k].pivot, .n = r.made[k].n, .at = r.made[k].at, .coefficient = r.made[k].coefficient};
        fem->column[r.made[k].pivot] = -2;
    }
    fem->ntie = r.n;
    return BL_OK;
}

/* ---- use */

void bl_fem_tie_values(const bl_fem *fem, double *full) {
    for (bl_index k = 0; k < fem->ntie; k++) {
        const bl_fem_tie *tie = &fem->tie[k];
        double sum = 0;
        for (bl_index i = 0; i < tie->n; i++)
            sum += tie->coefficient[i] * full[tie->at[i]];
        full[tie->full] = sum;
    }
}

void bl_fem_tie_forces(const bl_fem *fem, double *full) {
    for (bl_index k = 0; k < fem->ntie; k++) {
        const bl_fem_tie *tie = &fem->tie[k];
        for (bl_index i = 0; i < tie->n; i++)
            full[tie->at[i]] += tie->coefficient[i] * full[tie->full];
        full[tie->full] = 0;
    }
}

static const bl_fem_tie *tie_of(const bl_fem *fem, bl_index full) {
    bl_index k = -1 - fem->column[full] - fem->ngiven;
    return k >= 0 && fem->column[full] < 0 ? &fem->tie[k] : NULL;
}

/* a component as a linear combination of components */
typedef struct combination {
    bl_index n;
    const bl_index *at;
    const double *coefficient;
} combination;

static combination combination_of(const bl_fem *fem, const bl_index *full) {
    static const double one = 1;
    const bl_fem_tie *tie = tie_of(fem, *full);
    if (tie)
        return (combination){tie->n, tie->at, tie->coefficient};
    return (combination){1, full, &one};
}

void bl_fem_add_dofs(const bl_fem *fem, int n, const bl_index *full, const double *m, double factor, bool tied_only,
                     const bl_pattern *pattern, double *values) {
    for (int c = 0; c < n; c++) {
        combination col = combination_of(fem, &full[c]);
        bool col_tied = tie_of(fem, full[c]);
        for (int r = 0; r < n; r++) {
            double value = factor * m[(size_t)r * (size_t)n + (size_t)c];
            if (value == 0 || (tied_only && !col_tied && !tie_of(fem, full[r])))
                continue;
            combination row = combination_of(fem, &full[r]);
            for (bl_index j = 0; j < col.n; j++)
                for (bl_index i = 0; i < row.n; i++) {
                    bl_index to = fem->column[row.at[i]], from = fem->column[col.at[j]];
                    if (to >= 0 && from >= 0)
                        values[bl_pattern_find(pattern, to, from)] += row.coefficient[i] * col.coefficient[j] * value;
                }
        }
    }
}

bool bl_fem_is_tied(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index e) {
    int nn = group->kind->nnode, nc = fem->part[p].ncomponent;
    const bl_index *node = group->node + (size_t)e * (size_t)nn;
    for (int a = 0; a < nn && fem->ntie; a++)
        for (int i = 0; i < nc; i++)
            if (tie_of(fem, fem->full0[p] + node[a] * nc + i))
                return true;
    return false;
}

static void dofs_of(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index e, bl_index *full) {
    int nn = group->kind->nnode, nc = fem->part[p].ncomponent;
    const bl_index *node = group->node + (size_t)e * (size_t)nn;
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < nc; i++)
            full[a * nc + i] = fem->full0[p] + node[a] * nc + i;
}

void bl_fem_add_tied(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index e, const double *m, double *values) {
    bl_index full[BL_ELEMENT_UNKNOWNS];
    dofs_of(fem, p, group, e, full);
    bl_fem_add_dofs(fem, group->kind->nnode * fem->part[p].ncomponent, full, m, 1, true, &fem->pattern, values);
}

/* for each component: m[nn][nn], or the diagonal of a lumped matrix */
void bl_fem_add_tied_mass(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index e, const double *m, double factor,
                          const bl_pattern *pattern, double *values) {
    int nn = group->kind->nnode, nc = fem->part[p].ncomponent;
    bl_index all[BL_ELEMENT_UNKNOWNS], full[BL_ELEMENT_NODES];
    double one[BL_ELEMENT_NODES * BL_ELEMENT_NODES];
    dofs_of(fem, p, group, e, all);
    if (fem->part[p].solid->lumped) {
        memset(one, 0, sizeof one);
        for (int a = 0; a < nn; a++)
            one[a * nn + a] = m[a];
        m = one;
    }
    for (int i = 0; i < nc; i++) {
        for (int a = 0; a < nn; a++)
            full[a] = all[a * nc + i];
        bl_fem_add_dofs(fem, nn, full, m, factor, true, pattern, values);
    }
}

bl_index bl_fem_tied_nodes(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index e, bl_index *node) {
    int nn = group->kind->nnode, nc = fem->part[p].ncomponent;
    const bl_index *own = group->node + (size_t)e * (size_t)nn;
    bl_index n = 0;
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < nc; i++) {
            const bl_fem_tie *tie = tie_of(fem, fem->full0[p] + own[a] * nc + i);
            for (bl_index k = 0; tie && k < tie->n; k++, n++)
                if (node)
                    node[n] = fem->node0[p] + (tie->at[k] - fem->full0[p]) / nc;
        }
    return n;
}

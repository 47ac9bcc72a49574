/* Which equations of the joints follow from earlier ones. Rows are added one after another and reduced by those before them (Gauss
 * elimination), row_i = sum l_ip U_p. If nothing is left, the coefficients are transformed from the reduced rows U to the original ones:
 * they show which owners take part and, with the row's own force and moment, the direction that is constrained twice.
 *
 * The pivot of a row is, among its large entries, the one in the column with the fewest equations: that of the body with the fewest
 * joints. A pivot of a body with many joints would appear in the rows of all of these, and each would be reduced by all before it. The
 * set of dependent rows does not depend on the choice of pivots. */
#include "topology/topology.h"

#include "topology/topology_limits.h"

#include <math.h>
#include <string.h>

typedef struct pivot {
    bl_index row, col; /* original row */
    double value;      /* U = (row - sum l U_p) / value */
    bl_index n, nl;
    bl_index *at, *l_pivot; /* entries of U; multipliers */
    double *u, *l;
} pivot;

/* Smallest pivot relative to the largest entry of a row: multipliers grow at most by a factor of two from row to row. */
static const double PIVOT_SHARE = 0.5;

typedef struct elimination {
    const bl_twists *t;
    bl_arena arena; /* pivots and scratch */
    double tolerance;
    bl_index *top, per_body; /* [owners] the body held fixed for its equations; columns of a body */
    bl_index npivot;
    pivot *pivot;   /* [nrow] */
    double *x, *l;  /* [width] the row being reduced; [nrow] its multipliers */
    bl_index *used; /* [nrow] pivots with a multiplier, ascending */
    bl_index nused;
    bool *is_touched;            /* [width] columns of x that may be nonzero, */
    bl_index *touched, ntouched; /* and their list */
    bl_index *pivot_of;          /* [width] 1 + its pivot; 0: none */
    bl_index *demand;            /* [width] equations with an entry in this column */
    bl_index *heap, nheap;       /* [nrow] pivots whose column is touched; or, negative, that have a coefficient */
    double *coef;                /* [nrow] of the rows of pivots, zero except for `with` */
    bl_index *with, nwith;       /* [nrow] pivots with a coefficient, the last first */
    bool *has_coef, *part;       /* [nrow]; [owners] takes part */
} elimination;

/* ---- pivots still to be used, the first one on top */

static void swap(bl_index *a, bl_index *b) {
    bl_index keep = *a;
    *a = *b;
    *b = keep;
}

static void push(elimination *e, bl_index p) {
    bl_index k = e->nheap++;
    for (e->heap[k] = p; k > 0 && e->heap[k] < e->heap[(k - 1) / 2]; k = (k - 1) / 2)
        swap(&e->heap[k], &e->heap[(k - 1) / 2]);
}

static bl_index pop(elimination *e) {
    bl_index top = e->heap[0], k = 0;
    e->heap[0] = e->heap[--e->nheap];
    for (;;) {
        bl_index least = k;
        for (bl_index child = 2 * k + 1; child <= 2 * k + 2 && child < e->nheap; child++)
            least = e->heap[child] < e->heap[least] ? child : least;
        if (least == k)
            return top;
        swap(&e->heap[k], &e->heap[least]);
        k = least;
    }
}

/* x[col] += by; the first change of a column adds its pivot */
static void change(elimination *e, bl_index col, double by) {
    if (!e->is_touched[col]) {
        e->is_touched[col] = true;
        e->touched[e->ntouched++] = col;
        if (e->pivot_of[col] > 0)
            push(e, e->pivot_of[col] - 1);
    }
    e->x[col] += by;
}

/* Only touched columns are visited: rows of long chains are short. A reduced row has no entries at earlier pivots, so that each is used
 * once, in order. */
static double reduce(elimination *e, const bl_twist_row *row) {
    for (bl_index k = 0; k < e->ntouched; k++) {
        e->x[e->touched[k]] = 0;
        e->is_touched[e->touched[k]] = false;
    }
    e->ntouched = e->nused = 0;
    bl_index fixed = e->top[row->owner] - 1; /* its columns are left out */
    for (bl_index k = 0; k < row->n; k++)
        if (row->col[k] / e->per_body != fixed)
            change(e, row->col[k], row->coef[k]);
    while (e->nheap > 0) {
        bl_index p = pop(e);
        const pivot *with = &e->pivot[p];
        double f = e->x[with->col];
        if (f == 0)
            continue;
        for (bl_index k = 0; k < with->n; k++)
            change(e, with->at[k], -f * with->u[k]);
        e->x[with->col] = 0;
        e->l[p] = f;
        e->used[e->nused++] = p;
    }
    double largest = 0;
    for (bl_index k = 0; k < e->ntouched; k++)
        largest = fmax(largest, fabs(e->x[e->touched[k]]));
    return largest;
}

/* the pivot column of the row just reduced: least demand, then the largest entry, then the first */
static bl_index choose_pivot(const elimination *e, double largest) {
    bl_index best = -1;
    for (bl_index k = 0; k < e->ntouched; k++) {
        bl_index col = e->touched[k];
        double size = fabs(e->x[col]), before = best < 0 ? 0 : fabs(e->x[best]);
        if (size < PIVOT_SHARE * largest)
            continue;
        bool tie = best >= 0 && e->demand[col] == e->demand[best];
        if (best < 0 || e->demand[col] < e->demand[best] || (tie && (size > before || (size == before && col < best))))
            best = col;
    }
    return best;
}

static bl_status add_pivot(elimination *e, bl_index row, double largest) {
    pivot *p = &e->pivot[e->npivot];
    bl_index n = 0;
    *p = (pivot){.row = row, .col = choose_pivot(e, largest), .nl = e->nused};
    for (bl_index k = 0; k < e->ntouched; k++)
        n += fabs(e->x[e->touched[k]]) > topology_zero * largest;
    p->value = e->x[p->col];
    BL_TRY(BL_ARENA_ARRAYS(&e->arena, BL_ARRAY(p->at, n), BL_ARRAY(p->u, n), BL_ARRAY(p->l_pivot, p->nl), BL_ARRAY(p->l, p->nl)));
    for (bl_index k = 0; k < e->ntouched; k++) {
        bl_index col = e->touched[k];
        if (fabs(e->x[col]) > topology_zero * largest) {
            p->at[p->n] = col;
            p->u[p->n++] = e->x[col] / p->value;
        }
    }
    for (bl_index k = 0; k < p->nl; k++) {
        p->l_pivot[k] = e->used[k];
        p->l[k] = e->l[e->used[k]];
    }
    e->pivot_of[p->col] = ++e->npivot;
    return BL_OK;
}

static void add_coefficient(elimination *e, bl_index p, double by) {
    if (!e->has_coef[p]) {
        e->has_coef[p] = true;
        push(e, -p); /* the last one on top */
    }
    e->coef[p] += by;
}

/* row = sum coef[p] (row of pivot p), from the multipliers of the row just reduced; only pivots that take part are visited */
static void find_coefficients(elimination *e) {
    for (bl_index k = 0; k < e->nwith; k++) {
        e->coef[e->with[k]] = 0;
        e->has_coef[e->with[k]] = false;
    }
    e->nwith = 0;
    for (bl_index k = 0; k < e->nused; k++)
        add_coefficient(e, e->used[k], e->l[e->used[k]]);
    while (e->nheap > 0) {
        bl_index p = -pop(e);
        const pivot *from = &e->pivot[p];
        e->with[e->nwith++] = p;
        e->coef[p] /= from->value;
        for (bl_index k = 0; k < from->nl && e->coef[p] != 0; k++)
            add_coefficient(e, from->l_pivot[k], -e->coef[p] * from->l[k]);
    }
}

/* ---- directions: rows of d[n][6] are combined so that pure forces and pure moments are separate where possible */

static void swap_rows(double (*d)[6], bl_index a, bl_index b) {
    double keep[6];
    memcpy(keep, d[a], sizeof keep);
    memcpy(d[a], d[b], sizeof keep);
    memcpy(d[b], keep, sizeof keep);
}

/* Gauss-Jordan on columns [first, first + 3): pivots from rows [from, n), all rows of [0, n) cleared; the pivot rows come first,
 * starting at `from`; returns their end */
static bl_index eliminate(double (*d)[6], bl_index from, bl_index n, int first, double scale) {
    bl_index used = from;
    bool done[3] = {false, false, false};
    for (int step = 0; step < 3 && used < n; step++) {
        bl_index row = -1;
        int col = 0;
        double best = topology_direction * scale;
        for (int c = 0; c < 3; c++)
            for (bl_index i = used; i < n && !done[c]; i++)
                if (fabs(d[i][first + c]) > best * (1 + 1e-9)) {
                    best = fabs(d[i][first + c]);
                    row = i;
                    col = c;
                }
        if (row < 0)
            break;
        done[col] = true;
        swap_rows(d, used, row);
        for (bl_index i = 0; i < n; i++) {
            if (i == used)
                continue;
            double f = d[i][first + col] / d[used][first + col];
            for (int k = 0; k < 6; k++)
                d[i][k] -= f * d[used][k];
        }
        used++;
    }
    return used;
}

/* unit force, or unit moment if there is no force; the sign makes the first component positive */
static void normalize(double d[6], double small) {
    for (int k = 0; k < 6; k++)
        d[k] = fabs(d[k]) > small ? d[k] : 0;
    double force = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), moment = sqrt(d[3] * d[3] + d[4] * d[4] + d[5] * d[5]);
    double size = force > 0 ? force : moment;
    int first = force > 0 ? 0 : 3;
    while (first < 5 && fabs(d[first]) <= topology_direction * size)
        first++;
    double by = d[first] < 0 ? -size : size;
    for (int k = 0; size > 0 && k < 6; k++)
        d[k] /= by;
}

static int first_axis(const double d[6]) {
    int k = 0;
    while (k < 5 && fabs(d[k]) < topology_direction)
        k++;
    return k;
}

static void separate_directions(double (*d)[6], bl_index n) {
    double scale = 0;
    for (bl_index i = 0; i < n; i++)
        for (int k = 0; k < 6; k++)
            scale = fmax(scale, fabs(d[i][k]));
    bl_index moments = eliminate(d, 0, n, 3, scale);     /* the rows after it have no moment: pure forces, */
    eliminate(d, moments, n, 0, scale);                  /* eliminated from the others too */
    bl_index mixed = eliminate(d, 0, moments, 0, scale); /* the rows after it have no force: pure moments */
    eliminate(d, mixed, moments, 3, scale);
    for (bl_index i = 0; i < n; i++)
        normalize(d[i], topology_direction * scale);
    /* x before y before z, forces before moments */
    for (bl_index i = 1; i < n; i++)
        for (bl_index k = i; k > 0 && first_axis(d[k]) < first_axis(d[k - 1]); k--)
            swap_rows(d, k, k - 1);
}

/* ---- all rows of one owner */

/* other owners that take part, ascending; `owners` lists them as they were found */
static bl_status list_others(bl_dependencies *found, elimination *e, bl_dependency *d, bl_index *owners, bl_index nowners) {
    BL_TRY(BL_ARENA_NEW(&found->arena, d->other, nowners));
    for (bl_index k = 0; k < nowners; k++) {
        e->part[owners[k]] = false;
        if (owners[k] != d->owner)
            d->other[d->nother++] = owners[k];
    }
    bl_sort_indices(d->other, (size_t)d->nother);
    return BL_OK;
}

/* The rows once more against all rows of the owner, so that their order does not matter. owners[]: scratch */
static bl_status record_dependency(bl_dependencies *found, elimination *e, bl_index owner, bl_index of, const bl_index *dependent,
                                   bl_index count, bl_index *owners) {
    const bl_twists *t = e->t;
    bl_dependency *d = &found->dependency[found->n++];
    bl_index nowners = 0;
    *d = (bl_dependency){.owner = owner, .count = count, .of = of, .slip = t->row[dependent[0]].slip};
    BL_TRY(BL_ARENA_NEW(&found->arena, d->direction, count));
    BL_TRY(BL_ARENA_NEW(&found->arena, d->meaning, count));
    for (bl_index i = 0; i < count; i++) {
        const bl_twist_row *row = &t->row[dependent[i]];
        d->meaning[i] = row->meaning;
        reduce(e, row);
        find_coefficients(e);
        for (int k = 0; k < 3; k++) {
            d->direction[i][k] = row->force[k];
            d->direction[i][3 + k] = row->moment[k];
        }
        for (bl_index n = e->nwith - 1; n >= 0; n--) { /* the first one first */
            bl_index p = e->with[n];
            const bl_twist_row *with = &t->row[e->pivot[p].row];
            if (fabs(e->coef[p]) <= topology_takes_part)
                continue;
            if (!e->part[with->owner]) {
                e->part[with->owner] = true;
                owners[nowners++] = with->owner;
            }
            for (int k = 0; with->owner == owner && k < 3; k++) {
                d->direction[i][k] -= e->coef[p] * with->force[k];
                d->direction[i][3 + k] -= e->coef[p] * with->moment[k];
            }
        }
    }
    separate_directions(d->direction, count);
    return list_others(found, e, d, owners, nowners);
}

/* scratch */
static bl_status make_scratch(elimination *e) {
    size_t nrow = (size_t)e->t->nrow, width = (size_t)e->t->width, nowner = (size_t)(e->t->model->njoint + e->t->model->ndriver);
    e->pivot = bl_arena_alloc(&e->arena, nrow, sizeof *e->pivot);
    e->x = bl_arena_alloc(&e->arena, width, sizeof *e->x);
    e->l = bl_arena_alloc(&e->arena, nrow, sizeof *e->l);
    e->used = bl_arena_alloc(&e->arena, nrow, sizeof *e->used);
    e->is_touched = bl_arena_alloc(&e->arena, width, sizeof *e->is_touched);
    e->touched = bl_arena_alloc(&e->arena, width, sizeof *e->touched);
    e->pivot_of = bl_arena_alloc(&e->arena, width, sizeof *e->pivot_of);
    e->demand = bl_arena_alloc(&e->arena, width, sizeof *e->demand);
    e->heap = bl_arena_alloc(&e->arena, nrow, sizeof *e->heap);
    e->coef = bl_arena_alloc(&e->arena, nrow, sizeof *e->coef);
    e->with = bl_arena_alloc(&e->arena, nrow, sizeof *e->with);
    e->has_coef = bl_arena_alloc(&e->arena, nrow, sizeof *e->has_coef);
    e->part = bl_arena_alloc(&e->arena, nowner, sizeof *e->part);
    e->top = bl_arena_alloc(&e->arena, nowner, sizeof *e->top);
    e->per_body = e->t->model->nbody > 1 ? e->t->width / (e->t->model->nbody - 1) : 1;
    bool all = e->top && e->pivot && e->x && e->l && e->used && e->is_touched && e->touched && e->pivot_of && e->demand && e->heap;
    if (!all || !e->coef || !e->with || !e->has_coef || !e->part)
        return BL_E_MEMORY;
    BL_TRY(bl_topology_tops(e->t, e->top));
    for (bl_index i = 0; i < e->t->nrow; i++)
        for (bl_index k = 0; k < e->t->row[i].n; k++)
            e->demand[e->t->row[i].col[k]] += e->t->row[i].col[k] / e->per_body != e->top[e->t->row[i].owner] - 1;
    return BL_OK;
}

static bl_status find_dependencies(elimination *e, bl_index n, const bl_index *order, bl_dependencies *found) {
    const bl_twists *t = e->t;
    size_t nrow = (size_t)t->nrow;
    bl_index nowner = t->model->njoint + t->model->ndriver;
    BL_TRY(make_scratch(e));
    bl_index *dependent = bl_arena_alloc(&e->arena, nrow, sizeof *dependent);
    bl_index *begin = bl_arena_alloc(&e->arena, (size_t)nowner + 1, sizeof *begin);
    bl_index *owners = bl_arena_alloc(&e->arena, (size_t)nowner, sizeof *owners);
    found->dependency = bl_arena_alloc(&found->arena, nrow, sizeof *found->dependency);
    if (!dependent || !begin || !owners || !found->dependency)
        return BL_E_MEMORY;
    /* rows of owner o: begin[o] .. begin[o + 1] - 1 */
    for (bl_index i = 0; i < t->nrow; i++)
        begin[t->row[i].owner + 1]++;
    for (bl_index o = 0; o < nowner; o++)
        begin[o + 1] += begin[o];
    for (bl_index step = 0; step < 2 * n; step++) {
        bool slip = step >= n; /* rows that restrict velocities only come last */
        bl_index at = slip ? step - n : step, owner = order ? order[at] : at, count = 0, of = 0;
        double rest = 0;
        for (bl_index i = begin[owner]; i < begin[owner + 1]; i++) {
            if (t->row[i].slip != slip)
                continue;
            of++;
            double left = reduce(e, &t->row[i]);
            if (left > e->tolerance)
                BL_TRY(add_pivot(e, i, left));
            else {
                dependent[count++] = i;
                rest = fmax(rest, left);
            }
        }
        if (step == n - 1)
            found->rank = e->npivot;
        if (count == 0)
            continue;
        *(slip ? &found->nslip : &found->ndependent) += count;
        BL_TRY(record_dependency(found, e, owner, of, dependent, count, owners));
        found->dependency[found->n - 1].rest = rest;
    }
    return BL_OK;
}

bl_status bl_dependencies_find_ordered(const bl_twists *twists, bl_index n, const bl_index *order, double tolerance,
                                       bl_dependencies *found) {
    bl_context *ctx = twists->arena.ctx;
    *found = (bl_dependencies){.arena = {.ctx = ctx}};
    elimination e = {.t = twists, .arena = {.ctx = ctx}, .tolerance = tolerance};
    bl_status status = find_dependencies(&e, n, order, found);
    bl_arena_destroy(&e.arena);
    if (status != BL_OK)
        bl_dependencies_destroy(found);
    return status;
}

bl_status bl_dependencies_find(const bl_twists *twists, double tolerance, bl_dependencies *found) {
    return bl_dependencies_find_ordered(twists, twists->model->njoint + twists->model->ndriver, NULL, tolerance, found);
}

void bl_dependencies_destroy(bl_dependencies *found) {
    if (!found->arena.ctx)
        return;
    bl_arena_destroy(&found->arena);
    memset(found, 0, sizeof *found);
}

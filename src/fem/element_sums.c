/* Sums over elements: blocks of one color at a time, distributed over threads. */
#include "fem/assembly.h"

#include "base/crew.h"

#include <stdio.h>
#include <string.h>

typedef struct loop {
    const bl_fem *fem;
    bl_index p, g;
    const bl_fem_group *group;
    double t;
    uint32_t want;
    const double *history;
    double *trial;
    bl_fem_eval *eval;
    double *f, *K, *diagonal;
    const bl_index *block; /* blocks of the present color */
    /* where it failed: written by the worker whose item is the first to fail */
    bl_index element[BL_CREW_MOST], point[BL_CREW_MOST], item[BL_CREW_MOST];
} loop;

static bl_status blame(const loop *on, bl_index e, bl_index point, bl_status status) {
    const bl_fem *fem = on->fem;
    const bl_solid *solid = fem->part[on->p].solid;
    bl_index element = on->group->element[e];
    char part[96];
    snprintf(part, sizeof part, "%.60s, element %d", solid->name,
             (int)(solid->mesh.element_label ? solid->mesh.element_label[element] : element + 1));
    if (status == BL_NOT_FINITE)
        bl_fail(fem->ctx, status, NULL, "%s is inverted at its integration point %d, at t = %.9g: its volume there is no longer positive",
                part, (int)point + 1, on->t);
    else if (status == BL_NO_CONVERGENCE)
        bl_fail(fem->ctx, status, NULL, "%s: the stress iteration of material %s did not converge at integration point %d, at t = %.9g",
                part, on->group->material->kind->kind.name, (int)point + 1, on->t);
    else
        return status;
    bl_advise(fem->ctx, "take shorter time steps or smaller load increments, or refine the mesh and improve element shapes there");
    bl_blame(fem->ctx, part, "stress", on->t);
    return status;
}

static void add_forces(const loop *on, bl_index e, const double *f, int stride) {
    const bl_fem *fem = on->fem;
    int nn = on->group->kind->nnode, nc = fem->part[on->p].ncomponent;
    const bl_index *node = on->group->node + (size_t)e * (size_t)nn;
    double *to = on->f + fem->full0[on->p];
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < nc; i++)
            to[node[a] * nc + i] += f[(a * nc + i) * stride];
}

/* the diagonal of w->K of one element, or of a lane */
static void add_diagonal(const loop *on, bl_index e, const double *one, const double *lane) {
    const bl_fem *fem = on->fem;
    int nn = on->group->kind->nnode, nc = fem->part[on->p].ncomponent, n = nn * nc;
    const bl_index *node = on->group->node + (size_t)e * (size_t)nn;
    double *to = on->diagonal + fem->full0[on->p];
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < nc; i++) {
            size_t block =
                (size_t)(a * (a + 1) / 2 + a) * (size_t)(nc * nc) + (size_t)(i * nc + i); /* blocks a <= b are stored by columns */
            to[node[a] * nc + i] += lane ? lane[block * BL_LANES] : one[(size_t)(a * nc + i) * (size_t)(n + 1)];
        }
}

/* ---- one element */

static bl_status one_element(loop *on, int worker, bl_index e, bl_fem_energy *energy) {
    const bl_fem *fem = on->fem;
    const bl_fem_part *part = &fem->part[on->p];
    const bl_fem_group *group = on->group;
    bl_element_work *w = &on->eval->element[worker];
    size_t stride = (size_t)group->rule.n * (size_t)group->nhistory, own = fem->history0[on->p] + group->history + (size_t)e * stride;
    bl_index point = 0;
    bl_fem_gather(fem, on->p, group, e, on->eval, w);
    w->t = on->t;
    for (int k = 0; on->eval->between && k < group->kind->nnode * part->ncomponent; k++) {
        bl_index node = group->node[(size_t)e * group->kind->nnode + (size_t)(k / part->ncomponent)];
        size_t full = (size_t)fem->full0[on->p] + (size_t)(node * part->ncomponent + k % part->ncomponent);
        w->u_from[k] = on->eval->u_from[full];
        w->u_to[k] = on->eval->u_to[full];
    }
    bl_status status = on->eval->between     ? bl_part_solid_between(part, group, on->want, on->eval->chi, w, &point)
                       : part->solid->strain ? bl_part_solid(part, group, on->want, on->history ? on->history + own : NULL,
                                                             on->trial ? on->trial + own : NULL, w, &point)
                                             : bl_part_scalar(part, group, on->want, w, &point);
    if (status != BL_OK) {
        on->element[worker] = e;
        on->point[worker] = point;
        return status;
    }
    add_forces(on, e, w->f, 1);
    if (on->K)
        bl_fem_scatter(fem, on->p, group, on->g, e, w->K, on->K);
    if (on->diagonal)
        add_diagonal(on, e, w->K, NULL);
    energy->stored += w->energy;
    energy->dissipated += w->dissipated;
    energy->heating += w->heating;
    return BL_OK;
}

/* ---- eight elements */

static void gather_lanes(const loop *on, bl_index first, int count, bl_element_work *w) {
    const bl_fem *fem = on->fem;
    const bl_fem_part *part = &fem->part[on->p];
    const bl_fem_group *group = on->group;
    int nn = group->kind->nnode, dim = part->dim;
    const double *u = on->eval->u + fem->full0[on->p];
    for (int l = 0; l < BL_LANES; l++) {
        const bl_index *node = group->node + (size_t)(first + (l < count ? l : count - 1)) * (size_t)nn;
        for (int a = 0; a < nn; a++)
            for (int i = 0; i < dim; i++) {
                w->lane_x[(a * dim + i) * BL_LANES + l] = part->solid->mesh.x[node[a]][i];
                w->lane_u[(a * dim + i) * BL_LANES + l] = u[node[a] * dim + i];
            }
    }
}

static bl_status eight_linear(loop *on, int worker, int count, bl_fem_energy *energy) {
    const bl_fem *fem = on->fem;
    bl_element_work *w = &on->eval->element[worker];
    double stored[BL_LANES];
    bool good = fem->kernels->forces(&on->group->linear, count, w->lane_x, w->lane_u, w->lane_f, stored);
    if (on->want & BL_PART_TANGENT)
        good = fem->kernels->stiffness(&on->group->linear, count, w->lane_x, w->lane_K) && good;
    for (int l = 0; l < count; l++)
        energy->stored += stored[l];
    on->point[worker] = 0;
    return good ? BL_OK : BL_NOT_FINITE;
}

static bl_status eight_by_law(loop *on, int worker, bl_index first, int count, bl_fem_energy *energy) {
    const bl_fem *fem = on->fem;
    const bl_fem_group *group = on->group;
    size_t stride = (size_t)group->rule.n * (size_t)group->nhistory, own = fem->history0[on->p] + group->history + (size_t)first * stride;
    double sums[2] = {energy->stored, energy->dissipated};
    int lane = 0;
    bl_status status =
        bl_part_solid_lanes(&fem->part[on->p], group, fem->law_kernels, on->want, count, on->history ? on->history + own : NULL,
                            on->trial ? on->trial + own : NULL, &on->eval->element[worker], sums, &lane, &on->point[worker]);
    if (status != BL_OK)
        on->element[worker] = first + lane;
    energy->stored = sums[0];
    energy->dissipated = sums[1];
    return status;
}

static bl_status eight_elements(loop *on, int worker, bl_index first, int count, bl_fem_energy *energy) {
    const bl_fem *fem = on->fem;
    bl_element_work *w = &on->eval->element[worker];
    on->element[worker] = first;
    gather_lanes(on, first, count, w);
    BL_TRY(on->group->in_lanes ? eight_linear(on, worker, count, energy) : eight_by_law(on, worker, first, count, energy));
    for (int l = 0; l < count; l++) {
        add_forces(on, first + l, w->lane_f + l, BL_LANES);
        if (on->K)
            bl_fem_scatter_lane(fem, on->p, on->group, on->g, first + l, w->lane_K + l, w->K, on->K);
        if (on->diagonal)
            add_diagonal(on, first + l, NULL, w->lane_K + l);
    }
    return BL_OK;
}

static bl_status one_block(void *user, int worker, bl_index item) {
    loop *on = user;
    bl_index block = on->block[item], from = block * on->group->in_block, to = from + on->group->in_block;
    bl_fem_energy *energy = on->eval->block_energy + block;
    bool lanes = (on->group->in_lanes || on->group->by_law) && !on->eval->between && !(on->want & BL_PART_STRESS) &&
                 !(on->fem->has_temperatures && bl_material_expands(on->group->material));
    *energy = (bl_fem_energy){0};
    to = to < on->group->count ? to : on->group->count;
    on->item[worker] = item;
    for (bl_index e = from; e < to; e += lanes ? BL_LANES : 1) {
        int count = to - e < BL_LANES ? (int)(to - e) : BL_LANES;
        bl_status status = lanes ? eight_elements(on, worker, e, count, energy) : one_element(on, worker, e, energy);
        if (status != BL_OK)
            return status;
    }
    return BL_OK;
}

/* ---- all */

/* Threads are worthwhile if a color has several blocks for each of them. */
enum { BLOCKS_A_THREAD = 4 };

static bl_status one_group(loop *on, bl_fem_energy *energy) {
    const bl_fem_group *group = on->group;
    bl_crew *crew = on->fem->sys->crew;
    for (bl_index c = 0; c < group->ncolor; c++) {
        bl_index n = group->color[c + 1] - group->color[c], failed = 0;
        bool tied = on->K && on->fem->ntie; /* ties couple elements without a common node */
        bool shared = n >= BLOCKS_A_THREAD * bl_crew_threads(crew) && c < BL_FEM_COLORS - 1 && !tied;
        on->block = group->block + group->color[c];
        bl_status status = bl_crew_run(shared ? crew : NULL, n, one_block, on, &failed);
        if (status != BL_OK) {
            int worker = 0;
            while (worker < bl_crew_threads(crew) - 1 && on->item[worker] != failed)
                worker++;
            return blame(on, on->element[worker], on->point[worker], status);
        }
    }
    for (bl_index b = 0; (on->want & BL_PART_ENERGY) && b < group->nblock; b++) {
        energy->stored += on->eval->block_energy[b].stored;
        energy->dissipated += on->eval->block_energy[b].dissipated;
        energy->heating += on->eval->block_energy[b].heating;
    }
    return BL_OK;
}

static bl_status every_group(loop *on, bl_fem_energy *energy) {
    const bl_fem *fem = on->fem;
    for (on->p = 0; on->p < fem->npart; on->p++)
        for (on->g = 0; on->g < fem->part[on->p].ngroup; on->g++) {
            on->group = &fem->part[on->p].group[on->g];
            BL_TRY(one_group(on, energy));
        }
    return BL_OK;
}

bl_status bl_fem_diagonal(const bl_fem *fem, double t, bl_fem_eval *eval, double *diagonal) {
    loop on = {.fem = fem, .t = t, .want = BL_PART_FORCE | BL_PART_TANGENT, .eval = eval, .f = eval->f, .diagonal = diagonal};
    memset(eval->f, 0, (size_t)fem->nfull * sizeof *eval->f);
    memset(diagonal, 0, (size_t)fem->nfull * sizeof *diagonal);
    return every_group(&on, NULL);
}

bl_status bl_fem_inner(const bl_fem *fem, double t, uint32_t want, const double *history, double *trial, bl_fem_eval *eval, double *f,
                       double *K, bl_fem_energy *energy) {
    loop on = {.fem = fem, .t = t, .want = want, .history = history, .trial = trial, .eval = eval, .f = f, .K = K};
    memset(f, 0, (size_t)fem->nfull * sizeof *f);
    if (K)
        memset(K, 0, (size_t)fem->pattern.ptr[fem->n] * sizeof *K);
    if (want & BL_PART_ENERGY)
        *energy = (bl_fem_energy){0};
    return every_group(&on, energy);
}

/* Exceptions to counting. Equations of joints on twists are added in the order in which links are reached from the frame, driven pairs
 * first; an equation that follows from those before is redundant (`repeated`). Which of several dependent equations is chosen affects the
 * groups: joints that take part are tried last in turn, and the choice with the smallest groups is kept.
 *
 * The remaining equations are independent, as many as the rank: a set of links with as many of them as unknowns is then not only tight
 * by counting, but regular, and links are left over exactly where degrees of freedom have no input. */
#include "topology/exceptions.h"
#include "topology/topology_limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct finder {
    bl_context *ctx;
    const bl_exceptions_input *in;
    bl_chain chain; /* with the pairs that are being filled */
    bl_chain_pair *pair;
    bl_structure_exceptions *out;
    bl_arena scratch;
    bl_twists twists, random; /* in the configuration examined; in a random one, where no marks coincide */
    bl_index *order;          /* [njoint + ndriver] joints, then drivers */
    bl_index *trial;          /* [njoint + ndriver] */
    bl_pin *pin;              /* [njoint]; surplus pairs of a pin come last in the order */
    bl_index nsurplus;
    bl_dependencies permanent;
    bl_index npassive;
    bl_passive *passive;
} finder;

/* ---- order: pairs by the links they lead to, driven pairs first */

typedef struct ranked {
    bl_index last, first, pair;
} ranked;

static int compare(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* position[nlink] in which links are reached from the frame */
static void reach(const bl_chain *chain, const bl_incidence *incidence, bl_index *queue, bl_index *position) {
    bl_index reached = 0, link[BL_PAIR_LINKS];
    for (bl_index i = 0; i < chain->nlink; i++)
        position[i] = -1;
    for (bl_index root = 0, head = 0; root < chain->nlink; root++) {
        if (position[root] >= 0)
            continue;
        position[root] = reached;
        queue[reached++] = root;
        for (; head < reached; head++)
            for (int driven = 1; driven >= 0; driven--)
                for (bl_index u = queue[head], i = incidence->begin[u]; i < incidence->begin[u + 1]; i++) {
                    bl_index p = incidence->pair[i];
                    if ((chain->pair[p].inputs > 0) != driven)
                        continue;
                    for (bl_index k = 0, n = bl_pair_links(chain, p, link); k < n; k++)
                        if (position[link[k]] < 0) {
                            position[link[k]] = reached;
                            queue[reached++] = link[k];
                        }
                }
    }
}

static bl_status find_order(finder *f) {
    const bl_model *model = f->in->model;
    bl_incidence incidence;
    bl_index nowner = model->njoint + model->ndriver, link[BL_PAIR_LINKS];
    BL_TRY(bl_incidence_find(&f->scratch, &f->chain, &incidence));
    bl_index *queue;
    bl_index *position;
    ranked *rank;
    BL_TRY(BL_ARENA_ARRAYS(&f->scratch, BL_ARRAY(queue, f->chain.nlink), BL_ARRAY(position, f->chain.nlink), BL_ARRAY(rank, model->njoint),
                           BL_ARRAY(f->order, nowner), BL_ARRAY(f->trial, nowner), BL_ARRAY(f->pin, model->njoint)));
    reach(&f->chain, &incidence, queue, position);
    for (bl_index j = 0; j < model->njoint; j++) {
        rank[j] = (ranked){.last = 0, .first = f->chain.nlink, .pair = j};
        for (bl_index k = bl_pair_links(&f->chain, j, link); k-- > 0;) {
            rank[j].last = position[link[k]] > rank[j].last ? position[link[k]] : rank[j].last;
            rank[j].first = position[link[k]] < rank[j].first ? position[link[k]] : rank[j].first;
        }
    }
    qsort(rank, (size_t)model->njoint, sizeof *rank, compare);
    for (bl_index j = 0; j < model->njoint; j++)
        f->order[j] = rank[j].pair;
    for (bl_index d = model->njoint; d < nowner; d++)
        f->order[d] = d;
    return BL_OK;
}

/* ---- which equations are repeated */

/* dependencies of joints in the order; stored as `repeated` of the pairs */
static bl_status find_repeated(finder *f, const bl_index *order, bl_index nowner, bl_dependencies *found) {
    bl_index njoint = f->in->model->njoint;
    BL_TRY(bl_dependencies_find_ordered(&f->twists, nowner, order, f->in->tolerance, found));
    for (bl_index j = 0; j < njoint; j++)
        f->pair[j].repeated = 0;
    for (bl_index i = 0; i < found->n; i++)
        if (found->dependency[i].owner < njoint)
            f->pair[found->dependency[i].owner].repeated = (int)found->dependency[i].count;
    return BL_OK;
}

/* smaller is better: links left over count most, then the squares of the group sizes */
static bl_status score_groups(finder *f, double *score) {
    bl_structure_report report = {.size = sizeof report};
    BL_TRY(bl_structure(f->ctx, &f->chain, NULL, &report));
    *score = (double)report.nremaining * 1e12;
    for (bl_index k = 0; k < report.ngroup; k++)
        *score += (double)report.group[k].nlink * (double)report.group[k].nlink;
    bl_structure_report_destroy(f->ctx, &report);
    return BL_OK;
}

static bl_status try_last(finder *f, bl_index joint, double *score) {
    bl_index njoint = f->in->model->njoint, n = 0;
    bl_dependencies found = {0};
    for (bl_index k = 0; k < njoint; k++) { /* before the surplus pairs of a pin */
        if (k == njoint - f->nsurplus)
            f->trial[n++] = joint;
        if (f->order[k] != joint)
            f->trial[n++] = f->order[k];
    }
    if (f->nsurplus == 0)
        f->trial[n] = joint;
    bl_status status = find_repeated(f, f->trial, njoint, &found);
    bl_dependencies_destroy(&found);
    return status == BL_OK ? score_groups(f, score) : status;
}

/* joints that take part in a dependency: part[njoint] */
static void find_participants(const finder *f, const bl_dependencies *found, bool *part) {
    bl_index njoint = f->in->model->njoint;
    memset(part, 0, (size_t)njoint * sizeof *part);
    for (bl_index i = 0; i < found->n; i++) {
        const bl_dependency *d = &found->dependency[i];
        if (d->owner >= njoint)
            continue;
        part[d->owner] = true;
        for (bl_index k = 0; k < d->nother; k++)
            if (d->other[k] < njoint)
                part[d->other[k]] = true;
    }
}

static bl_status move_pins_last(finder *f) {
    const bl_model *model = f->in->model;
    bl_index n = 0;
    BL_TRY(bl_pins_find(&f->scratch, model, f->in->regular, f->in->length, f->order, f->pin));
    for (int surplus = 0; surplus < 2; surplus++)
        for (bl_index k = 0; k < model->njoint; k++)
            if (f->pin[f->order[k]].surplus == surplus)
                f->trial[n++] = f->order[k];
    memcpy(f->order, f->trial, (size_t)n * sizeof *f->order);
    for (bl_index j = 0; j < model->njoint; j++)
        f->nsurplus += f->pin[j].surplus;
    return BL_OK;
}

static bl_status choose_repeated(finder *f) {
    const bl_model *model = f->in->model;
    bl_dependencies found = {0};
    bool *part = bl_arena_alloc(&f->scratch, (size_t)model->njoint, sizeof *part);
    double best = 0, score = 0;
    if (!part)
        return BL_E_MEMORY;
    bl_status status = find_repeated(f, f->order, model->njoint, &found);
    bl_index ndependent = found.ndependent;
    find_participants(f, &found, part);
    bl_dependencies_destroy(&found);
    BL_TRY(status);
    if (ndependent == 0)
        return BL_OK;
    BL_TRY(move_pins_last(f));
    if (f->twists.nrow > topology_trial_rows)
        return BL_OK;
    BL_TRY(find_repeated(f, f->order, model->njoint, &found));
    bl_dependencies_destroy(&found);
    BL_TRY(score_groups(f, &best));
    bool better = true;
    for (int trials = 0; better && trials < topology_trials;) {
        better = false;
        for (bl_index j = 0; j < model->njoint && trials < topology_trials; j++) {
            if (!part[j] || f->pin[j].surplus)
                continue;
            trials++;
            BL_TRY(try_last(f, j, &score));
            if (score < best) {
                best = score;
                better = true;
                memcpy(f->order, f->trial, (size_t)model->njoint * sizeof *f->order);
            }
        }
    }
    return BL_OK;
}

/* ---- ranks in other configurations */

static bl_status rank_at(const finder *f, const bl_pose *pose, bl_dependencies *found) {
    bl_twists twists;
    bl_status status = bl_twists_build(f->ctx, f->in->model, pose, f->in->length, &twists);
    if (status == BL_OK)
        status = bl_dependencies_find_ordered(&twists, f->in->model->njoint + f->in->model->ndriver, f->order, f->in->tolerance, found);
    bl_twists_destroy(&twists);
    return status;
}

static bl_index joint_dependents(const finder *f, const bl_dependencies *found) {
    bl_index n = 0;
    for (bl_index i = 0; i < found->n; i++)
        n += found->dependency[i].owner < f->in->model->njoint ? found->dependency[i].count : 0;
    return n;
}

static double random_number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* random displacements and small rotations of all bodies: no marks coincide, no axes are parallel, no lengths are equal */
static void randomize(const finder *f, bl_pose *pose) {
    uint64_t seed = 20050101;
    int dim = f->in->model->dim;
    for (bl_index b = 0; b < f->in->model->nbody; b++) {
        const double *q = f->in->regular[b].quaternion;
        double r[4] = {1, 0, 0, 0}, size = 0;
        pose[b] = f->in->regular[b];
        for (int k = 0; k < dim; k++)
            pose[b].position[k] += 0.3 * f->in->length * random_number(&seed);
        for (int k = dim == 2 ? 3 : 1; k < 4; k++)
            r[k] = 0.3 * random_number(&seed);
        for (int k = 0; k < 4; k++)
            size += r[k] * r[k];
        size = sqrt(size);
        for (int k = 0; k < 4; k++)
            r[k] /= size;
        pose[b].quaternion[0] = r[0] * q[0] - r[1] * q[1] - r[2] * q[2] - r[3] * q[3];
        pose[b].quaternion[1] = r[0] * q[1] + r[1] * q[0] + r[2] * q[3] - r[3] * q[2];
        pose[b].quaternion[2] = r[0] * q[2] - r[1] * q[3] + r[2] * q[0] + r[3] * q[1];
        pose[b].quaternion[3] = r[0] * q[3] + r[1] * q[2] - r[2] * q[1] + r[3] * q[0];
    }
}

static bl_status build_random(finder *f) {
    bl_pose *pose;
    BL_TRY(BL_ARENA_NEW(&f->scratch, pose, f->in->model->nbody));
    randomize(f, pose);
    return bl_twists_build(f->ctx, f->in->model, pose, f->in->length, &f->random);
}

/* ---- complete search */

static int count(const bl_chain *chain) {
    int per_link = chain->dim == 3 ? 6 : 3, mobility = per_link * (int)(chain->nlink - 1);
    for (bl_index p = 0; p < chain->npair; p++)
        mobility -= per_link - chain->pair[p].dof;
    return mobility;
}

static bl_status find(finder *f) {
    const bl_model *model = f->in->model;
    bl_structure_exceptions *out = f->out;
    bl_exceptions_found found = {.in = f->in, .chain = &f->chain, .permanent = &f->permanent};
    out->mobility_count = count(&f->chain);
    BL_TRY(find_order(f));
    BL_TRY(bl_twists_create(f->ctx, model, f->in->length, &f->twists));
    f->twists.velocities = true; /* a wheel that rolls does not rotate without effect */
    BL_TRY(bl_twists_at(&f->twists, f->in->regular, NULL));
    BL_TRY(bl_passive_find(f->ctx, &f->twists, f->in->regular, &f->chain, f->order, f->in->tolerance, &f->npassive, &f->passive));
    for (bl_index i = 0; i < f->npassive; i++)
        f->pair[f->passive[i].pair].passive++;
    f->twists.velocities = false;
    BL_TRY(bl_twists_at(&f->twists, f->in->regular, NULL));
    BL_TRY(choose_repeated(f));
    BL_TRY(find_repeated(f, f->order, model->njoint + model->ndriver, &f->permanent));
    out->closed = true;
    out->repeated = (int)joint_dependents(f, &f->permanent);
    out->passive = (int)f->npassive;
    out->mobility_start = out->mobility_rank = out->mobility_count + out->repeated;
    found.rank_regular = found.rank_start = (int)f->permanent.rank;
    if (f->in->start != f->in->regular) {
        bl_dependencies at_start = {0};
        bl_status status = rank_at(f, f->in->start, &at_start);
        out->mobility_start = out->mobility_count + (int)joint_dependents(f, &at_start);
        found.rank_start = (int)at_start.rank;
        bl_dependencies_destroy(&at_start);
        BL_TRY(status);
    }
    if (out->repeated > 0)
        BL_TRY(build_random(f));
    found.random = &f->random;
    found.pin = f->pin;
    found.npassive = f->npassive;
    found.passive = f->passive;
    return bl_exceptions_describe(out->own, &found, out);
}

static bl_status make_exceptions(bl_context *ctx, bl_structure_exceptions *exceptions) {
    bl_arena *arena = NULL;
    *exceptions = (bl_structure_exceptions){.size = sizeof *exceptions};
    BL_TRY(BL_NEW(ctx, arena, 1));
    arena->ctx = ctx;
    exceptions->own = arena;
    return BL_OK;
}

bl_status bl_exceptions_open(bl_context *ctx, const bl_chain *chain, bl_structure_exceptions *exceptions) {
    const bl_error *error = bl_context_error(ctx);
    BL_TRY(make_exceptions(ctx, exceptions));
    bl_structure_exception *e;
    BL_TRY(BL_ARENA_NEW(exceptions->own, e, 1));
    *e = (bl_structure_exception){.kind = BL_EXCEPTION_OPEN, .pair = -1, .link = -1};
    snprintf(e->text, sizeof e->text, "%.240s; the structure is found by counting only", error->what);
    bl_context_clear_error(ctx);
    exceptions->mobility_count = exceptions->mobility_rank = exceptions->mobility_start = count(chain);
    exceptions->exception = e;
    exceptions->n = 1;
    return BL_OK;
}

bl_status bl_exceptions_find(bl_context *ctx, const bl_exceptions_input *in, const bl_chain *chain, bl_chain_pair *pair,
                             bl_structure_exceptions *exceptions) {
    BL_TRY(make_exceptions(ctx, exceptions));
    finder f = {.ctx = ctx, .in = in, .chain = *chain, .pair = pair, .out = exceptions, .scratch = {.ctx = ctx}};
    f.chain.pair = pair;
    bl_status status = find(&f);
    bl_dependencies_destroy(&f.permanent);
    bl_twists_destroy(&f.twists);
    bl_twists_destroy(&f.random);
    bl_free(ctx, f.passive);
    bl_arena_destroy(&f.scratch);
    return status;
}

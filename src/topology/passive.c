/* Passive degrees of freedom: one link, or a run of links with two pairs each, rotates or slides as one body while all others are fixed
 * and no equation is affected. Sets attached to only one other link are left out: there it is the mechanism that moves. */
#include "topology/exceptions.h"

#include "base/vector3.h"
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "topology/topology_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_WIDE = 6 * BL_PASSIVE_LINKS };

typedef struct search {
    bl_arena *arena;
    const bl_twists *t;
    const bl_pose *pose;
    const bl_chain *chain;
    const bl_index *order;
    bl_index *position; /* [npair] position in the order */
    double tolerance;
    int per_body;
    bl_incidence incidence;
    bl_index *begin, *row; /* rows of link b: row[begin[b]] .. row[begin[b + 1] - 1] */
    double *response;      /* [6][all entries], scratch */
    bl_index n, room;
    bl_passive *passive; /* grows */
} search;

static bl_status list_rows(search *s) {
    const bl_twists *t = s->t;
    size_t nbody = (size_t)t->model->nbody, total = 0;
    s->begin = bl_arena_alloc(s->arena, nbody + 2, sizeof *s->begin);
    for (bl_index i = 0; i < t->nrow; i++)
        total += (size_t)t->row[i].n;
    s->row = bl_arena_alloc(s->arena, total, sizeof *s->row);
    s->response = bl_arena_alloc(s->arena, 6 * total, sizeof *s->response);
    if (!s->begin || !s->row || !s->response)
        return BL_E_MEMORY;
    /* as in bl_incidence_find; a row is listed once for every entry */
    for (bl_index i = 0; i < t->nrow; i++)
        for (bl_index k = 0; k < t->row[i].n; k++)
            s->begin[t->row[i].col[k] / s->per_body + 1 + 1]++;
    for (size_t b = 1; b <= nbody; b++)
        s->begin[b + 1] += s->begin[b];
    for (bl_index i = t->nrow; i-- > 0;)
        for (bl_index k = t->row[i].n; k-- > 0;)
            s->row[--s->begin[t->row[i].col[k] / s->per_body + 2]] = i;
    for (size_t b = 1; b <= nbody; b++)
        s->begin[b] = s->begin[b + 1];
    s->begin[nbody] = (bl_index)total;
    return BL_OK;
}

/* velocity (in lengths) and angular velocity of a link if all links of the set move as one body */
static void carried(const search *s, bl_index reference, const double twist[6], bl_index link, double out[6]) {
    double arm[3];
    for (int k = 0; k < 3; k++)
        arm[k] = (s->pose[link].position[k] - s->pose[reference].position[k]) / s->t->length;
    cross3(twist + 3, arm, out);
    for (int k = 0; k < 3; k++) {
        out[k] += twist[k];
        out[3 + k] = twist[3 + k];
    }
}

/* twist[k] is the k-th unit motion of a link: 6, in the plane 3 */
static void unit_motion(const search *s, int k, double twist[6]) {
    memset(twist, 0, 6 * sizeof *twist);
    twist[s->per_body == 3 && k == 2 ? 5 : k] = 1;
}

/* twists[][6] of the set that affect no equation; their number in *n */
static bl_status free_twists(search *s, bl_index nlink, const bl_index *link, double (*twists)[6], bl_index *n) {
    int width = s->per_body;
    bl_index m = 0, rank = 0;
    for (bl_index i = 0; i < nlink; i++)
        m += s->begin[link[i] + 1] - s->begin[link[i]];
    memset(s->response, 0, (size_t)m * (size_t)width * sizeof *s->response);
    for (int c = 0; c < width; c++) {
        double twist[6], moved[BL_PASSIVE_LINKS][6];
        bl_index at = 0;
        unit_motion(s, c, twist);
        for (bl_index i = 0; i < nlink; i++)
            carried(s, link[0], twist, link[i], moved[i]);
        for (bl_index i = 0; i < nlink; i++)
            for (bl_index r = s->begin[link[i]]; r < s->begin[link[i] + 1]; r++, at++) {
                const bl_twist_row *row = &s->t->row[s->row[r]];
                double sum = 0;
                for (bl_index k = 0; k < row->n; k++)
                    for (bl_index b = 0; b < nlink; b++) {
                        bl_index part = row->col[k] - (link[b] - 1) * width;
                        if (part >= 0 && part < width)
                            sum += row->coef[k] * moved[b][width == 3 && part == 2 ? 5 : part];
                    }
                s->response[(size_t)c * (size_t)m + (size_t)at] = fabs(sum) > s->tolerance ? sum : 0;
            }
    }
    double basis[36];
    BL_TRY(bl_null_space(s->arena->ctx, m, width, s->response, s->tolerance, basis, &rank));
    *n = width - rank;
    for (bl_index i = 0; i < *n; i++) {
        memset(twists[i], 0, sizeof twists[i]);
        for (int c = 0; c < width; c++)
            twists[i][width == 3 && c == 2 ? 5 : c] = basis[i * width + c];
    }
    return BL_OK;
}

static bool is_in(bl_index nlink, const bl_index *link, bl_index one) {
    for (bl_index i = 0; i < nlink; i++)
        if (link[i] == one)
            return true;
    return false;
}

/* Pairs across the boundary of the set: returns the number of different links outside, at most 2; *where: the first pair in the order
 * with a degree of freedom left. Relations hold nothing in position. */
static bl_index links_outside(const search *s, bl_index nlink, const bl_index *link, bl_index *where) {
    bl_index seen[2] = {-1, -1}, n = 0, other[BL_PAIR_LINKS], best = s->chain->npair;
    *where = -1;
    for (bl_index i = 0; i < nlink; i++)
        for (bl_index k = s->incidence.begin[link[i]]; k < s->incidence.begin[link[i] + 1]; k++) {
            bl_index p = s->incidence.pair[k];
            const bl_chain_pair *pair = &s->chain->pair[p];
            bool border = false;
            for (bl_index j = bl_pair_links(s->chain, p, other); j-- > 0 && pair->letter != 'G';) {
                if (is_in(nlink, link, other[j]))
                    continue;
                border = true;
                if (n < 2 && other[j] != seen[0])
                    seen[n++] = other[j];
            }
            if (border && pair->dof > pair->inputs && s->position[p] < best) {
                best = s->position[p];
                *where = p;
            }
        }
    return n;
}

/* twist of the set as a vector over its links: out[nlink][6] */
static void as_vector(const search *s, const bl_passive *p, bl_index nlink, const bl_index *link, double *out) {
    for (bl_index i = 0; i < nlink; i++) {
        memset(out + 6 * i, 0, 6 * sizeof *out);
        if (is_in(p->nlink, p->link, link[i]))
            carried(s, p->link[0], p->twist, link[i], out + 6 * i);
    }
}

/* x minus its components along basis[n], twice for accuracy; false: nothing is left. Otherwise it becomes basis[n]. */
static bool is_new(double (*basis)[MOST_WIDE], bl_index n, bl_index width, double *x) {
    double before = 0, after = 0;
    for (bl_index k = 0; k < width; k++)
        before += x[k] * x[k];
    for (int again = 0; again < 2; again++)
        for (bl_index i = 0; i < n; i++) {
            double along = 0;
            for (bl_index k = 0; k < width; k++)
                along += basis[i][k] * x[k];
            for (bl_index k = 0; k < width; k++)
                x[k] -= along * basis[i][k];
        }
    for (bl_index k = 0; k < width; k++)
        after += x[k] * x[k];
    if (!(after > topology_independent * before))
        return false;
    for (bl_index k = 0; k < width; k++)
        basis[n][k] = x[k] / sqrt(after);
    return true;
}

/* Does the run rotate in place: do the pairs inside it keep their positions, and axes their directions? Otherwise it swings. */
static bool rotates_in_place(const search *s, const bl_passive *run) {
    const bl_model *model = s->t->model;
    bool in_place = true;
    for (bl_index j = 0; j < model->njoint && in_place; j++) {
        const bl_joint_def *def = &model->joint[j];
        const bl_prim *pin = bl_joint_prim(def, BL_COINCIDE);
        bl_joint_axis axis;
        if (!is_in(run->nlink, run->link, def->body[0]) || !is_in(run->nlink, run->link, def->body[1]) || def->kind->letter == 'F')
            continue;
        bl_joint_axis_now(model, s->pose, j, &axis);
        if (axis.turns || axis.slides) {
            double c[3];
            cross3(run->twist + 3, axis.along, c);
            in_place = sqrt(dot3(c, c)) < topology_direction;
        }
        if (pin) {
            double at[3], arm[3], v[3];
            bl_mark_now(s->pose, &pin->a, at);
            for (int k = 0; k < 3; k++)
                arm[k] = (at[k] - s->pose[run->link[0]].position[k]) / s->t->length;
            cross3(run->twist + 3, arm, v);
            for (int k = 0; k < 3; k++)
                in_place = in_place && fabs(v[k] + run->twist[k]) < topology_direction;
        }
    }
    return in_place;
}

static bl_status examine(search *s, bl_index nlink, const bl_index *link) {
    double twists[6][6], basis[MOST_WIDE][MOST_WIDE], x[MOST_WIDE];
    bl_index n = 0, known = 0, where = -1, width = 6 * nlink;
    if (links_outside(s, nlink, link, &where) < 2 || where < 0)
        return BL_OK;
    BL_TRY(free_twists(s, nlink, link, twists, &n));
    if (n == 0)
        return BL_OK;
    for (bl_index i = 0; i < s->n && nlink > 1; i++) { /* passive motions of subsets */
        bool part = true;
        for (bl_index k = 0; k < s->passive[i].nlink; k++)
            part = part && is_in(nlink, link, s->passive[i].link[k]);
        if (!part)
            continue;
        as_vector(s, &s->passive[i], nlink, link, x);
        known += is_new(basis, known, width, x);
    }
    for (bl_index i = 0; i < n; i++) {
        bl_passive one = {.nlink = nlink, .pair = where};
        memcpy(one.link, link, (size_t)nlink * sizeof *link);
        memcpy(one.twist, twists[i], sizeof one.twist);
        if (nlink > 1 && !rotates_in_place(s, &one))
            continue;
        as_vector(s, &one, nlink, link, x);
        if (!is_new(basis, known, width, x))
            continue;
        known++;
        BL_TRY(BL_RESERVE(s->arena->ctx, s->passive, s->room, s->n + 1));
        s->passive[s->n++] = one;
    }
    return BL_OK;
}

/* the other end of a link's k-th pair if it has exactly two that join two links, otherwise -1 */
static bl_index other_end(const search *s, bl_index link, bl_index k) {
    bl_index found[2], n = 0;
    for (bl_index i = s->incidence.begin[link]; i < s->incidence.begin[link + 1]; i++) {
        const bl_chain_pair *pair = &s->chain->pair[s->incidence.pair[i]];
        if (n == 2 || pair->letter == 'G' || pair->via[0] >= 0)
            return -1;
        found[n++] = pair->link[0] == link ? pair->link[1] : pair->link[0];
    }
    return n == 2 ? found[k] : -1;
}

/* all runs that start at the link and end at one with a larger number */
static bl_status examine_runs(search *s, bl_index first) {
    for (bl_index direction = 0; direction < 2; direction++) {
        bl_index link[BL_PASSIVE_LINKS] = {first}, n = 1, next = other_end(s, first, direction);
        while (next > 0 && n < BL_PASSIVE_LINKS && !is_in(n, link, next) && other_end(s, next, 0) >= 0) {
            bl_index from = link[n - 1];
            link[n++] = next;
            if (next > first)
                BL_TRY(examine(s, n, link));
            next = other_end(s, next, other_end(s, next, 0) == from ? 1 : 0);
        }
    }
    return BL_OK;
}

static bl_status search_all(search *s) {
    BL_TRY(bl_incidence_find(s->arena, s->chain, &s->incidence));
    BL_TRY(list_rows(s));
    BL_TRY(BL_ARENA_NEW(s->arena, s->position, s->chain->npair));
    for (bl_index k = 0; k < s->chain->npair; k++)
        s->position[s->order[k]] = k;
    for (bl_index b = 1; b < s->chain->nlink; b++)
        BL_TRY(examine(s, 1, &b));
    for (bl_index b = 1; b < s->chain->nlink; b++)
        BL_TRY(examine_runs(s, b));
    return BL_OK;
}

bl_status bl_passive_find(bl_context *ctx, const bl_twists *twists, const bl_pose *pose, const bl_chain *chain, const bl_index *order,
                          double tolerance, bl_index *n, bl_passive **passive) {
    bl_arena arena = {.ctx = ctx};
    search s = {.arena = &arena, .t = twists, .pose = pose, .chain = chain, .order = order, .tolerance = tolerance};
    s.per_body = chain->dim == 3 ? 6 : 3;
    bl_status status = search_all(&s);
    bl_arena_destroy(&arena);
    *n = s.n;
    *passive = s.passive;
    return status;
}

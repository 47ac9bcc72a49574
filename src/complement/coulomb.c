/* See coulomb.h. Modes of all contacts make the problem linear: unknown are the normal forces of closed contacts, which make u_N zero, and
 * the components of friction of sticking ones, which make u_T zero; friction of sliding ones follows the normal force. Glocker (2001). */
#include "complement/coulomb.h"

#include "complement/complement.h"
#include "complement/complement_limits.h"
#include "dense/dense.h"

#include <math.h>
#include <string.h>

enum { LEMKE = 40 }; /* contacts of a part */
enum { SWEEPS = 400, MORE_SWEEPS = 20000, TURNS = 200, MODES = 4, MOST_COMBINATIONS = 4096, ALL_COMBINATIONS = 64 };

/* what a contact may do in a trial; SLIDE in one of the two directions of the plane */
enum { OPEN, STICK, FORTH, BACK };

static bl_status create(bl_context *ctx, bl_index contacts, bl_coulomb **out) {
    bl_coulomb *c;
    *out = NULL;
    BL_TRY(BL_NEW(ctx, c, 1));
    size_t n = (size_t)contacts, m = 3 * n;
    c->ctx = ctx;
    c->n_most = contacts;
    c->m_most = 3 * contacts;
    c->nwork = bl_least_norm_work(c->m_most, c->m_most);
    bl_status status = BL_NEW_ARRAYS(ctx, c->block, BL_ARRAY(c->D, m * m), BL_ARRAY(c->b, m), BL_ARRAY(c->p, m), BL_ARRAY(c->u, m),
                                     BL_ARRAY(c->other, m), BL_ARRAY(c->A, m * m), BL_ARRAY(c->x, m), BL_ARRAY(c->trial, m),
                                     BL_ARRAY(c->guessed, m), BL_ARRAY(c->work, c->nwork), BL_ARRAY(c->unknown, m), BL_ARRAY(c->place, m),
                                     BL_ARRAY(c->part_of, n), BL_ARRAY(c->contact, n), BL_ARRAY(c->try_mode, n));
    if (status != BL_OK) {
        bl_coulomb_destroy(c);
        return status;
    }
    *out = c;
    return BL_OK;
}

static bl_status make_lemke(bl_coulomb *c) {
    bl_index n = 4 * (c->n_most < LEMKE ? c->n_most : LEMKE);
    BL_TRY(BL_NEW(c->ctx, c->lcp, 1));
    BL_TRY(BL_NEW(c->ctx, c->lcp_A, n * (n + 2) + 1));
    BL_TRY(BL_NEW(c->ctx, c->lcp_start, n + 1));
    c->lcp_b = c->lcp_A + (size_t)n * (size_t)n;
    c->lcp_z = c->lcp_b + n;
    return bl_lcp_work_create(c->ctx, n, c->lcp);
}

bl_status bl_coulomb_create(bl_context *ctx, bl_index contacts, bl_coulomb **out) {
    BL_TRY(create(ctx, contacts, out));
    bl_status status = create(ctx, contacts, &(*out)->part);
    if (status == BL_OK)
        status = make_lemke((*out)->part);
    if (status != BL_OK) {
        bl_coulomb_destroy(*out);
        *out = NULL;
    }
    return status;
}

void bl_coulomb_destroy(bl_coulomb *c) {
    if (!c)
        return;
    bl_coulomb_destroy(c->part);
    if (c->lcp)
        bl_lcp_work_destroy(c->lcp);
    bl_free(c->ctx, c->lcp);
    bl_free(c->ctx, c->lcp_A);
    bl_free(c->ctx, c->lcp_start);
    bl_free(c->ctx, c->block);
    bl_free(c->ctx, c);
}

void bl_coulomb_place(bl_coulomb *c, bl_index n) {
    c->n = n;
    c->m = 0;
    c->rounded = 0;
    for (bl_index i = 0; i < n; i++) {
        c->contact[i].first = c->m;
        c->m += 1 + c->contact[i].nslip;
    }
}

static double entry(const bl_coulomb *c, bl_index i, bl_index j) { return c->D[(size_t)j * (size_t)c->m + (size_t)i]; }

double bl_coulomb_sliding_entry(const bl_coulomb *c, bl_index i) {
    const bl_coulomb_contact *k = &c->contact[i];
    double sum = entry(c, k->first, k->first);
    for (int t = 0; t < k->nslip; t++)
        sum -= k->friction * k->side[t] * entry(c, k->first, k->first + 1 + t);
    return sum;
}

/* u = D p + b */
static void respond(const bl_coulomb *c, const double *p, double *u) {
    memcpy(u, c->b, (size_t)c->m * sizeof *u);
    for (bl_index j = 0; j < c->m; j++)
        for (bl_index i = 0; p[j] != 0 && i < c->m; i++)
            u[i] += entry(c, i, j) * p[j];
}

/* ---- a guess by Gauss-Seidel */

static double local_u(const bl_coulomb *c, bl_index i) {
    double sum = c->b[i];
    for (bl_index j = 0; j < c->m; j++)
        sum += entry(c, i, j) * c->p[j];
    return sum;
}

static void relax_friction(bl_coulomb *c, const bl_coulomb_contact *k) {
    double *p = c->p + k->first, size = 0;
    if (k->sliding) {
        for (int t = 0; t < k->nslip; t++)
            p[1 + t] = -k->friction * p[0] * k->side[t];
        return;
    }
    double own = 0, u[2] = {0, 0}; /* the same step in both directions: friction ends up against the speed */
    for (int t = 0; t < k->nslip; t++) {
        own += entry(c, k->first + 1 + t, k->first + 1 + t);
        u[t] = local_u(c, k->first + 1 + t);
    }
    for (int t = 0; t < k->nslip && own > 0; t++)
        p[1 + t] -= u[t] / own;
    for (int t = 0; t < k->nslip; t++)
        size = hypot(size, p[1 + t]);
    double most = size > k->sticking * p[0] ? k->friction * p[0] : size;
    for (int t = 0; t < k->nslip && size > 0; t++)
        p[1 + t] *= most / size;
}

static void sweep_contacts(bl_coulomb *c, int sweeps) {
    for (int sweep = 0; sweep < sweeps; sweep++) {
        double moved = 0, size = 0;
        for (bl_index i = 0; i < c->n; i++) {
            const bl_coulomb_contact *k = &c->contact[i];
            double own = entry(c, k->first, k->first), was = c->p[k->first];
            if (own > 0)
                c->p[k->first] = fmax(k->least, was - local_u(c, k->first) / own);
            relax_friction(c, k);
            moved = fmax(moved, fabs(c->p[k->first] - was));
            size = fmax(size, fabs(c->p[k->first]));
        }
        if (!(moved > complement_coulomb_settled * size))
            break;
    }
}

static void guess(bl_coulomb *c) {
    for (bl_index i = 0; i < c->n; i++) {
        memset(c->p + c->contact[i].first, 0, (size_t)(1 + c->contact[i].nslip) * sizeof *c->p);
        c->p[c->contact[i].first] = c->contact[i].least;
    }
    sweep_contacts(c, SWEEPS);
}

/* Modes that the guess suggests. eager: a contact that hardly moves sticks, even where its friction is at the limit, so that others may
 * share it. */
static void modes_of_guess(bl_coulomb *c, bool eager) {
    double size = 0, fast = 0;
    respond(c, c->p, c->u);
    for (bl_index i = 0; i < c->n; i++)
        size = fmax(size, c->p[c->contact[i].first]);
    for (bl_index i = 0; i < c->m; i++)
        fast = fmax(fast, fabs(c->b[i]));
    for (bl_index i = 0; i < c->n; i++) {
        bl_coulomb_contact *k = &c->contact[i];
        const double *p = c->p + k->first, *u = c->u + k->first;
        double rub = k->nslip == 2 ? hypot(p[1], p[2]) : k->nslip ? fabs(p[1]) : 0, force = p[0];
        double slip = k->nslip == 2 ? hypot(u[1], u[2]) : k->nslip ? fabs(u[1]) : 0;
        bool closed = force > k->least + complement_coulomb_sign * size;
        c->try_mode[i] =
            (uint8_t)((closed || k->least > 0 ? BL_COULOMB_SLIDE << 1 : 0) | closed); /* bit 0: closed; above: the mode of friction */
        if (k->nslip && !k->sliding && force > 0) {
            bool sticks = rub < k->sticking * force * (1 - complement_coulomb_sign) ||
                          (eager && k->sticking > 0 && slip <= complement_coulomb_still * fast);
            c->try_mode[i] = (uint8_t)((sticks ? BL_COULOMB_STICK : BL_COULOMB_SLIDE) << 1 | (closed ? 1 : 0));
            for (int t = 0; t < k->nslip && !sticks && rub > 0; t++)
                k->side[t] = -p[1 + t] / rub;
        }
    }
}

static bool closes(const bl_coulomb *c, bl_index i) { return c->try_mode[i] & 1; }
static int rubs(const bl_coulomb *c, bl_index i) { return c->try_mode[i] >> 1; }

/* ---- the linear system of a combination of modes */

/* p of a unit of normal force: that of the contact itself and the friction that follows it */
static void add_force(const bl_coulomb *c, bl_index i, double force, double *p) {
    const bl_coulomb_contact *k = &c->contact[i];
    p[k->first] += force;
    for (int t = 0; t < k->nslip && rubs(c, i) == BL_COULOMB_SLIDE; t++)
        p[k->first + 1 + t] -= k->friction * force * k->side[t];
}

/* fills p; false: the equations contradict each other */
static bool solve_modes(bl_coulomb *c, double *p) {
    bl_index n = 0, rank = 0;
    size_t m = (size_t)c->m;
    memset(p, 0, m * sizeof *p);
    for (bl_index i = 0; i < c->n; i++) {
        const bl_coulomb_contact *k = &c->contact[i];
        if (closes(c, i))
            c->unknown[n++] = k->first;
        else
            add_force(c, i, k->least, p);
        for (int t = 0; t < k->nslip && rubs(c, i) == BL_COULOMB_STICK; t++)
            c->unknown[n++] = k->first + 1 + t;
    }
    respond(c, p, c->u);
    if (n == 0)
        return true;
    double size = c->fast;
    for (bl_index a = 0; a < n; a++) {
        double *unit = c->trial;
        memset(unit, 0, m * sizeof *unit);
        unit[c->unknown[a]] = 1;
        for (bl_index i = 0; i < c->n; i++)
            if (closes(c, i) && c->contact[i].first == c->unknown[a]) {
                unit[c->unknown[a]] = 0;
                add_force(c, i, 1, unit);
            }
        for (bl_index e = 0; e < n; e++) {
            double sum = 0;
            for (size_t j = 0; j < m; j++)
                sum += unit[j] != 0 ? entry(c, c->unknown[e], (bl_index)j) * unit[j] : 0;
            c->A[(size_t)a * (size_t)n + (size_t)e] = sum;
        }
        c->x[a] = -c->u[c->unknown[a]];
        size = fmax(size, fabs(c->x[a]));
    }
    if (bl_least_norm(c->ctx, n, n, c->A, complement_coulomb_rank, c->x, &rank, c->work) != BL_OK)
        return false;
    c->redundant = c->redundant || rank < n;
    for (bl_index a = 0; a < n; a++) {
        bool done = false;
        for (bl_index i = 0; i < c->n && !done; i++)
            if ((done = closes(c, i) && c->contact[i].first == c->unknown[a]))
                add_force(c, i, c->x[a], p);
        if (!done)
            p[c->unknown[a]] += c->x[a];
    }
    respond(c, p, c->u);
    for (bl_index a = 0; a < n; a++) /* dependent equations may have no solution */
        if (!(fabs(c->u[c->unknown[a]]) <= fmax(complement_coulomb_residual, c->little) * size))
            return false;
    return true;
}

typedef struct sizes {
    double force, speed;
} sizes;

static sizes sizes_of(const bl_coulomb *c, const double *p) {
    sizes s = {0, 0};
    double most = 0;
    for (bl_index i = 0; i < c->m; i++) {
        double part = 0;
        for (bl_index j = 0; j < c->m; j++)
            part = fmax(part, fabs(entry(c, i, j) * p[j]));
        s.force = fmax(s.force, fabs(p[i]));
        s.speed = fmax(s.speed, fmax(fabs(c->b[i]), part));
        most = fmax(most, entry(c, i, i));
    }
    s.speed = fmax(s.speed, c->fast);
    s.force = fmax(s.force, most > 0 ? c->fast / most : 0);
    return s;
}

/* friction that a sticking contact, or its group, can still hold */
static double margin(const bl_coulomb *c, const double *p, bl_index i) {
    const bl_coulomb_contact *k = &c->contact[i];
    const double *f = p + k->first;
    double rub = k->nslip == 2 ? hypot(f[1], f[2]) : fabs(f[1]), most = k->sticking * f[0];
    if (k->nslip != 1 || k->group < 0)
        return most - rub;
    rub = most = 0;
    for (bl_index j = 0; j < c->n; j++) {
        const bl_coulomb_contact *o = &c->contact[j];
        if (o->group != k->group || rubs(c, j) != BL_COULOMB_STICK || !(p[o->first] > 0))
            continue;
        rub += p[o->first + 1];
        most += o->sticking * p[o->first];
    }
    return most - fabs(rub);
}

/* whether the signs belong to the modes */
static bool fits(const bl_coulomb *c, const double *p) {
    sizes s = sizes_of(c, p);
    double little_force = c->little * s.force, little_speed = c->little * s.speed;
    for (bl_index i = 0; i < c->n; i++) {
        const bl_coulomb_contact *k = &c->contact[i];
        const double *f = p + k->first, *u = c->u + k->first;
        double along = 0;
        if (closes(c, i) ? f[0] < k->least - little_force : u[0] < -little_speed)
            return false;
        if (k->nslip == 0 || k->sliding || f[0] <= 0)
            continue;
        for (int t = 0; t < k->nslip; t++)
            along += u[1 + t] * k->side[t];
        if (rubs(c, i) == BL_COULOMB_STICK ? margin(c, p, i) < -little_force : along < -little_speed)
            return false;
    }
    return true;
}

/* A turn of the direction of friction by a small angle turns the speed back by about this many times that angle. */
static double stiffness(const bl_coulomb *c, const double *p, const bl_coulomb_contact *k, double speed) {
    double own = fmax(entry(c, k->first + 1, k->first + 1), entry(c, k->first + 2, k->first + 2));
    return speed > 0 ? k->friction * p[k->first] * own / speed : 0;
}

/* In space: directions of sliding are those of the speeds that follow, found by damped iteration. Returns the largest speed
 * across them, relative to the largest one. */
static double turn_sides(bl_coulomb *c, const double *p) {
    double most = 0, fast = sizes_of(c, p).speed;
    for (bl_index i = 0; i < c->n; i++) {
        bl_coulomb_contact *k = &c->contact[i];
        const double *u = c->u + k->first + 1;
        if (k->nslip < 2 || k->sliding || rubs(c, i) != BL_COULOMB_SLIDE || !(k->friction > 0))
            continue;
        double speed = hypot(u[0], u[1]), share = 1 / (1 + stiffness(c, p, k, speed)), turned[2] = {k->side[0], k->side[1]};
        for (int t = 0; t < 2 && speed > 0; t++) {
            most = fmax(most, fabs(u[t] - speed * k->side[t]) / fast);
            turned[t] += share * (u[t] / speed - k->side[t]);
        }
        double size = hypot(turned[0], turned[1]);
        for (int t = 0; t < 2 && size > 0; t++)
            k->side[t] = turned[t] / size;
    }
    return most;
}

/* Contacts of a group, which move alike, all stick where one of them does. */
static void join_groups(bl_coulomb *c) {
    for (bl_index i = 0; i < c->n; i++)
        for (bl_index j = 0; j < c->n; j++) {
            const bl_coulomb_contact *k = &c->contact[i], *o = &c->contact[j];
            if (k->group >= 0 && k->group == o->group && closes(c, i) && closes(c, j) && rubs(c, i) == BL_COULOMB_STICK && !o->sliding)
                c->try_mode[j] = (uint8_t)(BL_COULOMB_STICK << 1 | 1);
        }
}

static bool try_modes(bl_coulomb *c, double *p) {
    double across = INFINITY;
    join_groups(c);
    for (int k = 0; k < TURNS && across > complement_coulomb_settled; k++) {
        if (!solve_modes(c, p))
            return false;
        across = turn_sides(c, p);
    }
    return across <= complement_coulomb_sign && fits(c, p);
}

/* what fits, or forces_fit, lets pass */
static void note_slack(bl_coulomb *c, double little) {
    double slack = little * sizes_of(c, c->p).force;
    for (bl_index i = 0; i < c->n; i++)
        c->contact[i].slack = slack;
}

/* ---- all combinations */

static int count_of(const bl_coulomb_contact *k) {
    if (k->nslip == 0 || k->sliding)
        return 2;
    return (k->nslip == 1 ? 4 : 3) + (k->least > 0 ? (k->nslip == 1 ? 2 : 1) : 0);
}

/* combination `which` of one contact */
static void choose(bl_coulomb *c, bl_index i, int which) {
    bl_coulomb_contact *k = &c->contact[i];
    bool simple = k->nslip == 0 || k->sliding;
    int modes = simple ? 1 : k->nslip == 1 ? 3 : 2; /* of friction */
    int closed = which < modes, mode = which % modes;
    c->try_mode[i] = (uint8_t)((!simple && mode == 0 ? BL_COULOMB_STICK : BL_COULOMB_SLIDE) << 1 | closed);
    if (!closed && k->least == 0)
        c->try_mode[i] = BL_COULOMB_SLIDE << 1;
    if (!simple && k->nslip == 1)
        k->side[0] = mode == 2 ? -1 : 1;
}

/* relative to the speed to which signs are judged: of a part that is at rest more than one combination fits within rounding */
static bool same(const bl_coulomb *c, const double *u, const double *v) {
    double size = c->fast, apart = 0;
    for (bl_index i = 0; i < c->m; i++) {
        size = fmax(size, fabs(u[i]));
        apart = fmax(apart, fabs(u[i] - v[i]));
    }
    return apart <= complement_coulomb_same * size;
}

static void take(bl_coulomb *c) {
    for (bl_index i = 0; i < c->n; i++)
        c->contact[i].mode = (uint8_t)(c->p[c->contact[i].first] <= 0 && !closes(c, i) ? BL_COULOMB_OPEN
                                       : closes(c, i) || c->contact[i].least == 0      ? rubs(c, i)
                                                                                       : BL_COULOMB_OPEN);
}

/* a different solution, if the number of combinations is small; where found is false the first one */
static bool search(bl_coulomb *c, double combinations, bool found) {
    double *p = found ? c->other : c->p;
    for (long number = 0; number < (long)combinations; number++) {
        long rest = number;
        for (bl_index i = 0; i < c->n; i++) {
            int count = count_of(&c->contact[i]);
            choose(c, i, (int)(rest % count));
            rest /= count;
        }
        if (!try_modes(c, p))
            continue;
        if (!found)
            return true;
        memcpy(c->trial, c->u, (size_t)c->m * sizeof *c->u);
        respond(c, c->p, c->u);
        if (!same(c, c->trial, c->u)) {
            memcpy(c->other, c->trial, (size_t)c->m * sizeof *c->u);
            return true;
        }
    }
    return false;
}

/* looks for a second solution without changing the first */
static void look_further(bl_coulomb *c, double combinations) {
    double side[ALL_COMBINATIONS][2];
    uint8_t mode[ALL_COMBINATIONS];
    bool redundant = c->redundant;
    for (bl_index i = 0; i < c->n; i++) {
        memcpy(side[i], c->contact[i].side, sizeof side[i]);
        mode[i] = c->try_mode[i];
    }
    c->solutions = search(c, combinations, true) ? 2 : 1;
    c->redundant = redundant;
    for (bl_index i = 0; i < c->n; i++) {
        memcpy(c->contact[i].side, side[i], sizeof side[i]);
        c->try_mode[i] = mode[i];
    }
    respond(c, c->p, c->u);
}

/* Whether p is an answer by itself: where forces are redundant, those of least norm may break Coulomb's law and others satisfy it. */
static bool forces_fit(bl_coulomb *c) {
    modes_of_guess(c, true);
    join_groups(c);
    double little = 0;
    for (bl_index i = 0; i < c->m; i++) /* forces may have grown without bound */
        little = fmax(little, complement_coulomb_residual * fmax(fabs(c->b[i]), c->fast));
    for (bl_index i = 0; i < c->n; i++) {
        const bl_coulomb_contact *k = &c->contact[i];
        const double *p = c->p + k->first, *u = c->u + k->first;
        double along = 0, slip = 0;
        for (int t = 0; t < k->nslip; t++) {
            along += u[1 + t] * k->side[t];
            slip = hypot(slip, u[1 + t]);
        }
        if (!isfinite(p[0]) || !(u[0] >= -little) || (p[0] > k->least && !(u[0] <= little)))
            return false;
        if (!k->sliding && k->nslip && p[0] > 0 && (rubs(c, i) == BL_COULOMB_STICK ? slip > little : along < slip - little))
            return false;
    }
    return true;
}

/* Contacts that hold each other, as those of a ball in a corner, stick by many forces. Where those of least norm break Coulomb's law,
 * forces within a share of the friction, so that no contact is at its limit. */
static bool find_inside(bl_coulomb *c) {
    bool found = false;
    for (double open = 0.5; open > 0.01 && !found; open /= 4) {
        for (int back = 0; back < 2; back++) {
            for (bl_index i = 0; i < c->n; i++) {
                bl_coulomb_contact *k = &c->contact[i];
                double by = back ? 1 / (1 - open) : 1 - open;
                k->friction *= k->sliding ? 1 : by;
                k->sticking *= k->sliding ? 1 : by;
            }
            if (!back)
                guess(c);
        }
        found = forces_fit(c);
    }
    return found;
}

/* modes of the guess, else any combination; *exact: p follows from the modes */
static bool find(bl_coulomb *c, double combinations, bool *exact) {
    *exact = true;
    c->redundant = false;
    for (int eager = 1; eager >= 0; eager--) {
        memcpy(c->p, c->guessed, (size_t)c->m * sizeof *c->p);
        modes_of_guess(c, eager);
        if (try_modes(c, c->p))
            return true;
        *exact = !(eager && c->redundant && find_inside(c));
        if (!*exact)
            return true;
    }
    return combinations <= MOST_COMBINATIONS && search(c, combinations, false);
}

/* forces of Lemke's method, by the modes they suggest or as they are */
static bool find_by_lemke(bl_coulomb *c, bool *exact) {
    *exact = false;
    if (c->n > LEMKE || !bl_coulomb_lemke(c))
        return false;
    memcpy(c->guessed, c->p, (size_t)c->m * sizeof *c->p);
    for (int eager = 1; eager >= 0 && !*exact; eager--) {
        memcpy(c->p, c->guessed, (size_t)c->m * sizeof *c->p);
        modes_of_guess(c, eager);
        *exact = try_modes(c, c->p);
    }
    if (*exact)
        return true;
    memcpy(c->p, c->guessed, (size_t)c->m * sizeof *c->p);
    return forces_fit(c);
}

static bool find_by_sweeps(bl_coulomb *c) {
    memcpy(c->p, c->guessed, (size_t)c->m * sizeof *c->p);
    sweep_contacts(c, MORE_SWEEPS);
    return forces_fit(c);
}

static bl_status solve_together(bl_coulomb *c) {
    double combinations = 1;
    bool rough = false; /* without friction u is unique */
    bool jumps = false; /* between both coefficients a contact could slide as well as stick: it sticks */
    c->redundant = false;
    c->solutions = 0;
    for (bl_index i = 0; i < c->n && combinations <= MOST_COMBINATIONS; i++)
        combinations *= count_of(&c->contact[i]);
    for (bl_index i = 0; i < c->n; i++) {
        const bl_coulomb_contact *k = &c->contact[i];
        rough = rough || (k->nslip > 0 && k->friction > 0);
        jumps = jumps || (k->nslip > 0 && !k->sliding && k->sticking > k->friction);
    }
    guess(c);
    memcpy(c->guessed, c->p, (size_t)c->m * sizeof *c->p);
    c->little = complement_coulomb_sign;
    bool exact, found = find(c, combinations, &exact);
    if (!found) { /* b may fit D only to the tolerance of a run, where D is singular */
        c->little = complement_coulomb_loose;
        found = find(c, combinations, &exact);
    }
    if (!found)
        found = find_by_lemke(c, &exact) || find_by_sweeps(c);
    if (!found)
        return BL_NO_CONVERGENCE;
    if (!exact) {
        c->redundant = true;
        c->solutions = 1;
        note_slack(c, complement_coulomb_residual);
        take(c);
        return BL_OK;
    }
    c->solutions = 1;
    if (rough && !jumps && combinations <= ALL_COMBINATIONS)
        look_further(c, combinations);
    note_slack(c, c->little);
    take(c);
    return BL_OK;
}

/* ---- contacts that do not act on each other are problems of their own, with fewer combinations */

static bool coupled(const bl_coulomb *c, bl_index i, bl_index j) {
    const bl_coulomb_contact *k = &c->contact[i], *o = &c->contact[j];
    for (bl_index r = k->first; r <= k->first + k->nslip; r++)
        for (bl_index s = o->first; s <= o->first + o->nslip; s++)
            if (fabs(entry(c, r, s)) > complement_coulomb_coupled * sqrt(fabs(entry(c, r, r) * entry(c, s, s))))
                return true;
    return k->group >= 0 && k->group == o->group;
}

/* numbers the parts in c->part_of; returns how many there are */
static bl_index find_parts(bl_coulomb *c) {
    bl_index parts = 0;
    for (bl_index i = 0; i < c->n; i++)
        c->part_of[i] = -1;
    for (bl_index first = 0; first < c->n; first++) {
        if (c->part_of[first] >= 0)
            continue;
        c->part_of[first] = parts;
        for (bool grows = true; grows;) {
            grows = false;
            for (bl_index i = 0; i < c->n; i++)
                for (bl_index j = 0; j < c->n && c->part_of[i] < 0; j++)
                    if (c->part_of[j] == parts && coupled(c, i, j)) {
                        c->part_of[i] = parts;
                        grows = true;
                    }
        }
        parts++;
    }
    return parts;
}

/* copies a part of the problem to c->part, or its answer back */
static void exchange_part(bl_coulomb *c, bl_index which, bool back) {
    bl_coulomb *part = c->part;
    bl_index n = 0;
    for (bl_index i = 0; i < c->n && !back; i++)
        if (c->part_of[i] == which)
            part->contact[n++] = c->contact[i];
    if (!back)
        bl_coulomb_place(part, n);
    n = 0;
    for (bl_index i = 0; i < c->n; i++) {
        bl_coulomb_contact *k = &c->contact[i];
        if (c->part_of[i] != which)
            continue;
        const bl_coulomb_contact *of = &part->contact[n++];
        for (int t = 0; t <= k->nslip; t++) {
            part->place[of->first + t] = k->first + t;
            part->b[of->first + t] = c->b[k->first + t];
            if (back) {
                c->p[k->first + t] = part->p[of->first + t];
                c->u[k->first + t] = part->u[of->first + t];
            }
        }
        for (int t = 0; t < k->nslip && back; t++)
            k->side[t] = of->side[t];
        if (!back)
            continue;
        k->mode = of->mode;
        k->slack = of->slack;
    }
    for (bl_index s = 0; s < part->m && !back; s++)
        for (bl_index r = 0; r < part->m; r++)
            part->D[(size_t)s * (size_t)part->m + (size_t)r] = entry(c, part->place[r], part->place[s]);
}

/* the size of speeds relative to which others are zero: bodies at rest, whose speeds are rounding, may be parts of their own */
static double fastest(const bl_coulomb *c) {
    double fast = c->rounded;
    for (bl_index i = 0; i < c->n; i++) {
        const bl_coulomb_contact *k = &c->contact[i];
        fast = fmax(fast, k->least * entry(c, k->first, k->first));
        for (bl_index r = k->first; r <= k->first + k->nslip; r++)
            fast = fmax(fast, fabs(c->b[r]));
    }
    return fast;
}

bl_status bl_coulomb_solve(bl_coulomb *c) {
    bl_index parts = find_parts(c);
    c->fast = fastest(c);
    c->redundant = false;
    c->solutions = 1;
    c->part->fast = c->fast;
    for (bl_index k = 0; k < parts; k++) {
        exchange_part(c, k, false);
        BL_TRY(solve_together(c->part));
        exchange_part(c, k, true);
        c->redundant = c->redundant || c->part->redundant;
        c->solutions = c->part->solutions > c->solutions ? c->part->solutions : c->solutions;
    }
    return BL_OK;
}

/* Modes of many contacts in the plane by Lemke's method, where too many combinations remain to try. With p_T = p+ - p- and s the speed
 * of sliding,
 *
 *     0 <= u_N          |  p_N - least >= 0
 *     0 <= s + u_T      |  p+ >= 0
 *     0 <= s - u_T      |  p- >= 0
 *     0 <= mu p_N - p+ - p-  |  s >= 0
 *
 * has a solution that Lemke's method finds whenever b = W v of some velocities v (Stewart and Trinkle 1996). */
#include "complement/complement.h"
#include "complement/coulomb.h"

#include <math.h>
#include <string.h>

/* unknown of a contact: 0 normal, 1, 2 friction to both sides, 3 speed */
enum { UNKNOWNS = 4 };

static bool rubs(const bl_coulomb_contact *k) { return k->nslip == 1 && !k->sliding; }

/* numbers the unknowns in start[n + 1] */
static bl_index number(const bl_coulomb *c, bl_index *start) {
    bl_index n = 0;
    for (bl_index i = 0; i < c->n; i++) {
        start[i] = n;
        n += rubs(&c->contact[i]) ? UNKNOWNS : 1;
    }
    start[c->n] = n;
    return n;
}

/* forces of a unit of an unknown, at most two components: index, value; returns how many */
static int forces_of(const bl_coulomb_contact *k, int unknown, bl_index *index, double *value) {
    if (unknown == 3)
        return 0;
    index[0] = unknown == 0 ? k->first : k->first + 1;
    value[0] = unknown == 2 ? -1 : 1;
    if (unknown > 0 || k->nslip == 0 || !k->sliding)
        return 1;
    index[1] = k->first + 1;
    value[1] = -k->friction * k->side[0];
    return 2;
}

static double entry(const bl_coulomb *c, bl_index i, bl_index j) { return c->D[(size_t)j * (size_t)c->m + (size_t)i]; }

/* speed of row `unknown` of contact k, from speeds u[m] without s */
static double row_of(const bl_coulomb_contact *k, int unknown, const double *u) {
    return unknown == 0 ? u[k->first] : unknown == 1 ? u[k->first + 1] : unknown == 2 ? -u[k->first + 1] : 0;
}

static void column(const bl_coulomb *c, bl_index i, int unknown, const bl_index *start, double *a) {
    const bl_coulomb_contact *k = &c->contact[i];
    bl_index index[2];
    double value[2];
    int n = forces_of(k, unknown, index, value);
    memset(c->trial, 0, (size_t)c->m * sizeof *c->trial);
    for (int t = 0; t < n; t++)
        for (bl_index r = 0; r < c->m; r++)
            c->trial[r] += entry(c, r, index[t]) * value[t];
    for (bl_index j = 0; j < c->n; j++)
        for (bl_index r = start[j]; r < start[j + 1]; r++)
            a[r] = row_of(&c->contact[j], (int)(r - start[j]), c->trial);
    if (!rubs(k))
        return;
    if (unknown == 3)
        a[start[i] + 1] = a[start[i] + 2] = 1;
    else
        a[start[i] + 3] = unknown == 0 ? k->friction : -1;
}

bool bl_coulomb_lemke(bl_coulomb *c) {
    bl_index *start = c->lcp_start;
    bl_lcp_work *work = c->lcp;
    if (!work)
        return false;
    for (bl_index i = 0; i < c->n; i++)
        if (c->contact[i].nslip > 1)
            return false;
    bl_index n = number(c, start);
    for (bl_index i = 0; i < c->n; i++)
        for (bl_index r = start[i]; r < start[i + 1]; r++)
            column(c, i, (int)(r - start[i]), start, c->lcp_A + (size_t)r * (size_t)n);
    for (bl_index i = 0; i < c->n; i++) { /* what acts from before */
        const bl_coulomb_contact *k = &c->contact[i];
        memset(c->p + k->first, 0, (size_t)(1 + k->nslip) * sizeof *c->p);
        c->p[k->first] = k->least;
        if (k->sliding && k->nslip)
            c->p[k->first + 1] = -k->friction * k->side[0] * k->least;
    }
    for (bl_index r = 0; r < c->m; r++) {
        c->trial[r] = c->b[r];
        for (bl_index s = 0; s < c->m; s++)
            c->trial[r] += entry(c, r, s) * c->p[s];
    }
    for (bl_index i = 0; i < c->n; i++)
        for (bl_index r = start[i]; r < start[i + 1]; r++)
            c->lcp_b[r] =
                r - start[i] == 3 ? c->contact[i].friction * c->contact[i].least : row_of(&c->contact[i], (int)(r - start[i]), c->trial);
    if (bl_lcp_lemke(n, c->lcp_A, c->lcp_b, c->lcp_z, work) != BL_OK)
        return false;
    for (bl_index i = 0; i < c->n; i++)
        for (bl_index r = start[i]; r < start[i + 1]; r++) {
            bl_index index[2];
            double value[2];
            for (int t = 0, count = forces_of(&c->contact[i], (int)(r - start[i]), index, value); t < count; t++)
                c->p[index[t]] += value[t] * c->lcp_z[r];
        }
    return true;
}

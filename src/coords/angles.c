/* Three successive rotations about axes of the body, R = C T1(o1) T2(o2) T3(o3): Cardan angles ("xyz": three different axes) or Euler
 * angles ("zxz": the first axis again). w = T3^T T2^T e1 o1' + T3^T e2 o2' + e3 o3' in body axes. There are no equations; where the
 * first and the third axis align, their rates are dependent, so C absorbs the rotations before that. At the start the axes are
 * perpendicular. */
#include "coords/orientation.h"

#include <math.h>
#include <string.h>

static int axis(const bl_orientation *kind, int turn) { return kind->sequence[turn] - 'x'; }

static bool is_euler(const bl_orientation *kind) { return kind->sequence[0] == kind->sequence[2]; }

typedef struct turns {
    const bl_orientation *kind;
    double c[3], s[3];
} turns;

static turns turns_at(const bl_orientation *kind, const double *o) {
    turns t = {.kind = kind};
    for (int i = 0; i < 3; i++)
        t.c[i] = cos(o[i]), t.s[i] = sin(o[i]);
    return t;
}

/* out = in^T d^order T / do^order, T one of the rotations */
static void turn_row(const turns *at, int turn, int order, const double *in, double *out) {
    int about = axis(at->kind, turn), a = (about + 1) % 3, b = (about + 2) % 3;
    double c = at->c[turn], s = at->s[turn];
    for (int k = 0; k < order; k++) { /* each derivative advances the angle by pi/2 */
        double was = c;
        c = -s;
        s = was;
    }
    out[about] = order ? 0 : in[about];
    out[a] = c * in[a] + s * in[b];
    out[b] = c * in[b] - s * in[a];
}

/* row of the product of the rotations from `first` on, each differentiated order[] times */
static void product_row(const turns *at, const int *order, int first, int row, double *out) {
    double in[3] = {row == 0, row == 1, row == 2};
    memcpy(out, in, sizeof in);
    for (int turn = first; turn < 3; turn++) {
        memcpy(in, out, sizeof in);
        turn_row(at, turn, order[turn], in, out);
    }
}

/* r[9] of d^order R / do^order, columns one after another, with a stride */
static void add_axes(const turns *at, const int *order, double factor, int stride, double *r) {
    for (int c = 0; c < 3; c++) {
        double row[3];
        product_row(at, order, 0, c, row);
        for (int j = 0; j < 3; j++)
            r[stride * (3 * j + c)] += factor * row[j];
    }
}

static void axes_of(const bl_orientation *kind, const double *o, double *r) {
    turns at = turns_at(kind, o);
    static const int none[3] = {0};
    memset(r, 0, 9 * sizeof *r);
    add_axes(&at, none, 1, 1, r);
}

static void axes_slope(const bl_orientation *kind, const double *o, double *X) {
    turns at = turns_at(kind, o);
    memset(X, 0, 27 * sizeof *X);
    for (int i = 0; i < 3; i++) {
        int order[3] = {i == 0, i == 1, i == 2};
        add_axes(&at, order, 1, 3, X + i);
    }
}

static void axes_slope_along(const bl_orientation *kind, const double *o, const double *a, double *V) {
    turns at = turns_at(kind, o);
    memset(V, 0, 27 * sizeof *V);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int order[3] = {i == 0, i == 1, i == 2};
            order[j]++;
            add_axes(&at, order, a[i], 3, V + j);
        }
}

/* E[3][3] differentiated order[] times, times factor, added: column t is the axis of rotation t after the rotations that follow it */
static void add_spin(const turns *at, const int *order, double factor, double *E) {
    for (int t = 0; t < 3; t++) {
        double column[3];
        bool constant = false; /* an axis does not depend on its own rotation or the ones before it */
        for (int k = 0; k <= t; k++)
            constant = constant || order[k];
        if (constant)
            continue;
        product_row(at, order, t + 1, axis(at->kind, t), column);
        for (int k = 0; k < 3; k++)
            E[3 * k + t] += factor * column[k];
    }
}

static void spin_of(const bl_orientation *kind, const double *o, double *E) {
    turns at = turns_at(kind, o);
    static const int none[3] = {0};
    memset(E, 0, 9 * sizeof *E);
    add_spin(&at, none, 1, E);
}

static void spin_rate(const bl_orientation *kind, const double *o, double *D) {
    turns at = turns_at(kind, o);
    memset(D, 0, 27 * sizeof *D);
    for (int j = 0; j < 3; j++) {
        int order[3] = {j == 0, j == 1, j == 2};
        add_spin(&at, order, 1, D + 9 * j);
    }
}

static void spin_rate_along(const bl_orientation *kind, const double *o, const double *u, double *D) {
    turns at = turns_at(kind, o);
    memset(D, 0, 27 * sizeof *D);
    for (int j = 0; j < 3; j++)
        for (int l = 0; l < 3; l++) {
            int order[3] = {j == 0, j == 1, j == 2};
            order[l]++;
            add_spin(&at, order, u[l], D + 9 * j);
        }
}

static double room(const bl_orientation *kind, const double *o) { return fabs(is_euler(kind) ? sin(o[1]) : cos(o[1])); }

static const double quarter = 1.57079632679489661923;

static void start_of(const bl_orientation *kind, double *o) {
    o[0] = o[2] = 0;
    o[1] = is_euler(kind) ? quarter : 0;
}

static const char *const names[] = {"angle1", "angle2", "angle3"};

const bl_orientation bl_orientation_angles = {.name = "angles",
                                              .help = "three successive rotations: three parameters, no constraint equations",
                                              .names = names,
                                              .n = 3,
                                              .naxis = 9,
                                              .nspin = 3,
                                              .sequence = "xyz",
                                              .start_of = start_of,
                                              .axes_of = axes_of,
                                              .axes_slope = axes_slope,
                                              .axes_slope_along = axes_slope_along,
                                              .spin_of = spin_of,
                                              .spin_rate = spin_rate,
                                              .spin_rate_along = spin_rate_along,
                                              .room = room};

/* The list of problems, and functions that all of them use. */
#include "problem.h"

#include <math.h>
#include <string.h>

extern const ivp ivp_hires, ivp_robertson, ivp_pleiades, ivp_beam, ivp_car_axis, ivp_andrews, ivp_wave, ivp_spring_chain, ivp_flyball;

const ivp *const ivp_all[] = {&ivp_hires,   &ivp_robertson, &ivp_pleiades,     &ivp_beam,   &ivp_car_axis,
                              &ivp_andrews, &ivp_wave,      &ivp_spring_chain, &ivp_flyball};
const int ivp_count = sizeof ivp_all / sizeof ivp_all[0];

void ivp_rate(const ivp *p, double t, const double *y, double *rate) {
    if (p->explicit_rate) {
        p->explicit_rate(t, y, rate);
        return;
    }
    memcpy(rate, y + p->nq, (size_t)p->nq * sizeof *rate);
    p->force(t, y, y + p->nq, y + 2 * p->nq, rate + p->nq, rate + 2 * p->nq);
}

bool ivp_has_jacobian(const ivp *p) { return !p->explicit_rate; }

void ivp_jacobian(const ivp *p, double t, const double *y, ivp_matrix *J) {
    if (p->nz) { /* problems are of first or of second order */
        p->tangent(t, y, y, y, J, J);
        return;
    }
    for (int i = 0; i < p->nq; i++)
        ivp_add(J, i, p->nq + i, 1);
    ivp_matrix dx = *J, dv = *J;
    dx.row0 = dv.row0 = dv.col0 = p->nq;
    p->tangent(t, y, y + p->nq, y, &dx, &dv);
}

double ivp_error(const ivp *p, const double *y) {
    double end_value[IVP_MOST], largest[2] = {0, 0}, worst = 0;
    int n = ivp_length(p);
    p->end_value(end_value);
    for (int i = 0; i < n; i++)
        largest[i >= p->nq] = fmax(largest[i >= p->nq], fabs(end_value[i]));
    for (int i = 0; i < n; i++) {
        double error = fabs(y[i] - end_value[i]) / fmax(fabs(end_value[i]), p->least * largest[i >= p->nq]);
        if (!(error <= worst))
            worst = error;
    }
    return worst;
}

void ivp_tridiagonal(int n, double *d, const double *e, double *x) {
    d[0] = 1 / d[0];
    for (int i = 1; i < n; i++) {
        double l = e[i - 1] * d[i - 1];
        d[i] = 1 / (d[i] - l * e[i - 1]);
        x[i] -= l * x[i - 1];
    }
    x[n - 1] *= d[n - 1];
    for (int i = n - 2; i >= 0; i--)
        x[i] = (x[i] - e[i] * x[i + 1]) * d[i];
}

void ivp_pattern_from(ivp_pattern *pattern, int nrow, int ncol, const unsigned char *seen) {
    pattern->nrow = nrow, pattern->ncol = ncol, pattern->count = 0;
    for (int j = 0; j < ncol; j++) {
        pattern->ptr[j] = pattern->count;
        for (int i = 0; i < nrow; i++) {
            bool present = seen[j * nrow + i] != 0;
            pattern->index[j * nrow + i] = present ? pattern->count : -1;
            if (present)
                pattern->idx[pattern->count++] = i;
        }
    }
    pattern->ptr[ncol] = pattern->count;
}

void ivp_pattern_dense(ivp_pattern *pattern, int nrow, int ncol) {
    static unsigned char all[IVP_MOST * IVP_MOST];
    memset(all, 1, sizeof all);
    ivp_pattern_from(pattern, nrow, ncol, all);
}

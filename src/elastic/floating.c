/* Floating frame (Shabana, Dynamics of multibody systems; inertia in the form of constant masses of the vectors P, d_k, eta_m d_k). */
#include "elastic/floating.h"

#include <string.h>

bl_status bl_floating_make(bl_arena *arena, const bl_floating_def *def, int dim, const double gravity[3], bl_floating *f) {
    *f = (bl_floating){.dim = dim, .n = def->n, .inner = 1 + dim + dim * def->n, .local = dim + dim * dim + def->n, .def = def};
    memcpy(f->gravity, gravity, sizeof f->gravity);
    BL_TRY(BL_ARENA_NEW(arena, f->eta_mass, (size_t)def->n * (size_t)def->n));
    for (bl_index m = 0; m < f->n; m++)
        for (bl_index p = 0; p < f->n; p++)
            for (int k = 0; k < dim; k++)
                f->eta_mass[m * f->n + p] += def->mass[(1 + dim + dim * m + k) * f->inner + 1 + dim + dim * p + k];
    return BL_OK;
}

size_t bl_floating_work(const bl_floating *f) {
    size_t inner = (size_t)f->inner * (size_t)f->dim;
    return 2 * inner + 2 * (size_t)f->local;
}

static const double *axis(const bl_floating *f, const double *x, int k) { return x + f->dim * (1 + k); }
static const double *eta_of(const bl_floating *f, const double *x) { return x + f->dim * (1 + f->dim); }

/* y = C(x) v */
static void inner_rates(const bl_floating *f, const double *x, const double *v, double *y) {
    const double *eta = eta_of(f, x), *eta_rate = eta_of(f, v);
    int dim = f->dim;
    memcpy(y, v, (size_t)(dim + dim * dim) * sizeof *y);
    for (bl_index m = 0; m < f->n; m++)
        for (int k = 0; k < dim; k++)
            for (int c = 0; c < dim; c++)
                y[(1 + dim + dim * m + k) * dim + c] = eta_rate[m] * axis(f, x, k)[c] + eta[m] * axis(f, v, k)[c];
}

/* y = C'(x) v: C is linear in x */
static void inner_bias(const bl_floating *f, const double *v, double *y) {
    const double *eta_rate = eta_of(f, v);
    int dim = f->dim;
    memset(y, 0, (size_t)(dim + dim * dim) * sizeof *y);
    for (bl_index m = 0; m < f->n; m++)
        for (int k = 0; k < dim; k++)
            for (int c = 0; c < dim; c++)
                y[(1 + dim + dim * m + k) * dim + c] = 2 * eta_rate[m] * axis(f, v, k)[c];
}

/* out += C(x)^T z */
static void pull(const bl_floating *f, const double *x, const double *z, double *out) {
    const double *eta = eta_of(f, x);
    int dim = f->dim;
    for (int i = 0; i < dim + dim * dim; i++)
        out[i] += z[i];
    for (bl_index m = 0; m < f->n; m++)
        for (int k = 0; k < dim; k++) {
            const double *of = z + (1 + dim + dim * m + k) * dim, *d = axis(f, x, k);
            for (int c = 0; c < dim; c++) {
                out[(1 + k) * dim + c] += eta[m] * of[c];
                out[dim + dim * dim + m] += d[c] * of[c];
            }
        }
}

/* z = M^ y */
static void times_mass(const bl_floating *f, const double *y, double *z) {
    memset(z, 0, (size_t)f->inner * (size_t)f->dim * sizeof *z);
    for (bl_index a = 0; a < f->inner; a++) {
        const double *row = f->def->mass + a * f->inner;
        for (bl_index b = 0; b < f->inner; b++)
            for (int c = 0; c < f->dim; c++)
                z[a * f->dim + c] += row[b] * y[b * f->dim + c];
    }
}

static void subtract_weight(const bl_floating *f, double *z) {
    for (bl_index a = 0; a < f->inner; a++)
        for (int c = 0; c < f->dim; c++)
            z[a * f->dim + c] -= f->def->mass[a * f->inner] * f->gravity[c];
}

/* out += K eta + (a M + b K) eta'; returns the power lost */
static double elastic_forces(const bl_floating *f, const double *x, const double *v, double *out) {
    const double *eta = eta_of(f, x), *rate = v ? eta_of(f, v) : NULL, *damping = f->def->damping;
    double lost = 0;
    for (bl_index m = 0; m < f->n; m++)
        for (bl_index p = 0; p < f->n; p++) {
            double k = f->def->stiffness[m * f->n + p], drag = 0;
            if (rate)
                drag = (damping[0] * f->eta_mass[m * f->n + p] + damping[1] * k) * rate[p];
            out[f->local - f->n + m] += k * eta[p] + drag;
            lost += rate ? drag * rate[m] : 0;
        }
    return lost;
}

double bl_floating_force(const bl_floating *f, const double *x, const double *v, double *out, double *work) {
    double *y = work, *z = y + f->inner * f->dim;
    memset(out, 0, (size_t)f->local * sizeof *out);
    inner_bias(f, v, y);
    times_mass(f, y, z);
    subtract_weight(f, z);
    pull(f, x, z, out);
    return elastic_forces(f, x, v, out);
}

void bl_floating_inertia(const bl_floating *f, const double *x, const double *a, double *out, double *work) {
    double *y = work, *z = y + f->inner * f->dim;
    inner_rates(f, x, a, y);
    times_mass(f, y, z);
    pull(f, x, z, out);
}

/* ---- matrices: column by column of C, M^ C once for all */

/* out[local][local] += factor C(x)^T M^ C(u) */
static void add_product(const bl_floating *f, const double *x, const double *u, double factor, double *out, double *work) {
    double *y = work, *z = y + f->inner * f->dim, *unit = z + f->inner * f->dim, *column = unit + f->local;
    memset(unit, 0, (size_t)f->local * sizeof *unit);
    for (bl_index j = 0; j < f->local; j++) {
        unit[j] = factor;
        inner_rates(f, u, unit, y);
        if (u != x) /* C(u) without the part that does not depend on u */
            memset(y, 0, (size_t)(f->dim + f->dim * f->dim) * sizeof *y);
        unit[j] = 0;
        times_mass(f, y, z);
        memset(column, 0, (size_t)f->local * sizeof *column);
        pull(f, x, z, column);
        for (bl_index i = 0; i < f->local; i++)
            out[i * f->local + j] += column[i];
    }
}

/* out += d(C(x)^T z)/dx at constant z */
static void add_turning(const bl_floating *f, const double *z, double *out) {
    int dim = f->dim;
    for (bl_index m = 0; m < f->n; m++)
        for (int k = 0; k < dim; k++)
            for (int c = 0; c < dim; c++) {
                bl_index d = (1 + k) * dim + c, eta = dim + dim * dim + m;
                double force = z[(1 + dim + dim * m + k) * dim + c];
                out[d * f->local + eta] += force;
                out[eta * f->local + d] += force;
            }
}

void bl_floating_mass(const bl_floating *f, const double *x, double *M, double *work) {
    memset(M, 0, (size_t)f->local * (size_t)f->local * sizeof *M);
    add_product(f, x, x, 1, M, work);
}

void bl_floating_tangent(const bl_floating *f, const double *x, const double *v, double *K, double *C, double *work) {
    double *y = work, *z = y + f->inner * f->dim;
    size_t bytes = (size_t)f->local * (size_t)f->local * sizeof *K;
    memset(K, 0, bytes);
    memset(C, 0, bytes);
    inner_bias(f, v, y);
    times_mass(f, y, z);
    subtract_weight(f, z);
    add_turning(f, z, K);
    add_product(f, x, v, 2, C, work);
    for (bl_index m = 0; m < f->n; m++)
        for (bl_index p = 0; p < f->n; p++) {
            double k = f->def->stiffness[m * f->n + p];
            bl_index at = (f->local - f->n + m) * f->local + f->local - f->n + p;
            K[at] += k;
            C[at] += f->def->damping[0] * f->eta_mass[m * f->n + p] + f->def->damping[1] * k;
        }
}

void bl_floating_mass_slope(const bl_floating *f, const double *x, const double *a, double *Ma, double *work) {
    double *y = work, *z = y + f->inner * f->dim;
    memset(Ma, 0, (size_t)f->local * (size_t)f->local * sizeof *Ma);
    inner_rates(f, x, a, y);
    times_mass(f, y, z);
    add_turning(f, z, Ma);
    add_product(f, x, a, 1, Ma, work);
}

double bl_floating_kinetic(const bl_floating *f, const double *x, const double *v, double *work) {
    double *y = work, *z = y + f->inner * f->dim, sum = 0;
    inner_rates(f, x, v, y);
    times_mass(f, y, z);
    for (bl_index i = 0; i < f->inner * f->dim; i++)
        sum += 0.5 * y[i] * z[i];
    return sum;
}

double bl_floating_potential(const bl_floating *f, const double *x) {
    const double *eta = eta_of(f, x);
    int dim = f->dim;
    double sum = 0;
    for (int c = 0; c < dim; c++) {
        double height = f->def->mass[0] * x[c];
        for (int k = 0; k < dim; k++) {
            double arm = f->def->mass[(1 + k) * f->inner];
            for (bl_index m = 0; m < f->n; m++)
                arm += f->def->mass[(1 + dim + dim * m + k) * f->inner] * eta[m];
            height += arm * axis(f, x, k)[c];
        }
        sum -= f->gravity[c] * height;
    }
    for (bl_index m = 0; m < f->n; m++)
        for (bl_index p = 0; p < f->n; p++)
            sum += 0.5 * f->def->stiffness[m * f->n + p] * eta[m] * eta[p];
    return sum;
}

/* Floating frame (Shabana, Dynamics of multibody systems; inertia in the form of constant masses of the vectors P, d_k, eta_m d_k).
 *
 * Every use of M^ is a product with vectors of the form u_m w_k, so that sums over m come first, sum_m M^[.][mk] u_m, and vectors after:
 * all functions cost of the order of the numbers in M^, (1 + dim + dim n)^2. */
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
    size_t n = (size_t)f->n;
    return 3 * (size_t)f->inner * (size_t)f->dim + (f->def->stiffening ? 2 * n * (n + 1) : 0);
}

static const double *axis(const bl_floating *f, const double *x, int k) { return x + f->dim * (1 + k); }
static const double *eta_of(const bl_floating *f, const double *x) { return x + f->dim * (1 + f->dim); }
static bl_index inner_of(const bl_floating *f, bl_index m) { return 1 + f->dim * (1 + m); } /* of eta_m d_1; then d_2, ... */

/* ---- products with the constant masses */

/* w[dim][inner] = sum_m M^[.][mk] u_m; M^ is symmetric, so that its rows are added */
static void weigh(const bl_floating *f, const double *u, double *w) {
    bl_index inner = f->inner;
    memset(w, 0, (size_t)inner * (size_t)f->dim * sizeof *w);
    for (bl_index m = 0; m < f->n; m++)
        for (int k = 0; k < f->dim; k++) {
            const double *row = f->def->mass + (inner_of(f, m) + k) * inner;
            double *restrict to = w + k * inner, factor = u[m];
            for (bl_index a = 0; a < inner; a++)
                to[a] += factor * row[a];
        }
}

/* z[inner][dim] += factor w[k][.] d_k: M^ applied to u_m d_k, w the weighed u */
static void add_weighed(const bl_floating *f, double factor, const double *w, const double *axes, double *z) {
    int dim = f->dim;
    for (bl_index a = 0; a < f->inner; a++)
        for (int c = 0; c < dim; c++)
            for (int k = 0; k < dim; k++)
                z[a * dim + c] += factor * w[k * f->inner + a] * axes[k * dim + c];
}

/* z[inner][dim] = M^ C(x) u; w is scratch */
static void momenta(const bl_floating *f, const double *x, const double *u, double *z, double *w) {
    int dim = f->dim;
    for (bl_index a = 0; a < f->inner; a++) {
        const double *row = f->def->mass + a * f->inner;
        for (int c = 0; c < dim; c++) {
            z[a * dim + c] = 0;
            for (int k = 0; k <= dim; k++)
                z[a * dim + c] += row[k] * u[k * dim + c];
        }
    }
    weigh(f, eta_of(f, x), w);
    add_weighed(f, 1, w, axis(f, u, 0), z);
    weigh(f, eta_of(f, u), w);
    add_weighed(f, 1, w, axis(f, x, 0), z);
}

/* z = M^ C'(v) v minus the weight: C is linear in x, so that C'(v) v has the vectors 2 eta_m' d_k' */
static void momenta_bias(const bl_floating *f, const double *v, double *z, double *w) {
    for (bl_index a = 0; a < f->inner; a++)
        for (int c = 0; c < f->dim; c++)
            z[a * f->dim + c] = -f->def->mass[a * f->inner] * f->gravity[c];
    weigh(f, eta_of(f, v), w);
    add_weighed(f, 2, w, axis(f, v, 0), z);
}

/* out += C(x)^T z */
static void pull(const bl_floating *f, const double *x, const double *z, double *out) {
    const double *eta = eta_of(f, x), *axes = axis(f, x, 0);
    int dim = f->dim, square = dim * dim;
    double *turn = out + dim, *shape = out + dim + square;
    for (int i = 0; i < dim + square; i++)
        out[i] += z[i];
    for (bl_index m = 0; m < f->n; m++) {
        const double *of = z + inner_of(f, m) * dim;
        double sum = 0;
        for (int i = 0; i < square; i++) {
            turn[i] += eta[m] * of[i];
            sum += axes[i] * of[i];
        }
        shape[m] += sum;
    }
}

/* ---- stiffness
 *
 * Quadratic parts of the strains: the stored energy is that of q = eta + K^-1 r, r_j = eta^T B_j eta / 2, as if K applied to it,
 *
 *     U = q^T K q / 2 = eta^T K eta / 2 + eta^T r + r^T K^-1 r / 2,
 *
 * the second term exactly the cubic part of the energy of the mesh, the third its quartic part as far as the shapes resolve its
 * stresses. */
typedef struct stretch { /* in scratch memory */
    double *R, *FR;      /* [n][n] R_jm = sum B_jmp eta_p, K^-1 R */
    double *r, *q;
} stretch;

static stretch stretched(const bl_floating *f, const double *eta, double *work) {
    bl_index n = f->n;
    stretch s = {.R = work, .FR = work + n * n, .r = work + 2 * n * n, .q = work + 2 * n * n + n};
    for (bl_index j = 0; j < n; j++) {
        s.r[j] = 0;
        for (bl_index m = 0; m < n; m++) {
            const double *row = f->def->stiffening + (j * n + m) * n;
            double sum = 0;
            for (bl_index p = 0; p < n; p++)
                sum += row[p] * eta[p];
            s.R[j * n + m] = sum;
            s.r[j] += 0.5 * sum * eta[m];
        }
    }
    for (bl_index j = 0; j < n; j++) {
        s.q[j] = eta[j];
        for (bl_index m = 0; m < n; m++)
            s.q[j] += f->def->flexibility[j * n + m] * s.r[m];
    }
    return s;
}

/* out[n] += r + R^T q */
static void add_stretch_forces(const bl_floating *f, const double *eta, double *out, double *work) {
    stretch s = stretched(f, eta, work);
    for (bl_index j = 0; j < f->n; j++) {
        out[j] += s.r[j];
        for (bl_index m = 0; m < f->n; m++)
            out[m] += s.q[j] * s.R[j * f->n + m];
    }
}

/* K[local][local] += R + R^T + R^T K^-1 R + sum q_j B_j */
static void add_stretch_stiffness(const bl_floating *f, const double *eta, double *K, double *work) {
    bl_index n = f->n, first = f->local - n;
    stretch s = stretched(f, eta, work);
    memset(s.FR, 0, (size_t)(n * n) * sizeof *s.FR);
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = 0; k < n; k++) {
            double flexibility = f->def->flexibility[j * n + k];
            for (bl_index m = 0; flexibility != 0 && m < n; m++)
                s.FR[j * n + m] += flexibility * s.R[k * n + m];
        }
    for (bl_index j = 0; j < n; j++)
        for (bl_index m = 0; m < n; m++) {
            const double *B = f->def->stiffening + (j * n + m) * n, *FR = s.FR + j * n;
            double *row = K + (first + m) * f->local + first, R = s.R[j * n + m];
            for (bl_index p = 0; p < n; p++)
                row[p] += s.q[j] * B[p] + R * FR[p];
            row[j] += R;
            K[(first + j) * f->local + first + m] += R;
        }
}

/* ---- forces */

/* out += K eta + (a M + b K) eta'; returns the power lost */
static double elastic_forces(const bl_floating *f, const double *x, const double *v, double *out) {
    const double *eta = eta_of(f, x), *rate = eta_of(f, v), *damping = f->def->damping;
    double lost = 0;
    for (bl_index m = 0; m < f->n; m++)
        for (bl_index p = 0; p < f->n; p++) {
            double k = f->def->stiffness[m * f->n + p], drag = (damping[0] * f->eta_mass[m * f->n + p] + damping[1] * k) * rate[p];
            out[f->local - f->n + m] += k * eta[p] + drag;
            lost += drag * rate[m];
        }
    return lost;
}

double bl_floating_force(const bl_floating *f, const double *x, const double *v, double *out, double *work) {
    double *z = work, *w = z + f->inner * f->dim;
    memset(out, 0, (size_t)f->local * sizeof *out);
    momenta_bias(f, v, z, w);
    pull(f, x, z, out);
    if (f->def->stiffening)
        add_stretch_forces(f, eta_of(f, x), out + f->local - f->n, work);
    return elastic_forces(f, x, v, out);
}

void bl_floating_inertia(const bl_floating *f, const double *x, const double *a, double *out, double *work) {
    double *z = work, *w = z + f->inner * f->dim;
    momenta(f, x, a, z, w);
    pull(f, x, z, out);
}

/* ---- matrices */

/* out += factor C(x)^T M^ C(u) without the part of C(u) that does not depend on u. w: weighed eta of x, of_u: of u.
 * Rows and columns: P and the axes, of which each component has the same masses, then the amplitudes. */
static void add_product(const bl_floating *f, const double *x, const double *u, double factor, const double *w, const double *of_u,
                        double *out) {
    const double *eta = eta_of(f, x), *at = axis(f, x, 0), *by = axis(f, u, 0), *mass = f->def->mass;
    int dim = f->dim, square = dim * dim, fixed = dim + square;
    double reduced[4][3], gram[3][3];
    for (int k = 0; k <= dim; k++) /* E_k^T of_u with E_k: P, or d_k and all eta_m d_k */
        for (int l = 0; l < dim; l++) {
            reduced[k][l] = of_u[l * f->inner + k];
            for (bl_index m = 0; k > 0 && m < f->n; m++)
                reduced[k][l] += eta[m] * of_u[l * f->inner + inner_of(f, m) + k - 1];
            for (int c = 0; c < dim; c++)
                out[(k * dim + c) * f->local + dim + l * dim + c] += factor * reduced[k][l];
        }
    for (int j = 0; j < dim; j++)
        for (int l = 0; l < dim; l++) {
            gram[j][l] = 0;
            for (int c = 0; c < dim; c++)
                gram[j][l] += factor * at[j * dim + c] * by[l * dim + c];
        }
    for (bl_index m = 0; m < f->n; m++) {
        bl_index first = inner_of(f, m);
        double *row = out + (fixed + m) * f->local;
        for (int c = 0; c < dim; c++) {
            for (int k = 0; k <= dim; k++)
                for (int l = 0; l < dim; l++)
                    out[(k * dim + c) * f->local + fixed + m] +=
                        factor * by[l * dim + c] * (mass[k * f->inner + first + l] + (k ? w[(k - 1) * f->inner + first + l] : 0));
            for (int l = 0; l < dim; l++)
                for (int j = 0; j < dim; j++)
                    row[dim + l * dim + c] += factor * at[j * dim + c] * of_u[l * f->inner + first + j];
        }
        for (int j = 0; j < dim; j++) {
            const double *masses = mass + (first + j) * f->inner + inner_of(f, 0), *g = gram[j];
            if (dim == 2)
                for (bl_index p = 0; p < f->n; p++)
                    row[fixed + p] += g[0] * masses[2 * p] + g[1] * masses[2 * p + 1];
            else
                for (bl_index p = 0; p < f->n; p++)
                    row[fixed + p] += g[0] * masses[3 * p] + g[1] * masses[3 * p + 1] + g[2] * masses[3 * p + 2];
        }
    }
}

/* out += d(C(x)^T z)/dx at constant z */
static void add_turning(const bl_floating *f, const double *z, double *out) {
    int dim = f->dim, square = dim * dim;
    for (bl_index m = 0; m < f->n; m++)
        for (int i = 0; i < square; i++) {
            bl_index d = dim + i, eta = dim + square + m;
            double force = z[inner_of(f, m) * dim + i];
            out[d * f->local + eta] += force;
            out[eta * f->local + d] += force;
        }
}

void bl_floating_mass(const bl_floating *f, const double *x, double *M, double *work) {
    int dim = f->dim;
    const double *eta = eta_of(f, x), *axes = axis(f, x, 0), *mass = f->def->mass;
    memset(M, 0, (size_t)f->local * (size_t)f->local * sizeof *M);
    weigh(f, eta, work);
    add_product(f, x, x, 1, work, work, M);
    for (int l = 0; l <= dim; l++) { /* columns of P and of the axes: the constant part of C */
        for (int k = 0; k <= dim; k++) {
            double sum = mass[k * f->inner + l] + (k ? work[(k - 1) * f->inner + l] : 0);
            for (int c = 0; c < dim; c++)
                M[(k * dim + c) * f->local + l * dim + c] += sum;
        }
        for (bl_index m = 0; m < f->n; m++)
            for (int c = 0; c < dim; c++)
                for (int j = 0; j < dim; j++)
                    M[(dim + dim * dim + m) * f->local + l * dim + c] += axes[j * dim + c] * mass[(inner_of(f, m) + j) * f->inner + l];
    }
}

void bl_floating_tangent(const bl_floating *f, const double *x, const double *v, double *K, double *C, double *work) {
    double *z = work, *w = z + f->inner * f->dim, *of_v = w + f->inner * f->dim;
    size_t bytes = (size_t)f->local * (size_t)f->local * sizeof *K;
    memset(K, 0, bytes);
    memset(C, 0, bytes);
    momenta_bias(f, v, z, of_v); /* leaves the weighed rates there */
    weigh(f, eta_of(f, x), w);
    add_turning(f, z, K);
    add_product(f, x, v, 2, w, of_v, C);
    for (bl_index m = 0; m < f->n; m++)
        for (bl_index p = 0; p < f->n; p++) {
            double k = f->def->stiffness[m * f->n + p];
            bl_index at = (f->local - f->n + m) * f->local + f->local - f->n + p;
            K[at] += k;
            C[at] += f->def->damping[0] * f->eta_mass[m * f->n + p] + f->def->damping[1] * k;
        }
    if (f->def->stiffening)
        add_stretch_stiffness(f, eta_of(f, x), K, work);
}

void bl_floating_mass_slope(const bl_floating *f, const double *x, const double *a, double *Ma, double *work) {
    double *z = work, *w = z + f->inner * f->dim, *of_a = w + f->inner * f->dim;
    memset(Ma, 0, (size_t)f->local * (size_t)f->local * sizeof *Ma);
    momenta(f, x, a, z, of_a); /* leaves the weighed amplitudes of a there */
    weigh(f, eta_of(f, x), w);
    add_turning(f, z, Ma);
    add_product(f, x, a, 1, w, of_a, Ma);
}

/* ---- energies */

double bl_floating_kinetic(const bl_floating *f, const double *x, const double *v, double *work) {
    const double *eta = eta_of(f, x), *rate = eta_of(f, v), *axes = axis(f, x, 0), *spin = axis(f, v, 0);
    double *z = work, *w = z + f->inner * f->dim, sum = 0;
    int dim = f->dim, square = dim * dim;
    momenta(f, x, v, z, w);
    for (int i = 0; i < dim + square; i++)
        sum += 0.5 * v[i] * z[i];
    for (bl_index m = 0; m < f->n; m++)
        for (int i = 0; i < square; i++)
            sum += 0.5 * (rate[m] * axes[i] + eta[m] * spin[i]) * z[inner_of(f, m) * dim + i];
    return sum;
}

double bl_floating_potential(const bl_floating *f, const double *x, double *work) {
    const double *eta = eta_of(f, x);
    int dim = f->dim;
    double sum = 0;
    for (int c = 0; c < dim; c++) {
        double height = f->def->mass[0] * x[c];
        for (int k = 0; k < dim; k++) {
            double arm = f->def->mass[(1 + k) * f->inner];
            for (bl_index m = 0; m < f->n; m++)
                arm += f->def->mass[(inner_of(f, m) + k) * f->inner] * eta[m];
            height += arm * axis(f, x, k)[c];
        }
        sum -= f->gravity[c] * height;
    }
    for (bl_index m = 0; m < f->n; m++)
        for (bl_index p = 0; p < f->n; p++)
            sum += 0.5 * f->def->stiffness[m * f->n + p] * eta[m] * eta[p];
    if (f->def->stiffening) {
        stretch s = stretched(f, eta, work);
        for (bl_index m = 0; m < f->n; m++)
            sum += 0.5 * (s.q[m] + eta[m]) * s.r[m];
    }
    return sum;
}

/* Floating frame (Shabana, Dynamics of multibody systems; inertia in the form of constant masses of the vectors P, d_k, eta_m d_k).
 *
 * With e_0 = P, e_k = d_k + sum eta_m (eta_m d_k) and the masses J of e_k, e_l and H of e_k, eta_p d_l, which depend on the amplitudes
 * alone, the columns of C for P and d_k are e_k, that for eta_p is sum_l d_l (eta_p d_l). So the equations of d_k (P: k = 0) and eta_p are
 *
 *     sum_l J_kl a_l + sum_l (H_kl . a_eta) d_l + 2 sum_l (H_kl . eta') d_l' - J_k0 g
 *     sum_kl (d_k . a_l) H_lk + sum_kl [(d_k . d_l) N_kl a_eta + 2 (d_k . d_l') N_kl eta'] - sum_k (d_k . g) H_0k
 *
 * with N_kl the masses of eta_p d_k, eta_m d_l: two products with all of these, for H and for the last line, are most of the work. */
#include "elastic/floating.h"

#include "dense/dense.h"

#include <string.h>

static size_t columns(size_t n) { return (n + BL_DENSE_COLUMNS - 1) / BL_DENSE_COLUMNS * BL_DENSE_COLUMNS; }
static size_t leads(const bl_floating *f) { return columns((size_t)((1 + f->dim) * f->dim)); } /* of H */
static size_t squares(const bl_floating *f) { return (size_t)(f->dim * f->dim); }

/* ---- set-up */

static void pad(bl_index n, size_t room, const double *from, double *to) {
    for (bl_index m = 0; m < n; m++)
        memcpy(to + (size_t)m * room, from + m * n, (size_t)n * sizeof *to);
}

bl_status bl_floating_make(bl_arena *arena, const bl_floating_def *def, int dim, const double gravity[3], bl_floating *f) {
    bl_index n = def->n, inner = 1 + dim + dim * n;
    size_t most = (size_t)n, room = bl_dense_room(most);
    *f = (bl_floating){.dim = dim, .n = n, .local = dim + dim * dim + n, .room = room, .ctx = arena->ctx, .def = def};
    memcpy(f->gravity, gravity, sizeof f->gravity);
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(f->frame, (1 + dim) * (1 + dim)), BL_ARRAY(f->lead, leads(f) * room),
                           BL_ARRAY(f->pairs, most * squares(f) * room), BL_ARRAY(f->eta_mass, most * room),
                           BL_ARRAY(f->stiffness, most * room)));
    for (int k = 0; k <= dim; k++) {
        for (int l = 0; l <= dim; l++)
            f->frame[k * (1 + dim) + l] = def->mass[k * inner + l];
        for (int l = 0; l < dim; l++)
            for (bl_index p = 0; p < n; p++)
                f->lead[(size_t)(k * dim + l) * room + (size_t)p] = def->mass[k * inner + 1 + dim * (1 + p) + l];
    }
    for (bl_index m = 0; m < n; m++)
        for (int k = 0; k < dim; k++)
            for (int l = 0; l < dim; l++)
                for (bl_index p = 0; p < n; p++) {
                    double mass = def->mass[(1 + dim * (1 + m) + k) * inner + 1 + dim * (1 + p) + l];
                    f->pairs[((size_t)m * squares(f) + (size_t)(k * dim + l)) * room + (size_t)p] = mass;
                    f->eta_mass[(size_t)m * room + (size_t)p] += k == l ? mass : 0;
                }
    pad(n, room, def->stiffness, f->stiffness);
    if (!def->stiffening)
        return BL_OK;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(f->stiffening, most * most * room), BL_ARRAY(f->flexibility, most * room)));
    pad(n, room, def->flexibility, f->flexibility);
    for (bl_index j = 0; j < n; j++)
        for (bl_index m = 0; m < n; m++)
            for (bl_index p = 0; p < n; p++)
                f->stiffening[((size_t)p * most + (size_t)j) * room + (size_t)m] = def->stiffening[(j * n + m) * n + p];
    return BL_OK;
}

size_t bl_floating_place_room(const bl_floating *f) { return (size_t)((1 + f->dim) * (1 + f->dim)) + leads(f) * f->room; }

bl_floating_place bl_floating_place_in(const bl_floating *f, double *memory) {
    return (bl_floating_place){.J = memory, .H = memory + (1 + f->dim) * (1 + f->dim)};
}

/* scratch memory */
typedef struct scratch {
    double *eta, *rate, *acceleration; /* [room] */
    double *row, *more;                /* [room] */
    double *weight;                    /* [n][dim dim], factors of `pairs` */
    double *spread;                    /* [dim][dim][room] */
    double *stretch;
} scratch;

size_t bl_floating_work(const bl_floating *f) {
    return 5 * f->room + columns((size_t)f->n * squares(f)) + squares(f) * f->room + bl_floating_stretch_work(f);
}

static scratch scratch_in(const bl_floating *f, double *work) {
    scratch s = {.eta = work, .rate = work + f->room, .acceleration = work + 2 * f->room, .row = work + 3 * f->room};
    s.more = s.row + f->room;
    s.weight = s.more + f->room;
    s.spread = s.weight + columns((size_t)f->n * squares(f));
    s.stretch = s.spread + squares(f) * f->room;
    return s;
}

static const double *axis(const bl_floating *f, const double *x, int k) { return x + f->dim * (1 + k); }
static double *lead(const bl_floating *f, double *H, int k, int l) { return H + (size_t)(k * f->dim + l) * f->room; }
static double mass_of(const bl_floating *f, bl_floating_place at, int k, int l) { return at.J[k * (1 + f->dim) + l]; }

/* amplitudes of local values, padded */
static const double *shapes(const bl_floating *f, const double *x, double *to) {
    size_t n = (size_t)f->n;
    memcpy(to, x + f->local - f->n, n * sizeof *to);
    memset(to + n, 0, (f->room - n) * sizeof *to);
    return to;
}

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double inner_product(const bl_floating *f, const double *a, const double *b) { return dot((size_t)f->dim, a, b); }

/* ---- products with the constant masses */

/* to[dim][dim][room]: masses of sum_m u_m (eta_m d_k), eta_p d_l */
static void spread(const bl_floating *f, const double *u, double *to) {
    bl_dense_multiply(f->ctx, (size_t)f->n, squares(f) * f->room, f->pairs, u, to);
}

/* weight[dim][dim] = factor d_k . u_l, d: axes of x, u: of any local values */
static void products_of_axes(const bl_floating *f, const double *x, const double *u, double factor, double *weight) {
    for (int k = 0; k < f->dim; k++)
        for (int l = 0; l < f->dim; l++)
            weight[k * f->dim + l] = factor * inner_product(f, axis(f, x, k), axis(f, u, l));
}

void bl_floating_move(const bl_floating *f, const double *x, bl_floating_place at, double *work) {
    scratch s = scratch_in(f, work);
    const double *eta = shapes(f, x, s.eta);
    int dim = f->dim;
    double of_lead[16], of_H[16]; /* [1 + dim][dim] */
    memcpy(at.H, f->lead, leads(f) * f->room * sizeof *at.H);
    spread(f, eta, s.spread);
    double *turning = lead(f, at.H, 1, 0);
    for (size_t i = 0; i < squares(f) * f->room; i++)
        turning[i] += s.spread[i];
    bl_dense_multiply_transposed(f->ctx, (size_t)((1 + dim) * dim), f->room, f->lead, eta, of_lead);
    bl_dense_multiply_transposed(f->ctx, (size_t)((1 + dim) * dim), f->room, at.H, eta, of_H);
    for (int k = 0; k <= dim; k++)
        for (int l = 0; l <= dim; l++)
            at.J[k * (1 + dim) + l] = f->frame[k * (1 + dim) + l] + (k ? of_lead[l * dim + k - 1] : 0) + (l ? of_H[k * dim + l - 1] : 0);
}

/* ---- forces */

/* out (NULL: none) += (a M + b K) eta'; returns the power lost */
static double damping_forces(const bl_floating *f, const scratch *s, double *out) {
    size_t n = (size_t)f->n;
    const double *damping = f->def->damping;
    double lost = 0;
    for (int by = 0; by < 2; by++) {
        if (damping[by] == 0)
            continue;
        bl_dense_multiply(f->ctx, n, f->room, by ? f->stiffness : f->eta_mass, s->rate, s->row);
        lost += damping[by] * dot(n, s->row, s->rate);
        for (size_t m = 0; out && m < n; m++)
            out[m] += damping[by] * s->row[m];
    }
    return lost;
}

/* equations of P and the axes; dim: that of f, known when this is compiled into its callers */
static inline __attribute__((always_inline)) void on_frame(const int dim, const bl_floating *f, bl_floating_place at, const double *x,
                                                           const double *v, const double *a, const scratch *s, double *out) {
    double of_rate[16] = {0}, of_acceleration[16] = {0};
    size_t count = (size_t)((1 + dim) * dim);
    if (v)
        bl_dense_multiply_transposed(f->ctx, count, f->room, at.H, s->rate, of_rate);
    if (a)
        bl_dense_multiply_transposed(f->ctx, count, f->room, at.H, s->acceleration, of_acceleration);
    for (int k = 0; k <= dim; k++) {
        double *to = out + k * dim;
        for (int c = 0; v && c < dim; c++)
            to[c] -= at.J[k * (1 + dim)] * f->gravity[c];
        for (int l = 0; l < dim; l++)
            for (int c = 0; c < dim; c++) {
                if (v)
                    to[c] += 2 * of_rate[k * dim + l] * v[dim * (1 + l) + c];
                to[c] += of_acceleration[k * dim + l] * x[dim * (1 + l) + c];
            }
        for (int l = 0; a && l <= dim; l++)
            for (int c = 0; c < dim; c++)
                to[c] += at.J[k * (1 + dim) + l] * a[l * dim + c];
    }
}

static void forces_on_frame(const bl_floating *f, bl_floating_place at, const double *x, const double *v, const double *a, const scratch *s,
                            double *out) {
    if (f->dim == 3)
        on_frame(3, f, at, x, v, a, s, out);
    else
        on_frame(2, f, at, x, v, a, s, out);
}

/* equations of the amplitudes */
static inline __attribute__((always_inline)) void on_shapes(const int dim, const bl_floating *f, bl_floating_place at, const double *x,
                                                            const double *v, const double *a, const scratch *s, double *out) {
    const size_t n = (size_t)f->n, of_pair = (size_t)(dim * dim);
    double of_a[9] = {0}, of_v[9] = {0}, factor[16] = {0};
    for (int k = 0; k < dim; k++) /* of d_l and d_k: the masses are stored from eta_m d_l to eta_p d_k */
        for (int l = 0; l < dim; l++)
            for (int c = 0; c < dim; c++) {
                of_a[l * dim + k] += a ? x[dim * (1 + k) + c] * x[dim * (1 + l) + c] : 0;
                of_v[l * dim + k] += v ? 2 * x[dim * (1 + k) + c] * v[dim * (1 + l) + c] : 0;
            }
    for (size_t m = 0; m < n; m++)
        for (size_t i = 0; i < of_pair; i++)
            s->weight[m * of_pair + i] = of_a[i] * s->acceleration[m] + of_v[i] * s->rate[m];
    bl_dense_multiply(f->ctx, n * of_pair, f->room, f->pairs, s->weight, s->row);
    for (int k = 0; k < dim; k++)
        for (int c = 0; c < dim; c++) {
            double d = x[dim * (1 + k) + c];
            for (int l = 0; a && l <= dim; l++)
                factor[l * dim + k] += d * a[l * dim + c];
            factor[k] -= v ? d * f->gravity[c] : 0;
        }
    bl_dense_multiply(f->ctx, (size_t)((1 + dim) * dim), f->room, at.H, factor, s->more);
    for (size_t m = 0; m < n; m++)
        out[m] += s->row[m] + s->more[m];
}

static void forces_on_shapes(const bl_floating *f, bl_floating_place at, const double *x, const double *v, const double *a,
                             const scratch *s, double *out) {
    if (f->dim == 3)
        on_shapes(3, f, at, x, v, a, s, out);
    else
        on_shapes(2, f, at, x, v, a, s, out);
}

double bl_floating_force(const bl_floating *f, bl_floating_place at, const double *x, const double *v, const double *a, double *out,
                         double *work) {
    scratch s = scratch_in(f, work);
    shapes(f, x, s.eta);
    shapes(f, v, s.rate);
    if (a)
        shapes(f, a, s.acceleration);
    else
        memset(s.acceleration, 0, f->room * sizeof *s.acceleration);
    memset(out, 0, (size_t)f->local * sizeof *out);
    forces_on_frame(f, at, x, v, a, &s, out);
    double *on_shapes = out + f->local - f->n;
    forces_on_shapes(f, at, x, v, a, &s, on_shapes);
    if (f->stiffening)
        bl_floating_stretch_force(f, s.eta, on_shapes, s.stretch);
    bl_dense_multiply(f->ctx, (size_t)f->n, f->room, f->stiffness, s.eta, s.row);
    for (bl_index m = 0; m < f->n; m++)
        on_shapes[m] += s.row[m];
    return damping_forces(f, &s, on_shapes);
}

double bl_floating_loss(const bl_floating *f, const double *v, double *work) {
    scratch s = scratch_in(f, work);
    if (f->def->damping[0] == 0 && f->def->damping[1] == 0)
        return 0;
    shapes(f, v, s.rate);
    return damping_forces(f, &s, NULL);
}

void bl_floating_inertia(const bl_floating *f, bl_floating_place at, const double *x, const double *a, double *out, double *work) {
    scratch s = scratch_in(f, work);
    shapes(f, a, s.acceleration);
    memset(s.rate, 0, f->room * sizeof *s.rate);
    forces_on_frame(f, at, x, NULL, a, &s, out);
    forces_on_shapes(f, at, x, NULL, a, &s, out + f->local - f->n);
}

/* ---- matrices. Rows and columns: P and the axes, of which each component has the same masses, then the amplitudes. */

/* to[room] = factor sum_l u_l[c] of[l], vectors `stride` apart: masses of component c of sum_l u_l (eta_p d_l) */
static void along(const bl_floating *f, const double *u, int c, double factor, const double *of, size_t stride, double *to) {
    memset(to, 0, f->room * sizeof *to);
    for (int l = 0; l < f->dim; l++) {
        double w = factor * axis(f, u, l)[c];
        for (size_t p = 0; p < f->room; p++)
            to[p] += w * of[(size_t)l * stride + p];
    }
}

/* out += factor C(x)^T M^ C(u) without the part of C(u) that does not depend on u. u_shapes[room]: its amplitudes; of_u: spread. */
static void add_product(const bl_floating *f, bl_floating_place at, const double *x, const double *u, double factor, const double *u_shapes,
                        const double *of_u, const scratch *s, double *out) {
    int dim = f->dim, fixed = dim + dim * dim;
    double of_frame[16], weight[9];
    bl_dense_multiply_transposed(f->ctx, (size_t)((1 + dim) * dim), f->room, at.H, u_shapes, of_frame);
    for (int k = 0; k <= dim; k++)
        for (int c = 0; c < dim; c++) {
            double *row = out + (k * dim + c) * f->local;
            for (int l = 0; l < dim; l++)
                row[dim + l * dim + c] += factor * of_frame[k * dim + l];
            along(f, u, c, factor, lead(f, at.H, k, 0), f->room, s->row);
            for (bl_index p = 0; p < f->n; p++)
                row[fixed + p] += s->row[p];
        }
    for (int l = 0; l < dim; l++)
        for (int c = 0; c < dim; c++) {
            along(f, x, c, factor, of_u + (size_t)(l * dim) * f->room, f->room, s->row);
            for (bl_index m = 0; m < f->n; m++)
                out[(fixed + m) * f->local + dim + l * dim + c] += s->row[m];
        }
    products_of_axes(f, x, u, factor, weight);
    for (bl_index m = 0; m < f->n; m++) {
        double *row = out + (fixed + m) * f->local + fixed;
        bl_dense_multiply(f->ctx, squares(f), f->room, f->pairs + (size_t)m * squares(f) * f->room, weight, s->row);
        for (bl_index p = 0; p < f->n; p++)
            row[p] += s->row[p];
    }
}

/* out += d(C(x)^T z)/dx at constant z; here component c of z on the vectors eta_m d_k */
static void add_turning(const bl_floating *f, int k, int c, const double *z, double *out) {
    bl_index d = f->dim + k * f->dim + c, first = f->local - f->n;
    for (bl_index m = 0; m < f->n; m++) {
        out[d * f->local + first + m] += z[m];
        out[(first + m) * f->local + d] += z[m];
    }
}

void bl_floating_mass(const bl_floating *f, bl_floating_place at, const double *x, double *M, double *work) {
    scratch s = scratch_in(f, work);
    int dim = f->dim, fixed = dim + dim * dim;
    double weight[9];
    memset(M, 0, (size_t)f->local * (size_t)f->local * sizeof *M);
    for (int k = 0; k <= dim; k++)
        for (int c = 0; c < dim; c++) {
            bl_index row = k * dim + c;
            for (int l = 0; l <= dim; l++)
                M[row * f->local + l * dim + c] = mass_of(f, at, k, l);
            along(f, x, c, 1, lead(f, at.H, k, 0), f->room, s.row);
            for (bl_index p = 0; p < f->n; p++)
                M[row * f->local + fixed + p] = M[(fixed + p) * f->local + row] = s.row[p];
        }
    products_of_axes(f, x, x, 1, weight);
    for (bl_index m = 0; m < f->n; m++) {
        bl_dense_multiply(f->ctx, squares(f), f->room, f->pairs + (size_t)m * squares(f) * f->room, weight, s.row);
        memcpy(M + (fixed + m) * f->local + fixed, s.row, (size_t)f->n * sizeof *M);
    }
}

void bl_floating_tangent(const bl_floating *f, bl_floating_place at, const double *x, const double *v, double *K, double *C, double *work) {
    scratch s = scratch_in(f, work);
    int dim = f->dim, fixed = dim + dim * dim;
    const double *damping = f->def->damping;
    size_t bytes = (size_t)f->local * (size_t)f->local * sizeof *K;
    memset(K, 0, bytes);
    memset(C, 0, bytes);
    shapes(f, x, s.eta);
    shapes(f, v, s.rate);
    spread(f, s.rate, s.spread);
    for (int k = 0; k < dim; k++) /* z = 2 sum_l V_lk d_l' - H_0k g */
        for (int c = 0; c < dim; c++) {
            const double *still = lead(f, at.H, 0, k);
            along(f, v, c, 2, s.spread + (size_t)k * f->room, (size_t)dim * f->room, s.row);
            for (size_t m = 0; m < f->room; m++)
                s.row[m] -= still[m] * f->gravity[c];
            add_turning(f, k, c, s.row, K);
        }
    add_product(f, at, x, v, 2, s.rate, s.spread, &s, C);
    for (bl_index m = 0; m < f->n; m++) {
        double *of_x = K + (fixed + m) * f->local + fixed, *of_v = C + (fixed + m) * f->local + fixed;
        const double *k = f->stiffness + (size_t)m * f->room, *mass = f->eta_mass + (size_t)m * f->room;
        for (bl_index p = 0; p < f->n; p++) {
            of_x[p] += k[p];
            of_v[p] += damping[0] * mass[p] + damping[1] * k[p];
        }
    }
    if (f->stiffening)
        bl_floating_stretch_stiffness(f, s.eta, K, s.stretch);
}

void bl_floating_mass_slope(const bl_floating *f, bl_floating_place at, const double *x, const double *a, double *Ma, double *work) {
    scratch s = scratch_in(f, work);
    int dim = f->dim;
    memset(Ma, 0, (size_t)f->local * (size_t)f->local * sizeof *Ma);
    shapes(f, a, s.acceleration);
    spread(f, s.acceleration, s.spread);
    for (int k = 0; k < dim; k++) /* z = sum_l H_lk a_l + sum_l A_lk d_l */
        for (int c = 0; c < dim; c++) {
            along(f, x, c, 1, s.spread + (size_t)k * f->room, (size_t)dim * f->room, s.row);
            for (int l = 0; l <= dim; l++) {
                const double *of = lead(f, at.H, l, k);
                for (size_t m = 0; m < f->room; m++)
                    s.row[m] += of[m] * a[l * dim + c];
            }
            add_turning(f, k, c, s.row, Ma);
        }
    add_product(f, at, x, a, 1, s.acceleration, s.spread, &s, Ma);
}

/* ---- energies */

double bl_floating_kinetic(const bl_floating *f, bl_floating_place at, const double *x, const double *v, double *work) {
    scratch s = scratch_in(f, work);
    int dim = f->dim, fixed = dim + dim * dim;
    double momentum[12] = {0}, sum = 0;
    shapes(f, v, s.acceleration);
    memset(s.rate, 0, f->room * sizeof *s.rate);
    forces_on_frame(f, at, x, NULL, v, &s, momentum);
    memset(s.eta, 0, f->room * sizeof *s.eta);
    forces_on_shapes(f, at, x, NULL, v, &s, s.eta);
    for (int i = 0; i < fixed; i++)
        sum += 0.5 * v[i] * momentum[i];
    return sum + 0.5 * dot((size_t)f->n, s.acceleration, s.eta);
}

double bl_floating_potential(const bl_floating *f, bl_floating_place at, const double *x, double *work) {
    scratch s = scratch_in(f, work);
    size_t n = (size_t)f->n;
    double sum = 0;
    for (int k = 0; k <= f->dim; k++)
        sum -= mass_of(f, at, k, 0) * inner_product(f, f->gravity, x + k * f->dim);
    shapes(f, x, s.eta);
    bl_dense_multiply(f->ctx, n, f->room, f->stiffness, s.eta, s.row);
    sum += 0.5 * dot(n, s.eta, s.row);
    return f->stiffening ? sum + bl_floating_stretch_energy(f, s.eta, s.stretch) : sum;
}

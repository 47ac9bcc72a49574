/* Eigenvalues of y'' = S y + D y' (spectrum.h). Time is in units of the fastest motion, w = (y, y'),
 *
 *     w' = B w,     B = [0 1; S D]          without damping  lambda^2 y = S y alone.
 *
 * Zero eigenvalues are defective (a body may be anywhere and may drift), and rounding spreads them over sqrt(eps). So the null space of B
 * is removed before: B U = 0, with W the orthogonal complement, B ~ [0 c; 0 W^T B W], repeatedly until there is none; an eigenvector w of
 * the remaining matrix then belongs to the eigenvector W w + U c w / lambda. */
#include "study/spectrum.h"

#include "study/linear_limits.h"

#include <math.h>
#include <string.h>

enum { STAGES = 6 };

typedef struct stage {
    bl_index n, k;     /* states before; number removed */
    double *W, *U, *c; /* [n - k][n], [k][n], [n - k][k] */
} stage;

typedef struct work {
    bl_context *ctx;
    bl_index n;   /* states left */
    double *B;    /* [n][n] */
    bool squared; /* eigenvalues are lambda^2 */
    double least; /* size of the matrix, where rounding errors are relative to it at every stage */
    stage stage[STAGES];
    int nstage;
    void *block[STAGES];
    bl_spectrum_free *is_free;
    void *user;
} work;

void bl_spectrum_free_all(bl_context *ctx, bl_spectrum *s) {
    bl_free(ctx, s->block);
    *s = (bl_spectrum){0};
}

void bl_spectrum_project(size_t n, const double *M, size_t na, const double *A, size_t nb, const double *X, double *room, double *out) {
    for (size_t j = 0; j < nb; j++) {
        memset(room, 0, n * sizeof *room);
        for (size_t l = 0; l < n; l++)
            for (size_t i = 0; i < n; i++)
                room[i] += M[l * n + i] * X[j * n + l];
        for (size_t i = 0; i < na; i++) {
            double sum = 0;
            for (size_t l = 0; l < n; l++)
                sum += A[i * n + l] * room[l];
            out[j * na + i] = sum;
        }
    }
}

/* number of directions, the last right singular vectors, in the null space of B */
static bl_index count_free(const work *w, const double *sigma, const double *VT, double *y) {
    bl_index k = 0;
    size_t n = (size_t)w->n;
    double size = fmax(sigma[0], w->least);
    for (bl_index i = w->n - 1; i >= 0; i--, k++) {
        if (sigma[i] <= study_spectrum_zero * size)
            continue;
        if (!w->is_free || w->nstage > 0 || !(sigma[i] <= study_spectrum_doubtful * size))
            break;
        for (size_t j = 0; j < n; j++) /* the first half of the states are positions */
            y[j] = VT[j * n + (size_t)i];
        if (!w->is_free(w->user, y))
            break;
    }
    return k;
}

static bl_status take_out(work *w, bool *more) {
    size_t n = (size_t)w->n, nwork = bl_dense_svd_work(w->n, w->n);
    double *copy, *VT, *sigma, *y, *room;
    void *block = NULL;
    *more = false;
    BL_TRY(BL_NEW_ARRAYS(w->ctx, block, BL_ARRAY(copy, n * n), BL_ARRAY(VT, n * n), BL_ARRAY(sigma, n), BL_ARRAY(y, n),
                         BL_ARRAY(room, nwork)));
    memcpy(copy, w->B, n * n * sizeof *copy);
    bl_status status = BL_OK;
    if (!bl_dense_svd_right(w->n, w->n, copy, sigma, VT, room, nwork))
        status = bl_fail(w->ctx, BL_E_NUMERIC, NULL, "the singular values of the linearized equations do not converge");
    size_t k = status == BL_OK ? (size_t)count_free(w, sigma, VT, y) : 0, left = n - k;
    if (k > 0) {
        stage *s = &w->stage[w->nstage];
        *s = (stage){.n = w->n, .k = (bl_index)k};
        status = BL_NEW(w->ctx, s->W, n * n + left * k + 1);
        w->block[w->nstage] = s->W;
        if (status == BL_OK) {
            s->U = s->W + left * n;
            s->c = s->U + k * n;
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    s->W[i * n + j] = VT[j * n + i];
            bl_spectrum_project(n, w->B, k, s->U, left, s->W, y, s->c);
            bl_spectrum_project(n, w->B, left, s->W, left, s->W, y, copy);
            memcpy(w->B, copy, left * left * sizeof *copy);
            w->n = (bl_index)left;
            w->nstage++;
            *more = left > 0 && w->nstage < STAGES;
        }
    }
    bl_free(w->ctx, block);
    return status;
}

/* extends a complex eigenvector of the remaining matrix to all states: re, im have room for all */
static void put_back(const work *w, double lr, double li, double *re, double *im, double *room) {
    double size = lr * lr + li * li;
    for (int s = w->nstage - 1; s >= 0; s--) {
        const stage *g = &w->stage[s];
        size_t n = (size_t)g->n, k = (size_t)g->k, left = n - k;
        double *r = room, *i = room + n;
        memset(room, 0, 2 * n * sizeof *room);
        for (size_t j = 0; j < left; j++)
            for (size_t l = 0; l < n; l++) {
                r[l] += g->W[j * n + l] * re[j];
                i[l] += g->W[j * n + l] * im[j];
            }
        for (size_t u = 0; u < k; u++) {
            double cr = 0, ci = 0;
            for (size_t j = 0; j < left; j++) {
                cr += g->c[j * k + u] * re[j];
                ci += g->c[j * k + u] * im[j];
            }
            double ar = (cr * lr + ci * li) / size, ai = (ci * lr - cr * li) / size; /* c w / lambda */
            for (size_t l = 0; l < n; l++) {
                r[l] += ar * g->U[u * n + l];
                i[l] += ai * g->U[u * n + l];
            }
        }
        memcpy(re, r, n * sizeof *re);
        memcpy(im, i, n * sizeof *im);
    }
}

/* ---- results */

/* most: eigenvalues */
static bl_status make_result(bl_context *ctx, bl_index f, bl_index count, bl_index nrigid, bl_spectrum *out) {
    size_t n = (size_t)f, most = (size_t)count;
    *out = (bl_spectrum){.f = f, .nrigid = nrigid};
    return BL_NEW_ARRAYS(ctx, out->block, BL_ARRAY(out->re, most), BL_ARRAY(out->im, most), BL_ARRAY(out->residual, most),
                         BL_ARRAY(out->y_re, most * n), BL_ARRAY(out->y_im, most * n), BL_ARRAY(out->rigid, (size_t)nrigid * n));
}

static void add(bl_spectrum *s, double re, double im, double residual, const double *yr, const double *yi) {
    size_t f = (size_t)s->f, k = (size_t)s->count++;
    s->re[k] = re;
    s->im[k] = im;
    s->residual[k] = residual;
    memcpy(s->y_re + k * f, yr, f * sizeof *yr);
    memcpy(s->y_im + k * f, yi, f * sizeof *yi);
}

static void exchange(double *a, double *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double keep = a[i];
        a[i] = b[i];
        b[i] = keep;
    }
}

/* by modulus, of equal ones the most unstable first; there are few */
static void sort(bl_spectrum *s) {
    size_t f = (size_t)s->f;
    for (bl_index i = 1; i < s->count; i++)
        for (bl_index k = i; k > 0; k--) {
            double a = hypot(s->re[k - 1], s->im[k - 1]), b = hypot(s->re[k], s->im[k]);
            bool same = fabs(a - b) <= 1e-9 * fmax(a, b);
            if (same ? s->re[k] <= s->re[k - 1] + 1e-9 * a : b >= a)
                break;
            exchange(&s->re[k], &s->re[k - 1], 1);
            exchange(&s->im[k], &s->im[k - 1], 1);
            exchange(&s->residual[k], &s->residual[k - 1], 1);
            exchange(s->y_re + (size_t)k * f, s->y_re + (size_t)(k - 1) * f, f);
            exchange(s->y_im + (size_t)k * f, s->y_im + (size_t)(k - 1) * f, f);
        }
}

/* |B w - lambda w| / (largest entry of B x length of w) over all states */
static double residual_of(size_t n, const double *B, double lr, double li, const double *re, const double *im) {
    double off = 0, length = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        double r = -(lr * re[i] - li * im[i]), m = -(lr * im[i] + li * re[i]);
        for (size_t j = 0; j < n; j++) {
            r += B[j * n + i] * re[j];
            m += B[j * n + i] * im[j];
            most = fmax(most, fabs(B[j * n + i]));
        }
        off = fmax(off, hypot(r, m));
        length = fmax(length, hypot(re[i], im[i]));
    }
    return length > 0 && most > 0 ? off / (most * length) : 0;
}

/* stores the eigenvalues that belong to an eigenvalue mu of the remaining matrix and its vector */
static void store_eigenpair(const work *w, const double *all, size_t n, double mr, double mi, double *re, double *im, double *room,
                            bl_spectrum *out) {
    double unit = out->unit;
    put_back(w, mr, mi, re, im, room);
    double off = residual_of(n, all, mr, mi, re, im);
    if (!w->squared) {
        add(out, unit * mr, unit * mi, off, re, im);
        return;
    }
    if (mi == 0 && mr < 0) {
        add(out, 0, unit * sqrt(-mr), off, re, im);
        return;
    }
    double size = hypot(mr, mi), a = sqrt((size + mr) / 2), b = sqrt(fmax(size - mr, 0) / 2); /* of mu = a + i b, b >= 0 */
    add(out, unit * a, unit * b, off, re, im);
    for (size_t i = 0; i < n; i++) /* for -lambda, or its conjugate if that has the positive imaginary part */
        im[i] = mi == 0 ? im[i] : -im[i];
    add(out, -unit * a, unit * b, off, re, im);
}

static bl_status solve(work *w, const double *all, size_t n, bl_spectrum *out) {
    size_t m = (size_t)w->n, nwork = 34 * m + 1;
    double *room;
    if (m == 0)
        return BL_OK;
    BL_TRY(BL_NEW(w->ctx, room, 2 * m + m * m + nwork + 4 * n));
    double *re = room, *im = re + m, *vector = im + m, *lapack = vector + m * m, *wr = lapack + nwork, *wi = wr + n, *scratch = wi + n;
    bl_status status = BL_OK;
    if (!bl_dense_eigen_general(w->n, w->B, re, im, vector, lapack, nwork))
        status = bl_fail(w->ctx, BL_E_NUMERIC, NULL, "the eigenvalues do not converge");
    double most = 0;
    for (size_t k = 0; k < m; k++)
        most = fmax(most, hypot(re[k], im[k]));
    for (size_t k = 0; k < m && status == BL_OK; k++) {
        bool pair = im[k] != 0;
        memcpy(wr, vector + k * m, m * sizeof *wr);
        memset(wi, 0, m * sizeof *wi);
        if (pair)
            memcpy(wi, vector + (k + 1) * m, m * sizeof *wi);
        bool tiny = pair && fabs(im[k]) <= study_spectrum_real * most;
        store_eigenpair(w, all, n, re[k], tiny ? 0 : im[k], wr, wi, scratch, out);
        if (tiny) { /* a double real eigenvalue that rounding turned into a pair */
            memcpy(wr, vector + (k + 1) * m, m * sizeof *wr);
            memset(wi, 0, m * sizeof *wi);
            store_eigenpair(w, all, n, re[k], 0, wr, wi, scratch, out);
        }
        k += pair;
    }
    bl_free(w->ctx, room);
    return status;
}

static double largest(size_t n, const double *a) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

static void fill(work *w, size_t f, const double *S, const double *D, double unit) {
    size_t n = (size_t)w->n;
    for (size_t j = 0; j < f; j++)
        for (size_t i = 0; i < f; i++) {
            if (w->squared) {
                w->B[j * n + i] = S[j * f + i] / (unit * unit);
                continue;
            }
            w->B[j * n + f + i] = S[j * f + i] / (unit * unit);
            w->B[(f + j) * n + f + i] = D[j * f + i] / unit;
            w->B[(f + j) * n + i] = i == j;
        }
}

static void keep_rigid(const work *w, bl_spectrum *out) {
    const stage *s = &w->stage[0];
    for (bl_index k = 0; k < out->nrigid; k++)
        memcpy(out->rigid + (size_t)k * (size_t)out->f, s->U + (size_t)k * (size_t)s->n, (size_t)out->f * sizeof(double));
}

/* deflates and solves w.B, of which w.n is the order; `positions` come first among the states */
static bl_status find(work *w, bl_index positions, double unit, bl_spectrum *out) {
    size_t n = (size_t)w->n;
    double *all = w->B + n * n;
    bl_status status = BL_OK;
    bool more = n > 0;
    memcpy(all, w->B, n * n * sizeof *all);
    while (status == BL_OK && more)
        status = take_out(w, &more);
    if (status == BL_OK)
        status = make_result(w->ctx, positions, n > (size_t)positions ? (bl_index)n : 2 * positions, w->nstage ? w->stage[0].k : 0, out);
    if (status == BL_OK) {
        out->unit = unit;
        for (int s = 0; s < w->nstage; s++)
            out->nzero += (w->squared ? 2 : 1) * w->stage[s].k;
        if (w->nstage)
            keep_rigid(w, out);
        status = solve(w, all, n, out);
    }
    if (status == BL_OK)
        sort(out);
    for (int s = 0; s < STAGES; s++)
        bl_free(w->ctx, w->block[s]);
    return status;
}

bl_status bl_spectrum_find(bl_context *ctx, bl_index nf, const double *S, const double *D, bl_spectrum_free *is_free, void *user,
                           bl_spectrum *out) {
    size_t f = (size_t)nf;
    work w = {.ctx = ctx, .is_free = is_free, .user = user};
    double stiff = largest(f * f, S), damp = largest(f * f, D), unit = fmax(sqrt(stiff), damp);
    *out = (bl_spectrum){0};
    BL_TRY(bl_check_finite(ctx, "linearized equations", NAN, (bl_index)(f * f), S));
    BL_TRY(bl_check_finite(ctx, "damping of the linearized equations", NAN, (bl_index)(f * f), D));
    unit = unit > 0 ? unit : 1;
    w.squared = damp <= study_spectrum_undamped * unit;
    w.n = w.squared ? nf : 2 * nf;
    size_t n = (size_t)w.n;
    bl_status status = BL_NEW(ctx, w.B, 2 * n * n + 1);
    if (status == BL_OK) {
        fill(&w, f, S, D, unit);
        status = find(&w, nf, unit, out);
    }
    bl_free(ctx, w.B);
    return status;
}

bl_status bl_spectrum_states(bl_context *ctx, bl_index np, bl_index nf, const double *flow, const double *lift, const double *S,
                             const double *D, double rate, bl_spectrum *out) {
    size_t p = (size_t)np, f = (size_t)nf, n = p + f;
    work w = {.ctx = ctx, .n = np + nf, .least = 1};
    double unit = fmax(fmax(sqrt(largest(p * f, S)), largest(f * f, D)), fmax(largest(p * p, flow), rate));
    *out = (bl_spectrum){0};
    BL_TRY(bl_check_finite(ctx, "linearized equations", NAN, (bl_index)(p * f), S));
    BL_TRY(bl_check_finite(ctx, "damping of the linearized equations", NAN, (bl_index)(f * f), D));
    BL_TRY(bl_check_finite(ctx, "rates of the linearized coordinates", NAN, (bl_index)(p * p), flow));
    unit = unit > 0 ? unit : 1;
    bl_status status = BL_NEW(ctx, w.B, 2 * n * n + 1);
    for (size_t j = 0; j < n && status == BL_OK; j++) {
        const double *above = j < p ? flow + j * p : lift + (j - p) * p, *below = j < p ? S + j * f : D + (j - p) * f;
        for (size_t i = 0; i < p; i++)
            w.B[j * n + i] = above[i] / (j < p ? unit : 1);
        for (size_t i = 0; i < f; i++)
            w.B[j * n + p + i] = below[i] / (j < p ? unit * unit : unit);
    }
    if (status == BL_OK)
        status = find(&w, np, unit, out);
    bl_free(ctx, w.B);
    return status;
}

/* ---- massless motions: the pencil [1 0; 0 N], [0 1; -K -C] */

static void fill_pencil(size_t f, size_t with, const double *K, const double *C, double unit, double *A, double *B) {
    size_t n = 2 * f;
    double most = fmax(largest(f * f, K), 1e-300);
    for (size_t j = 0; j < f; j++) {
        A[(f + j) * n + j] = 1;
        B[j * n + j] = 1;
        B[(f + j) * n + f + j] = j < with ? unit * unit / most : 0;
        for (size_t i = 0; i < f; i++) {
            A[j * n + f + i] = -K[j * f + i] / most;
            A[(f + j) * n + f + i] = -C[j * f + i] * unit / most;
        }
    }
}

/* adds a motion with a zero eigenvalue, if it is independent of the others */
static void add_rigid(bl_spectrum *s, const double *y) {
    size_t f = (size_t)s->f;
    double *to = s->rigid + (size_t)s->nrigid * f, length = 0, before = 0;
    memcpy(to, y, f * sizeof *to);
    for (size_t j = 0; j < f; j++)
        before += y[j] * y[j];
    for (bl_index k = 0; k < s->nrigid; k++) {
        const double *other = s->rigid + (size_t)k * f;
        double along = 0;
        for (size_t j = 0; j < f; j++)
            along += other[j] * to[j];
        for (size_t j = 0; j < f; j++)
            to[j] -= along * other[j];
    }
    for (size_t j = 0; j < f; j++)
        length += to[j] * to[j];
    if (!(length > study_spectrum_pencil_zero * before))
        return;
    for (size_t j = 0; j < f; j++)
        to[j] /= sqrt(length);
    s->nrigid++;
}

bl_status bl_spectrum_massless(bl_context *ctx, bl_index nf, bl_index with, const double *K, const double *C, bl_spectrum *out) {
    size_t f = (size_t)nf, n = 2 * f, nwork = 16 * n + 64;
    double *room, unit = sqrt(fmax(largest((size_t)with * f, K), 1e-300));
    *out = (bl_spectrum){0};
    BL_TRY(BL_NEW(ctx, room, 3 * n * n + 3 * n + nwork + n));
    double *A = room, *B = A + n * n, *V = B + n * n, *re = V + n * n, *im = re + n, *below = im + n, *lapack = below + n;
    double *zeros = lapack + nwork;
    fill_pencil(f, (size_t)with, K, C, unit, A, B);
    bl_status status = make_result(ctx, nf, 2 * nf, nf, out);
    out->nrigid = 0;
    if (status == BL_OK && !bl_dense_eigen_pencil((bl_index)n, A, B, re, im, below, V, lapack, nwork))
        status = bl_fail(ctx, BL_E_NUMERIC, NULL, "the eigenvalues do not converge");
    if (status == BL_OK)
        out->unit = unit;
    for (size_t k = 0; k < n && status == BL_OK; k++) {
        double size = hypot(re[k], im[k]);
        bool pair = im[k] != 0;
        if (size < study_spectrum_pencil_zero * fabs(below[k])) {
            out->nzero += 1 + pair;
            if (out->nrigid < nf)
                add_rigid(out, V + k * n);
        } else if (fabs(below[k]) > study_spectrum_infinite * size)
            add(out, unit * re[k] / below[k], unit * fabs(im[k] / below[k]), NAN, V + k * n, pair ? V + (k + 1) * n : zeros);
        k += pair;
    }
    if (status == BL_OK)
        sort(out);
    bl_free(ctx, room);
    return status;
}

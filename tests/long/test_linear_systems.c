/* Random vibrating systems M q'' + C q' + K q = 0 by every integrator against the matrix exponential of their first-order form, through
 * LAPACK's eigenvectors: errors are small and fall with the order of the method. */
#include "biela/function.h"
#include "integrate/integrate.h"
#include "integrate/method_coefficients.h"
#include "support/stepping.h"
#include "support/testing.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 4, Y = 2 * N, SYSTEMS = 40 };

typedef struct vibrating {
    test_linear linear; /* first: the user of its functions */
    double y0[Y];
    double re[Y], im[Y];           /* eigenvalues */
    double V_re[Y][Y], V_im[Y][Y]; /* [component][mode], times the share of the mode in y0 */
    double fastest;                /* largest |eigenvalue| */
} vibrating;

/* B B^T + shift: symmetric, positive definite */
static void positive(test_random *random, int n, double shift, double *A) {
    double B[N * N];
    for (int i = 0; i < n * n; i++)
        B[i] = test_random_symmetric(random);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = i == j ? shift : 0;
            for (int k = 0; k < n; k++)
                A[i * n + j] += B[i * n + k] * B[j * n + k];
        }
}

/* y = sum of modes V_k exp(lambda_k t) c_k, V c = y0; lambda and V of [0 I; -M^-1 K  -M^-1 C] */
static void solve_modes(vibrating *w) {
    int n = w->linear.n, ny = 2 * n;
    double A[Y * Y] = {0}, M[N * N], S[N * 2 * N], vectors[Y * Y];
    lapack_int pivot[Y];
    memcpy(M, w->linear.M, sizeof M);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            S[j * n + i] = -w->linear.K[i * n + j];
            S[(n + j) * n + i] = -w->linear.C[i * n + j];
        }
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 2 * n, M, n, pivot, S, n), 0);
    for (int i = 0; i < n; i++) {
        A[(n + i) * ny + i] = 1;
        for (int j = 0; j < ny; j++)
            A[j * ny + n + i] = S[j * n + i];
    }
    assert_int_equal(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', ny, A, ny, w->re, w->im, NULL, 1, vectors, ny), 0);
    lapack_complex_double V[Y * Y], c[Y];
    w->fastest = 0;
    for (int k = 0; k < ny; k++) {
        w->fastest = fmax(w->fastest, hypot(w->re[k], w->im[k]));
        for (int i = 0; i < ny; i++) {
            /* a conjugate pair stands as real and imaginary part in two columns */
            double re = w->im[k] < 0 ? vectors[(k - 1) * ny + i] : vectors[k * ny + i];
            double im = w->im[k] > 0 ? vectors[(k + 1) * ny + i] : w->im[k] < 0 ? -vectors[k * ny + i] : 0;
            V[k * ny + i] = lapack_make_complex_double(re, im);
            w->V_re[i][k] = re;
            w->V_im[i][k] = im;
        }
    }
    for (int i = 0; i < ny; i++)
        c[i] = lapack_make_complex_double(w->y0[i], 0);
    assert_int_equal(LAPACKE_zgesv(LAPACK_COL_MAJOR, ny, 1, V, ny, pivot, c, ny), 0);
    for (int i = 0; i < ny; i++)
        for (int k = 0; k < ny; k++) {
            double re = w->V_re[i][k], im = w->V_im[i][k], cr = lapack_complex_double_real(c[k]), ci = lapack_complex_double_imag(c[k]);
            w->V_re[i][k] = re * cr - im * ci;
            w->V_im[i][k] = re * ci + im * cr;
        }
}

static int exact(void *user, double t, double *q, double *v, double *z) {
    const vibrating *w = user;
    int n = w->linear.n;
    (void)z;
    for (int i = 0; i < 2 * n; i++) {
        double sum = 0;
        for (int k = 0; k < 2 * n; k++)
            sum += exp(w->re[k] * t) * (w->V_re[i][k] * cos(w->im[k] * t) - w->V_im[i][k] * sin(w->im[k] * t));
        *(i < n ? &q[i] : &v[i - n]) = sum;
    }
    return 0;
}

static void make(test_random *random, vibrating *w) {
    memset(w, 0, sizeof *w);
    int n = w->linear.n = 1 + test_random_below(random, N);
    positive(random, n, 1, w->linear.M);
    positive(random, n, 0, w->linear.C);
    positive(random, n, 2, w->linear.K);
    double damping = 0.1 * test_random_unit(random);
    for (int i = 0; i < n * n; i++) {
        w->linear.C[i] *= damping;
        w->linear.K[i] *= 4;
    }
    for (int i = 0; i < 2 * n; i++)
        w->y0[i] = test_random_symmetric(random);
    solve_modes(w);
}

typedef struct watch {
    vibrating *w;
    double worst;
} watch;

static int compare(void *user, double t, const double *q, const double *v, const double *z) {
    watch *l = user;
    double at[Y];
    int n = l->w->linear.n;
    (void)z;
    exact(l->w, t, at, at + n, NULL);
    for (int i = 0; i < n; i++)
        l->worst = fmax(l->worst, fmax(fabs(q[i] - at[i]), fabs(v[i] - at[n + i])));
    return 0;
}

static double error_of(vibrating *w, const char *integrator, bool promise, double until, int steps, double tolerance) {
    bl_context *ctx = test_context(NULL);
    bl_function fn = test_linear_function(&w->linear, promise);
    fn.user = w;
    fn.exact = exact;
    watch l = {.w = w};
    bl_integrate_options options = {.integrator = integrator, .until = until, .step = steps ? until / steps : 0, .tolerance = tolerance};
    if (bl_integrate(ctx, &fn, &options, w->y0, w->y0 + w->linear.n, NULL, compare, &l, NULL) != BL_OK)
        fail_msg("%s: %s", integrator, bl_context_error(ctx)->what);
    test_context_end(ctx);
    return l.worst;
}

/* a spec with random parameters in their range; exact starts where there are any */
static void choose(const bl_integrator_kind *kind, test_random *random, char *spec, size_t size) {
    const char *name = kind->kind.name;
    double unit = test_random_unit(random);
    bool extended = strstr(name, "bdf") != name && (strstr(name, "bdf") || strstr(name, "ndf")) && name[0] != 'n';
    if (!strcmp(name, "bdf"))
        snprintf(spec, size, "bdf:%d,start=exact", 1 + test_random_below(random, 6));
    else if (!strcmp(name, "ndf") || extended)
        snprintf(spec, size, strstr(name, "auto") ? "%s" : "%s:%d,start=exact", name,
                 1 + test_random_below(random, !strcmp(name, "ebdf") || !strcmp(name, "mebdf") ? 8 : 4));
    else if (!strcmp(name, "bdf_alpha"))
        snprintf(spec, size, "bdf_alpha:%.3f,start=exact", -0.5 * unit);
    else if (!strcmp(name, "park"))
        snprintf(spec, size, "park:start=exact");
    else if (!strcmp(name, "multistep"))
        snprintf(spec, size, "multistep:a=1/2;-2;3/2,b=0;0;1,start=exact");
    else if (!strcmp(name, "hht"))
        snprintf(spec, size, "hht:%.3f", unit / 3);
    else if (!strcmp(name, "wbz"))
        snprintf(spec, size, "wbz:%.3f", -unit / 3);
    else if (!strcmp(name, "genalpha"))
        snprintf(spec, size, "genalpha:%.3f", unit);
    else if (!strcmp(name, "edmc1"))
        snprintf(spec, size, "edmc1:%.3f", 0.5 + 0.5 * unit);
    else
        snprintf(spec, size, "%s", name);
}

/* the order the coefficients promise */
static int order_of(const bl_integrator_kind *kind, const char *spec) {
    bl_context *ctx = test_context(NULL);
    bl_arena arena = {.ctx = ctx};
    bl_value value[BL_MAX_PARAMS];
    bl_formula formula = {0};
    const char *options = strchr(spec, ':');
    int order = kind->order;
    if (kind->formula) {
        assert_int_equal(bl_kind_options(ctx, &arena, &kind->kind, options ? options + 1 : NULL, value), BL_OK);
        assert_int_equal(kind->formula(kind, ctx, value, &formula), BL_OK);
        if (formula.order > 0)
            order = formula.order;
    }
    bl_arena_destroy(&arena);
    test_context_end(ctx);
    return order;
}

/* Largest error over a few radians of the fastest mode, with steps of such a size that the method is in its asymptotic range and above
 * rounding; halving twice gives two estimates of the order, of which the later counts. */
static void fixed_steps__errors_fall_with_the_order(void **unused) {
    (void)unused;
    test_random random = {test_seed(20240611)};
    for (int s = 0; s < SYSTEMS; s++) {
        vibrating w;
        make(&random, &w);
        bool promise = test_random_below(&random, 2);
        for (size_t k = 0; k < bl_integrator_kind_count; k++) {
            const bl_integrator_kind *kind = bl_integrator_kinds[k];
            char spec[96];
            choose(kind, &random, spec, sizeof spec);
            if (kind->kind.gives & BL_ADAPTIVE)
                continue;
            /* made for linear systems alone */
            bool asks = kind == &bl_integrator_energy_momentum || kind == &bl_integrator_edmc1 || kind == &bl_integrator_edmc2;
            int order = order_of(kind, spec);
            double until = 6 / w.fastest, error[3], measured = 0;
            int steps = order <= 2 ? 200 : order == 3 ? 100 : order == 4 ? 60 : 30;
            for (int i = 0; i < 3; i++)
                error[i] = error_of(&w, spec, promise || asks, until, steps << i, 0);
            for (int i = 1; i < 3 && error[i] > 2e-12; i++)
                measured = log2(error[i - 1] / error[i]);
            if (!(error[0] < (order == 1 ? 0.5 : 0.1)) || (measured != 0 && !(measured > order - (order > 5 ? 0.75 : 0.25))))
                fail_msg("system %d, %s: order %.2f for %d, errors %.3g %.3g %.3g", s, spec, measured, order, error[0], error[1], error[2]);
        }
    }
}

static void adaptive_steps__errors_follow_the_tolerance(void **unused) {
    (void)unused;
    test_random random = {test_seed(20240612)};
    for (int s = 0; s < SYSTEMS; s++) {
        vibrating w;
        make(&random, &w);
        bool promise = test_random_below(&random, 2);
        for (size_t k = 0; k < bl_integrator_kind_count; k++) {
            const bl_integrator_kind *kind = bl_integrator_kinds[k];
            if (!(kind->kind.gives & BL_ADAPTIVE) || kind->kind.needs == BL_CAN_COEFFICIENT) /* a C function has no power series */
                continue;
            double until = 20 / w.fastest, coarse = error_of(&w, kind->kind.name, promise, until, 0, 1e-5),
                   fine = error_of(&w, kind->kind.name, promise, until, 0, 1e-8);
            double most = kind->order == 2 ? 1e-4 : 1e-5; /* errors of steps h^3 = tolerance add up to its power 2/3 */
            if (!(coarse < 1e-2 && fine < most && fine < 0.03 * coarse))
                fail_msg("system %d, %s: errors %.3g for 1e-5, %.3g for 1e-8", s, kind->kind.name, coarse, fine);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps__errors_fall_with_the_order),
        cmocka_unit_test(adaptive_steps__errors_follow_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

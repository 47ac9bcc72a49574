/* Shapes of components of sparse matrices: a cantilever cut in the middle with the published errors of its frequencies; a square membrane,
 * whose modes are known and come in pairs, by full matrices and by iteration; static answers to loads on the boundary. */
#include "dense/dense.h"
#include "reduction/component_modes.h"
#include "sparse/sparse.h"
#include "support/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- matrices given full */

typedef struct sparse {
    bl_pattern pattern;
    double *K, *M;
    uint8_t *held;
} sparse;

static void make(bl_context *ctx, int n, const double *K, const double *M, sparse *s) {
    bl_index *row = calloc((size_t)(n * n), sizeof *row), *col = calloc((size_t)(n * n), sizeof *col);
    bl_index *slot = calloc((size_t)(n * n), sizeof *slot), count = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (K[j * n + i] != 0 || M[j * n + i] != 0) {
                row[count] = i;
                col[count++] = j;
            }
    assert_int_equal(bl_pattern_build(ctx, n, n, count, row, col, &s->pattern, slot), BL_OK);
    s->K = calloc((size_t)count, sizeof *s->K);
    s->M = calloc((size_t)count, sizeof *s->M);
    s->held = calloc((size_t)n, 1);
    for (bl_index k = 0; k < count; k++) {
        s->K[slot[k]] = K[col[k] * n + row[k]];
        s->M[slot[k]] = M[col[k] * n + row[k]];
    }
    free(row);
    free(col);
    free(slot);
}

static void end(bl_context *ctx, sparse *s) {
    bl_pattern_free(ctx, &s->pattern);
    free(s->K);
    free(s->M);
    free(s->held);
}

static void multiply(const sparse *s, const double *A, const double *x, double *y) {
    memset(y, 0, (size_t)s->pattern.ncol * sizeof *y);
    for (bl_index j = 0; j < s->pattern.ncol; j++)
        for (bl_index k = s->pattern.ptr[j]; k < s->pattern.ptr[j + 1]; k++)
            y[s->pattern.idx[k]] += A[k] * x[j];
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- a cantilever of forty cubic elements, EI = rho A = L = 1 */

enum { HALF = 20, NODES = 2 * HALF + 1, ALL = 2 * NODES };

static void add_element(double h, int first, int n, double *K, double *M) {
    const double k[4][4] = {
        {12, 6 * h, -12, 6 * h}, {6 * h, 4 * h * h, -6 * h, 2 * h * h}, {-12, -6 * h, 12, -6 * h}, {6 * h, 2 * h * h, -6 * h, 4 * h * h}};
    const double m[4][4] = {{156, 22 * h, 54, -13 * h},
                            {22 * h, 4 * h * h, 13 * h, -3 * h * h},
                            {54, 13 * h, 156, -22 * h},
                            {-13 * h, -3 * h * h, -22 * h, 4 * h * h}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            K[(first + j) * n + first + i] += k[i][j] / (h * h * h);
            M[(first + j) * n + first + i] += m[i][j] * h / 420;
        }
}

static void frequencies(int n, double *K, double *M, double *omega) {
    double *work = calloc(bl_dense_eigen_work(n), sizeof *work);
    bl_index *iwork = calloc((size_t)(5 * n + 3), sizeof *iwork);
    assert_true(bl_dense_eigen_pair(n, K, M, omega, work, bl_dense_eigen_work(n), iwork));
    for (int k = 0; k < n; k++)
        omega[k] = sqrt(omega[k]);
    free(work);
    free(iwork);
}

/* one half with both ends as boundary; root: its first node does not move, and the shapes are those of its end alone */
static void reduce_half(bl_context *ctx, bool root, int modes, double *k, double *m) {
    enum { N = 2 * (HALF + 1) };
    static double K[N * N], M[N * N], shape[10 * N], force[N], motion[2 * N];
    double h = 0.5 / HALF, value[8];
    sparse s;
    memset(K, 0, sizeof K);
    memset(M, 0, sizeof M);
    memset(motion, 0, sizeof motion);
    for (int e = 0; e < HALF; e++)
        add_element(h, 2 * e, N, K, M);
    make(ctx, N, K, M, &s);
    int cut = root ? N - 2 : 0, count = 2 + modes;
    s.held[cut] = s.held[cut + 1] = 1;
    if (root)
        s.held[0] = s.held[1] = 1; /* at rest in all shapes */
    motion[cut] = motion[N + cut + 1] = 1;
    bl_component component = {"half", NULL, &s.pattern, s.K, s.M, s.held, 2, modes, NULL, motion};
    assert_int_equal(bl_component_shapes(ctx, &component, shape, value), BL_OK);
    for (int a = 0; a < count; a++) {
        multiply(&s, s.K, shape + a * N, force);
        for (int b = 0; b < count; b++)
            k[a * count + b] = dot(N, shape + b * N, force);
        multiply(&s, s.M, shape + a * N, force);
        for (int b = 0; b < count; b++)
            m[a * count + b] = dot(N, shape + b * N, force);
    }
    for (int a = 2; a < count; a++) {
        assert_true(fabs(m[a * count + a] - 1) < 1e-9);
        assert_true(fabs(k[a * count + a] / value[a - 2] - 1) < 1e-7);
    }
    end(ctx, &s);
}

static void cantilever__has_the_known_errors(void **unused) {
    (void)unused;
    static const struct {
        int modes, count;
        double error[4], within[4];
    } cases[] = {{0, 2, {2.60665e-2, 3.422304e-1}, {1e-7, 1e-6}},
                 {1, 3, {6.757e-5, 6.36277e-3, 1.0895452e-1}, {2e-8, 2e-8, 2e-7}},
                 {2, 4, {2.80e-6, 3.3787e-4, 5.6611e-4, 1.4189e-2}, {2e-8, 2e-8, 2e-8, 1e-6}},
                 {4, 4, {1e-7, 1.523e-5, 6.38e-6, 4.694e-4}, {1e-7, 2e-8, 2e-8, 2e-7}}};
    bl_context *ctx = test_context(NULL);
    static double whole[ALL * ALL], masses[ALL * ALL], K[ALL * ALL], M[ALL * ALL], exact[ALL];
    for (int e = 0; e < 2 * HALF; e++)
        add_element(0.5 / HALF, 2 * e, ALL, whole, masses);
    for (int j = 2; j < ALL; j++)
        for (int i = 2; i < ALL; i++) {
            K[(j - 2) * (ALL - 2) + i - 2] = whole[j * ALL + i];
            M[(j - 2) * (ALL - 2) + i - 2] = masses[j * ALL + i];
        }
    frequencies(ALL - 2, K, M, exact);
    assert_true(fabs(exact[0] - 3.516015) < 1e-5 && fabs(exact[3] - 120.9024) < 2e-3);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int k = cases[c].modes, r = 2 + k, n = 2 + 2 * k;
        double part[2][2][8 * 8], A[2][16 * 16] = {{0}}, omega[16];
        for (int side = 0; side < 2; side++) {
            reduce_half(ctx, side == 0, k, part[0][side], part[1][side]);
            for (int what = 0; what < 2; what++)
                for (int a = 0; a < r; a++)
                    for (int b = 0; b < r; b++) {
                        int row = a < 2 ? a : a + side * k, col = b < 2 ? b : b + side * k;
                        A[what][col * n + row] += part[what][side][b * r + a];
                    }
        }
        frequencies(n, A[0], A[1], omega);
        for (int f = 0; f < cases[c].count; f++)
            assert_true(fabs(omega[f] / exact[f] - 1 - cases[c].error[f]) <= cases[c].within[f]);
    }
    test_context_end(ctx);
}

/* the tip of the whole cantilever as its boundary: u = L^3/3 F + L^2/2 M, rotation L^2/2 F + L M, exact in cubic elements */
static void static_answers__are_exact(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static double K[ALL * ALL], M[ALL * ALL], motion[2 * ALL], shape[2 * ALL], force[ALL];
    double k[2][2];
    sparse s;
    for (int e = 0; e < 2 * HALF; e++)
        add_element(0.5 / HALF, 2 * e, ALL, K, M);
    make(ctx, ALL, K, M, &s);
    s.held[0] = s.held[1] = s.held[ALL - 2] = s.held[ALL - 1] = 1;
    motion[ALL - 2] = motion[ALL + ALL - 1] = 1;
    bl_component component = {"beam", NULL, &s.pattern, s.K, s.M, s.held, 2, 0, NULL, motion};
    assert_int_equal(bl_component_shapes(ctx, &component, shape, NULL), BL_OK);
    for (int a = 0; a < 2; a++) {
        multiply(&s, s.K, shape + a * ALL, force);
        for (int b = 0; b < 2; b++)
            k[a][b] = dot(ALL, shape + b * ALL, force);
    }
    double det = k[0][0] * k[1][1] - k[0][1] * k[1][0];
    assert_true(fabs(k[1][1] / det - 1.0 / 3) < 1e-8 && fabs(k[0][0] / det - 1) < 1e-8 && fabs(-k[0][1] / det - 0.5) < 1e-8);
    end(ctx, &s);
    test_context_end(ctx);
}

/* ---- a membrane of n x n masses 1 between springs 1, held all around */

static void grid(bl_context *ctx, int n, sparse *s) {
    int side = n + 2, all = side * side, count = 0;
    bl_index *row = calloc((size_t)(5 * all), sizeof *row), *col = calloc((size_t)(5 * all), sizeof *col);
    bl_index *slot = calloc((size_t)(5 * all), sizeof *slot);
    double *value = calloc((size_t)(5 * all), sizeof *value);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            static const int step[5][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
            for (int k = 0; k < 5; k++) {
                int i = x + step[k][0], j = y + step[k][1];
                if (i < 0 || j < 0 || i >= side || j >= side)
                    continue;
                row[count] = j * side + i;
                col[count] = y * side + x;
                value[count++] = k ? -1 : 4;
            }
        }
    assert_int_equal(bl_pattern_build(ctx, all, all, count, row, col, &s->pattern, slot), BL_OK);
    s->K = calloc((size_t)count, sizeof *s->K);
    s->M = calloc((size_t)count, sizeof *s->M);
    s->held = calloc((size_t)all, 1);
    for (int k = 0; k < count; k++) {
        s->K[slot[k]] = value[k];
        s->M[slot[k]] = row[k] == col[k];
    }
    for (int i = 0; i < all; i++)
        s->held[i] = i % side == 0 || i % side == side - 1 || i / side == 0 || i / side == side - 1;
    free(row);
    free(col);
    free(slot);
    free(value);
}

static int ascending(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void check_membrane(bl_context *ctx, int n, int modes) {
    int all = (n + 2) * (n + 2);
    double *exact = calloc((size_t)(n * n), sizeof *exact), *shape = calloc((size_t)((modes + 1) * all), sizeof *shape), value[32];
    double *motion = calloc((size_t)all, sizeof *motion), *force = calloc((size_t)all, sizeof *force);
    sparse s;
    grid(ctx, n, &s);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            exact[a * n + b] = 4 - 2 * cos(PI * (a + 1) / (n + 1)) - 2 * cos(PI * (b + 1) / (n + 1));
    qsort(exact, (size_t)(n * n), sizeof *exact, ascending);
    for (int i = 0; i < all; i++) /* a plane: inside it is in equilibrium, and stays a plane */
        motion[i] = s.held[i] ? 1 + 0.5 * (i % (n + 2)) - 0.25 * (i / (n + 2)) : 0;
    bool split = false;
    bl_component component = {"membrane", NULL, &s.pattern, s.K, s.M, s.held, 1, modes, &split, motion};
    assert_int_equal(bl_component_shapes(ctx, &component, shape, value), BL_OK);
    assert_true(split == (modes < n * n && exact[modes] - exact[modes - 1] < 1e-9));
    for (int i = 0; i < all; i++)
        assert_true(fabs(shape[i] - (1 + 0.5 * (i % (n + 2)) - 0.25 * (i / (n + 2)))) < 1e-9 * n);
    for (int k = 0; k < modes; k++) {
        const double *x = shape + (k + 1) * all;
        assert_true(fabs(value[k] / exact[k] - 1) < 1e-9);
        multiply(&s, s.K, x, force);
        for (int i = 0; i < all; i++)
            assert_true(s.held[i] ? x[i] == 0 : fabs(force[i] - value[k] * x[i]) < 1e-8);
        for (int l = 0; l <= k; l++)
            assert_true(fabs(dot(all, x, shape + (l + 1) * all) - (k == l)) < 1e-8);
    }
    end(ctx, &s);
    free(exact);
    free(shape);
    free(motion);
    free(force);
}

static void membranes__have_their_modes(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    check_membrane(ctx, 12, 9);
    check_membrane(ctx, 45, 2); /* ends within a pair */
    check_membrane(ctx, 45, 12);
    test_context_end(ctx);
}

/* ---- what is refused */

static void what_cannot_be_reduced__is_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    const double K[9] = {1, -1, 0, -1, 1, 0, 0, 0, 2}, M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, none[9] = {0}, motion[3] = {1, 1, 1};
    double shape[12], value[3];
    sparse s, massless;
    make(ctx, 3, K, M, &s);
    bl_component component = {"thing", NULL, &s.pattern, s.K, s.M, s.held, 0, 1, NULL, motion};
    assert_int_equal(bl_component_shapes(ctx, &component, shape, value), BL_E_MODEL); /* nothing is held */
    assert_non_null(strstr(bl_context_error(ctx)->what, "can move"));
    bl_context_clear_error(ctx);
    s.held[0] = 1;
    component.nmode = 3;
    assert_int_equal(bl_component_shapes(ctx, &component, shape, value), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "cannot have 3 modes"));
    bl_context_clear_error(ctx);
    component.nmode = 2;
    component.nmotion = 1;
    assert_int_equal(bl_component_shapes(ctx, &component, shape, value), BL_OK);
    assert_true(fabs(shape[0] - 1) < 1e-15 && fabs(shape[1] - 1) < 1e-15 && shape[2] == 0);
    assert_true(fabs(value[0] - 1) < 1e-14 && fabs(value[1] - 2) < 1e-14);
    make(ctx, 3, K, none, &massless);
    massless.held[0] = 1;
    component = (bl_component){"thing", NULL, &massless.pattern, massless.K, massless.M, massless.held, 1, 1, NULL, motion};
    assert_int_equal(bl_component_shapes(ctx, &component, shape, value), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "no mass"));
    end(ctx, &s);
    end(ctx, &massless);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever__has_the_known_errors),
        cmocka_unit_test(static_answers__are_exact),
        cmocka_unit_test(membranes__have_their_modes),
        cmocka_unit_test(what_cannot_be_reduced__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* End values of spring_chain and flyball in long double, by extrapolation of the modified midpoint rule (Gragg 1965, Bulirsch and Stoer
 * 1966) with two step sizes; uses nothing of biela. Not part of the build:
 *     gcc -O2 -o reference reference.c -lm && ./reference */
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef long double real;
typedef void (*right_side)(real t, const real *y, real *f);
enum { MOST = 40, COLUMNS = 9, BEADS = 10 };

static void chain(real t, const real *y, real *f) {
    const real m = 0.1L, length = 0.1L, k = 1e7L, g = 9.81L;
    real s = sinl(4 * t), x = 0.05L * s * s * s, h = 0, fx = 0, fy = 0;
    const real *v = y + 2 * BEADS;
    real *a = f + 2 * BEADS;
    memcpy(f, v, 2 * BEADS * sizeof *f);
    for (int i = 0; i < BEADS; i++) {
        real dx = y[2 * i] - x, dy = y[2 * i + 1] - h, l = sqrtl(dx * dx + dy * dy), pull = k / m * (l - length) / l;
        if (i)
            a[2 * i - 2] = pull * dx - fx, a[2 * i - 1] = pull * dy - fy - g;
        fx = pull * dx, fy = pull * dy, x = y[2 * i], h = y[2 * i + 1];
    }
    a[2 * BEADS - 2] = -fx, a[2 * BEADS - 1] = -fy - g;
}

/* From Lagrange's equations in (s, alpha, phi), phi' eliminated last: derived independently of flyball.c. */
static real governor_inertia(real alpha) {
    real c = cosl(alpha), s = sinl(alpha), I = 0.3L * (2e-4L) / 12 + 3 * (0.02L) / 12;
    real arm = 0.3L * 2e-4L / 12 * s * s + 0.3L * 1.0001L / 12 * c * c + 0.3L * (0.05L + c / 2) * (0.05L + c / 2);
    return I + 2 * (arm + 5 * (0.05L + c) * (0.05L + c));
}

static void governor(real t, const real *y, real *f) {
    (void)t;
    const real pi = 3.141592653589793238462643383279502884L;
    real s = y[0], al = y[1], c = cosl(al), si = sinl(al);
    real w = governor_inertia(pi / 6) * 2 * pi / governor_inertia(al);
    real dI = 2 * (2 * (0.3L * 2e-4L / 12 - 0.3L * 1.0001L / 12) * si * c - 0.3L * (0.05L + c / 2) * si - 10 * (0.05L + c) * si);
    real mx = c / 2, mz = 1 - si / 2 - s, l = sqrtl(mx * mx + mz * mz);
    real vx = -si / 2 * y[3], vz = -c / 2 * y[3] - y[2], lr = (mx * vx + mz * vz) / l, F = 8e5L * (l - 0.5L) + 4e4L * lr;
    real Fx = -F * mx / l, Fz = -F * mz / l; /* on the middle of an arm */
    f[0] = y[2], f[1] = y[3];
    f[2] = -9.81L - 2 * Fz / 3;
    f[3] = (dI * w * w / 2 + 10.3L * 9.81L * c + 2 * (Fx * (-si / 2) + Fz * (-c / 2))) / (2 * (0.3L * 1.0001L / 12 + 0.3L / 4 + 5));
}

static void extrapolate(right_side f, int n, real t_end, int steps, real *y) {
    real table[COLUMNS][MOST], a[MOST], b[MOST], rate[MOST];
    for (int step = 0; step < steps; step++) {
        real t = t_end * step / steps, H = t_end / steps;
        for (int j = 0; j < COLUMNS; j++) {
            int parts = 2 * (j + 1);
            real h = H / parts;
            f(t, y, rate);
            for (int i = 0; i < n; i++)
                a[i] = y[i], b[i] = y[i] + h * rate[i];
            for (int p = 1; p < parts; p++) {
                f(t + p * h, b, rate);
                for (int i = 0; i < n; i++) {
                    real next = a[i] + 2 * h * rate[i];
                    a[i] = b[i], b[i] = next;
                }
            }
            memcpy(table[j], b, sizeof b);
            for (int k = j - 1; k >= 0; k--) {
                real ratio = (real)(j + 1) / (k + 1);
                for (int i = 0; i < n; i++)
                    table[k][i] = table[k + 1][i] + (table[k + 1][i] - table[k][i]) / (ratio * ratio - 1);
            }
        }
        memcpy(y, table[0], (size_t)n * sizeof *y);
    }
}

static void show(const char *name, right_side f, int n, const real *y0, real t_end, int steps) {
    real coarse[MOST], fine[MOST], worst = 0;
    memcpy(coarse, y0, sizeof coarse);
    memcpy(fine, y0, sizeof fine);
    extrapolate(f, n, t_end, steps, coarse);
    extrapolate(f, n, t_end, steps * 3 / 2, fine);
    for (int i = 0; i < n; i++)
        worst = fmaxl(worst, fabsl(coarse[i] - fine[i]) / fmaxl(0.05L, fabsl(fine[i])));
    printf("%s: the two step sizes differ by %.1Le\n", name, worst);
    for (int i = 0; i < n; i++)
        printf("%.17Lg,%s", fine[i], i % 4 == 3 ? "\n" : " ");
}

int main(void) {
    real y[MOST] = {0};
    real at = 0;
    for (int i = 0; i < BEADS; i++) {
        at -= 0.1L + (BEADS - i) * 0.1L * 9.81L / 1e7L;
        y[2 * i + 1] = at;
    }
    show("spring_chain", chain, 4 * BEADS, y, 2, 20000);
    real s[MOST] = {0.5L, 3.141592653589793238462643383279502884L / 6};
    show("flyball", governor, 4, s, 10, 200000);
    return 0;
}

/* Coefficients of multistep formulas, as ratios of integers.
 *
 * BDF: sum_{m=1..k} (1/m) nabla^m y_{n+k} = h f_{n+k} (Curtiss and Hirschfelder 1952; Gear 1971). NDF: BDF - kappa_k gamma_k
 * nabla^{k+1} y_{n+k} (Klopfenstein 1971; Shampine and Reichelt 1997, table 1). Correctors with a point ahead: the only formula of order
 * k + 1 with f_{n+k} and f_{n+k+1} and leading coefficient 1 (Cash 1980; modified, Cash 1983). */
#include "integrate/method_coefficients.h"

typedef struct backward {
    long over;
    long a[BL_BDF_STEPS + 1];
} backward;

static const backward bdf[BL_BDF_STEPS + 1] = {
    {1, {0}},
    {1, {-1, 1}},
    {2, {1, -4, 3}},
    {6, {-2, 9, -18, 11}},
    {12, {3, -16, 36, -48, 25}},
    {60, {-12, 75, -200, 300, -300, 137}},
    {60, {10, -72, 225, -400, 450, -360, 147}},
    {420, {-60, 490, -1764, 3675, -4900, 4410, -2940, 1089}},
    {840, {105, -960, 3920, -9408, 14700, -15680, 11760, -6720, 2283}},
};

typedef struct corrector {
    long over;
    long a[BL_BDF_STEPS + 1];
    long b, b_ahead; /* of f_{n+k} and f_{n+k+1} */
} corrector;

static const corrector ahead[BL_BDF_STEPS + 1] = {
    {1, {0}, 0, 0},
    {2, {-2, 2}, 3, -1},
    {23, {5, -28, 23}, 22, -4},
    {197, {-17, 99, -279, 197}, 150, -18},
    {2501, {111, -728, 2124, -4008, 2501}, 1644, -144},
    {14919, {-394, 2925, -9600, 18700, -26550, 14919}, 8820, -600},
    {39981, {690, -5756, 21375, -46800, 68450, -77940, 39981}, 21780, -1200},
    {626709, {-7545, 70070, -292334, 723975, -1189475, 1393070, -1324470, 626709}, 319620, -14700},
    {12403947, {109305, -1120080, 5201840, -14471072, 26886300, -35354480, 34531280, -28187040, 12403947}, 5988360, -235200},
};

static long double ratio(long above, long below) { return (long double)above / (long double)below; }

long double bl_formula_gamma(int k) { return ratio(bdf[k].a[k], bdf[k].over); }

long double bl_formula_kappa(int k) {
    switch (k) {
    case 1: return ratio(-37, 200);
    case 2: return ratio(-1, 9);
    case 3: return ratio(-823, 10000);
    case 4: return ratio(-415, 10000);
    default: return 0;
    }
}

/* p[0..k+1] on y_{n-1}, y_n, ..., y_{n+k}; p[0] = 0 for BDF */
static void predictor(int k, bool ndf, long double *p) {
    p[0] = 0;
    for (int j = 0; j <= k; j++)
        p[j + 1] = ratio(bdf[k].a[j], bdf[k].over);
    if (!ndf)
        return;
    /* nabla^{k+1} y_{n+k} = sum_i (-1)^(k+1-i) binomial(k+1, i) y_{n-1+i} */
    long double correction = bl_formula_kappa(k) * bl_formula_gamma(k), binomial = 1;
    for (int i = k + 1; i >= 0; i--) {
        p[i] -= (k + 1 - i) % 2 ? -correction * binomial : correction * binomial;
        binomial = binomial * i / (k + 2 - i);
    }
}

void bl_formula_bdf(int k, bl_formula *formula) {
    *formula = (bl_formula){.shape = BL_FORMULA_MULTISTEP, .order = k, .k = k};
    for (int j = 0; j <= k; j++)
        formula->a[j] = ratio(bdf[k].a[j], bdf[k].over);
    formula->b[k] = 1;
}

void bl_formula_ndf(int k, bl_formula *formula) {
    *formula = (bl_formula){.shape = BL_FORMULA_MULTISTEP, .order = k, .k = k + 1};
    predictor(k, true, formula->a);
    formula->b[k + 1] = 1;
}

void bl_formula_extended(int k, bool ndf1, bool ndf2, bool modified, bl_formula *formula) {
    const corrector *row = &ahead[k];
    *formula = (bl_formula){.shape = BL_FORMULA_EXTENDED, .order = k + 1, .k = k};
    predictor(k, ndf1, formula->p1);
    predictor(k, ndf2, formula->p2);
    for (int j = 0; j <= k; j++)
        formula->a[j] = ratio(row->a[j], row->over);
    formula->g = ratio(row->b, row->over);
    formula->g_ahead = ratio(row->b_ahead, row->over);
    if (modified) {
        /* the leading f gets BDF's weight, so that the iteration matrix is that of the predictors; the rest goes to the first predictor */
        formula->g_first = formula->g - 1 / bl_formula_gamma(k);
        formula->g = 1 / bl_formula_gamma(k);
    }
}

long double bl_formula_condition(const bl_formula *formula, int q) {
    int k = formula->k;
    long double b[BL_FORMULA_STEPS + 2] = {0}, sum = 0, factorial = 1;
    if (formula->shape == BL_FORMULA_EXTENDED) {
        b[k] = formula->g + formula->g_first;
        b[k + 1] = formula->g_ahead;
    } else {
        for (int j = 0; j <= k; j++)
            b[j] = formula->b[j];
    }
    for (int i = 2; i <= q; i++)
        factorial *= i;
    /* q! C_q = sum j^(q-1) (j a_j - q b_j) */
    for (int j = 0; j <= k + 1; j++) {
        long double power = 1, a = j <= k ? formula->a[j] : 0;
        for (int i = 1; i < q; i++)
            power *= j;
        sum += q == 0 ? a : power * (j * a - q * b[j]);
    }
    return sum / factorial;
}

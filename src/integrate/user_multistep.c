/* multistep: any formula sum a_j y_{n+j} = h sum b_j f_{n+j}, j = 0..k, with coefficients given by the user, oldest first. Consistency (C_0
 * = C_1 = 0; Dahlquist 1956) is required; a formula that is not zero-stable is accepted with a warning. b_k = 0 is explicit. */
#include "dense/dense.h"
#include "integrate/integrate_limits.h"
#include "integrate/multistep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bl_param params[] = {
    {.name = "a", .type = BL_P_TEXT, .flags = BL_REQUIRED, .help = "a_0 .. a_k, numbers or fractions separated by ;: 1/2;-2;3/2"},
    {.name = "b", .type = BL_P_TEXT, .flags = BL_REQUIRED, .help = "b_0 .. b_k likewise: 0;0;1"},
    BL_START_PARAM("trapezoidal|richardson|exact"),
    BL_MULTISTEP_PARAMS,
    {0},
};

/* "1/2;-2;3/2" into number[]; *count of them */
static bl_status read_row(bl_context *ctx, const char *name, const char *text, long double *number, int *count) {
    *count = 0;
    for (const char *at = text;; at++) {
        char *end;
        long double value = strtold(at, &end);
        if (end != at && *end == '/') {
            at = end + 1;
            value /= strtold(at, &end);
        }
        if (end == at || (*end && *end != ';') || !isfinite(value)) {
            bl_fail(ctx, BL_E_ARG, NULL, "multistep: %s must be a list of numbers, found '%s'", name, text);
            bl_advise(ctx, "write numbers or fractions separated by ; with the oldest first, as in %s=1/2;-2;3/2", name);
            return BL_E_ARG;
        }
        if (*count > BL_FORMULA_STEPS)
            return bl_fail(ctx, BL_E_ARG, NULL, "multistep: %s has more than %d numbers", name, BL_FORMULA_STEPS + 1);
        number[(*count)++] = value;
        at = end;
        if (!*at)
            return BL_OK;
    }
}

static bl_status multistep_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    *formula = (bl_formula){.shape = BL_FORMULA_MULTISTEP};
    int na, nb;
    BL_TRY(read_row(ctx, "a", value[0].text, formula->a, &na));
    BL_TRY(read_row(ctx, "b", value[1].text, formula->b, &nb));
    if (na != nb || na < 2) {
        bl_fail(ctx, BL_E_ARG, NULL, "multistep: a has %d and b has %d numbers, both must have the same number, at least 2", na, nb);
        bl_advise(ctx, "a formula of k steps has k + 1 of each; include zeros");
        return BL_E_ARG;
    }
    int k = formula->k = na - 1;
    if (formula->a[k] == 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "multistep: the last number of a, the coefficient of the new value, must not be 0");
    if (formula->b[k] / formula->a[k] < 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "multistep: the last numbers of a and b, %Lg and %Lg, must have the same sign", formula->a[k],
                       formula->b[k]);
    if (formula->a[0] == 0 && formula->b[0] == 0 && k > 1) {
        bl_fail(ctx, BL_E_ARG, NULL, "multistep: the first numbers of a and b are both 0");
        bl_advise(ctx, "remove them: the formula has fewer steps");
        return BL_E_ARG;
    }
    long double size = 0, sigma = 0, rise = 0;
    for (int j = 0; j <= k; j++) {
        size += fabsl(formula->a[j]);
        sigma += formula->b[j];
        rise += j * formula->a[j];
    }
    long double c0 = bl_formula_condition(formula, 0), c1 = bl_formula_condition(formula, 1);
    if (fabsl(c0) > integrate_consistent * size || fabsl(c1) > integrate_consistent * size) {
        bl_fail(ctx, BL_E_ARG, NULL,
                "multistep: the formula is not consistent: sum a_j = %Lg should be 0, sum j a_j = %Lg should be sum b_j = %Lg", c0, rise,
                sigma);
        bl_advise(ctx, "write fractions instead of rounded decimals");
        return BL_E_ARG;
    }
    if (fabsl(sigma) <= integrate_consistent * size)
        return bl_fail(ctx, BL_E_ARG, NULL, "multistep: sum b_j must not be 0: the formula would ignore the equations");
    formula->order = 1;
    while (formula->order < 2 * k && fabsl(bl_formula_condition(formula, formula->order + 1)) <= integrate_consistent * size)
        formula->order++;
    return BL_OK;
}

/* Largest root of sum a_j r^j, and whether one on the unit circle is double: eigenvalues of the companion matrix. */
static bl_status find_roots(bl_context *ctx, const bl_formula *formula, double *largest, bool *twice) {
    bl_index k = formula->k;
    double matrix[BL_FORMULA_STEPS * BL_FORMULA_STEPS] = {0}, re[BL_FORMULA_STEPS], im[BL_FORMULA_STEPS], work[8 * BL_FORMULA_STEPS];
    for (int j = 0; j < k; j++) {
        matrix[(k - 1) * k + j] = (double)(-formula->a[j] / formula->a[k]);
        if (j + 1 < k)
            matrix[j * k + j + 1] = 1;
    }
    /* by columns it is the transposed matrix, with the same eigenvalues */
    if (!bl_dense_eigenvalues(k, matrix, re, im, work, sizeof work / sizeof *work))
        return bl_fail(ctx, BL_E_NUMERIC, NULL, "multistep: the roots of the formula could not be computed");
    for (int i = 0; i < k; i++) {
        double radius = hypot(re[i], im[i]);
        *largest = fmax(*largest, radius);
        for (int j = 0; j < i && radius > 1 - integrate_double_root; j++)
            *twice = *twice || hypot(re[i] - re[j], im[i] - im[j]) < integrate_double_root;
    }
    return BL_OK;
}

static bl_status multistep_create(bl_integrator *integ) {
    bl_formula formula;
    BL_TRY(multistep_formula(integ->kind, integ->ctx, integ->value, &formula));
    if (formula.b[formula.k] == 0 && !(integ->form->kind->kind.gives & BL_CAN_RATE)) {
        bl_fail(integ->ctx, BL_E_ABILITY, NULL,
                "multistep: an explicit formula (the last number of b is 0) needs the rate y' = f(t, y), the "
                "formulation %s provides stages only",
                integ->form->kind->kind.name);
        bl_advise(integ->ctx, "use an implicit formula, with a last number of b other than 0");
        return BL_E_ABILITY;
    }
    double largest = 0;
    bool twice = false;
    BL_TRY(find_roots(integ->ctx, &formula, &largest, &twice));
    if (largest > 1 + integrate_unstable || twice)
        bl_warn(integ->ctx, NAN, NULL, "multistep: the formula is not zero-stable (%s): errors grow at every step size",
                twice ? "a double root on the unit circle" : "a root outside the unit circle");
    bl_log(integ->ctx, BL_LOG_INFO, "multistep: %d steps, order %d, error constant %.6Lg", formula.k, formula.order,
           bl_formula_condition(&formula, formula.order + 1));
    return bl_multistep_create(integ);
}

const bl_integrator_kind bl_integrator_multistep = {
    .kind = {.name = "multistep",
             .help = "a user-defined linear multistep formula, constant step",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE},
    .order = 1,
    .dense_order = 0,
    .create = multistep_create,
    BL_MULTISTEP_STEPPING,
    .formula = multistep_formula,
};

/* The alpha method of Wood, Bossak and Zienkiewicz (1981): the generalised-alpha engine with af = 0, am = alpha <= 0; gamma = 1/2 - alpha,
 * beta = (1 - alpha)^2 / 4. Spectral radius for large steps (1 + alpha) / (1 - alpha). */
#include "integrate/genalpha.h"

static const bl_param params[] = {
    {.name = "alpha", .type = BL_P_NUMBER, .fallback = -0.1, .help = "dissipation, 0 (none) to -1 (asymptotic annihilation)"},
    {.name = "gamma", .type = BL_P_NUMBER, .help = "default 1/2 - alpha: order 2"},
    {.name = "beta", .type = BL_P_NUMBER, .help = "default (1 - alpha)^2 / 4"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { ALPHA, GAMMA, BETA, SHARED };

static bl_status numbers(bl_context *ctx, const bl_value *value, bl_genalpha_numbers *n) {
    double alpha = value[ALPHA].number;
    BL_TRY(bl_second_range(ctx, "wbz", "alpha", alpha, -1, 0, alpha > 0 ? "alpha is negative here: write -0.1" : NULL));
    n->am = alpha;
    n->af = 0;
    n->gamma = value[GAMMA].given ? value[GAMMA].number : 0.5 - alpha;
    n->beta = value[BETA].given ? value[BETA].number : 0.25 * (1 - alpha) * (1 - alpha);
    return bl_genalpha_check(ctx, "wbz", n);
}

static bl_status wbz_create(bl_integrator *integ) {
    bl_genalpha_numbers n;
    BL_TRY(numbers(integ->ctx, integ->value, &n));
    return bl_genalpha_create(integ, &n, integ->value + SHARED);
}

static bl_status wbz_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    bl_genalpha_numbers n;
    BL_TRY(numbers(ctx, value, &n));
    bl_genalpha_formula(&n, formula);
    return BL_OK;
}

const bl_integrator_kind bl_integrator_wbz = {
    .kind = {.name = "wbz",
             .help = "alpha method of Wood, Bossak and Zienkiewicz, order 2, damps high frequencies",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_ON_GROUPS},
    .create = wbz_create,
    .formula = wbz_formula,
    BL_GENALPHA_SLOTS,
};

/* Stability of an equilibrium by the eigenvalues of the reduced tangent (docs/theory/equilibrium.md, section 3), and its softest motions:
 * with masses, H x = omega^2 M x on the motions left free, whose shapes do not depend on coordinates. */
#include "study/equilibrium.h"
#include "study/motion_words.h"
#include "study/start_words.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VARIABLES = 4 };                  /* that say where it stands */
static const double WITHOUT_STIFFNESS = 1e-9; /* omega^2 relative to the largest: motions named as neutral, left out of the softest */

/* motion number k of the spectrum, its largest scaled entry 1, in x */
static void motion_of(const bl_statics *s, const double *vector, bl_index k, double *x) {
    bl_index f = s->kkt->f;
    bl_kkt_motion(s->kkt, vector + (size_t)k * (size_t)f, x);
    double most = bl_statics_largest(s, x);
    for (bl_index j = 0; j < s->n && most > 0; j++)
        x[j] /= most;
}

/* those along which it is unstable; else those along which it is neutral, told apart */
static bl_status name_motions(bl_statics *s) {
    bl_index n = s->n, from = s->unstable > 0 ? 0 : s->first_neutral, count = s->unstable > 0 ? s->unstable : s->neutral;
    double *x;
    size_t used = 0, size = sizeof s->found.motions;
    s->found.motions[0] = '\0';
    if (count == 0)
        return BL_OK;
    BL_TRY(BL_NEW(s->ctx, x, (size_t)n * (size_t)count));
    bl_status status = BL_OK;
    for (bl_index k = 0; k < count; k++)
        motion_of(s, s->vector, from + k, x + (size_t)k * (size_t)n);
    if (s->unstable <= 0)
        status = bl_motions_apart(s->model, s->sys, &s->eval, &s->state, count, x, s->found.motions, size);
    for (bl_index k = 0; s->unstable > 0 && status == BL_OK && k < count && used < size; k++) {
        char one[128];
        status = bl_motion_of_bodies(s->model, s->sys, &s->eval, &s->state, x + (size_t)k * (size_t)n, one, sizeof one);
        used += (size_t)snprintf(s->found.motions + used, size - used, "%s%s", used ? "; " : "", one);
    }
    bl_free(s->ctx, x);
    return status;
}

bl_status bl_statics_judge(bl_statics *s) {
    s->unstable = -1;
    s->neutral = 0;
    s->sign = 0;
    s->symmetric = true;
    s->found.softest = NAN;
    s->found.motions[0] = '\0';
    if (!s->kkt->dense) {
        if (!s->factored)
            return BL_OK;
        s->unstable = bl_kkt_negative(s->kkt); /* solvers count in symmetric matrices alone */
        s->sign = bl_kkt_sign(s->kkt);
        return BL_OK;
    }
    BL_TRY(bl_statics_spectrum(s, &s->symmetric));
    bl_index f = s->kkt->f;
    if (!s->symmetric || f == 0) {
        s->unstable = f == 0 ? 0 : -1;
        return BL_OK;
    }
    double largest = fmax(fabs(s->value[0]), fabs(s->value[f - 1]));
    s->unstable = 0;
    s->first_neutral = f;
    for (bl_index k = 0; k < f; k++) {
        s->unstable += s->value[k] < -BL_STATICS_NEGATIVE * largest;
        if (fabs(s->value[k]) > BL_STATICS_NEUTRAL * largest)
            continue;
        s->first_neutral = s->neutral++ ? s->first_neutral : k;
    }
    s->sign = s->unstable % 2 ? -1 : 1;
    s->critical = s->value[s->watched < f ? s->watched : f - 1];
    s->found.softest = largest > 0 ? s->value[0] / largest : 0;
    return s->locating ? BL_OK : name_motions(s);
}

/* ---- singular positions */

/* "A.angle = 1.57, B.angle = 0": where it stands */
static bl_status name_position(bl_statics *s, char *text, size_t size) {
    size_t used = 0;
    bl_eval_at(&s->eval, &s->kept);
    BL_TRY(bl_system_eval(s->sys, &s->eval, BL_VARIABLES));
    for (bl_index i = 0; i < s->model->nvariable && i < MOST_VARIABLES && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s = %.6g", i ? ", " : "", s->model->variable[i].name, s->eval.variable[i]);
    return BL_OK;
}

bl_status bl_statics_refuse_singular(bl_statics *s) {
    bl_singular_place found;
    char position[256] = "";
    if (!s->model || s->model->nbody < 2 || s->np == 0)
        return BL_OK;
    BL_TRY(bl_singular_words(s->sys, s->model, &s->kept, "the position of the equilibrium", &found));
    if (!found.is)
        return BL_OK;
    BL_TRY(name_position(s, position, sizeof position));
    bl_fail(s->ctx, BL_E_NUMERIC, NULL, "%.300s (%s)", found.text, position);
    bl_advise(s->ctx, "stiffness, stability and reactions mean nothing where constraints lose rank: change a length a little, add a spring "
                      "that keeps it away from there, or hold a variable (--hold)");
    bl_blame(s->ctx, found.part[0] ? found.part : NULL, NULL, bl_statics_shown(s, bl_statics_load(s, &s->kept)));
    return BL_E_NUMERIC;
}

/* ---- the softest motions */

static bl_status describe(bl_statics *s, const double *vector, double eigenvalue, bl_index k, bl_soft_motion *soft) {
    bl_motion_unit unit;
    double stiffness = 0;
    motion_of(s, vector, k, s->x);
    *soft = (bl_soft_motion){.eigenvalue = eigenvalue};
    BL_TRY(bl_motion_of_bodies(s->model, s->sys, &s->eval, &s->state, s->x, soft->motion, sizeof soft->motion));
    BL_TRY(bl_motion_measure(s->model, s->sys, &s->eval, &s->state, s->x, &unit));
    memset(s->y, 0, (size_t)s->n * sizeof *s->y);
    bl_csc_multiply(&s->sys->pat_K, s->H, s->x, s->y);
    for (bl_index j = 0; j < s->n; j++)
        stiffness += s->x[j] * s->y[j];
    soft->is_angle = unit.is_angle;
    soft->stiffness = stiffness / (unit.rate * unit.rate);
    return BL_OK;
}

bl_status bl_statics_softest(bl_statics *s, bl_index *count, bl_soft_motion soft[BL_MOST_SOFT]) {
    bl_index f = s->kkt->f;
    *count = 0;
    if (!s->kkt->dense || f == 0 || s->sys->nv == 0 || !s->symmetric)
        return BL_OK;
    size_t m = (size_t)f;
    double *A;
    BL_TRY(bl_statics_look(s));
    bool symmetric;
    BL_TRY(bl_statics_spectrum(s, &symmetric)); /* H at the state; without masses this has to do */
    BL_TRY(BL_NEW(s->ctx, A, 2 * m * m + m));
    double *B = A + m * m, *w = B + m * m;
    bl_status status = bl_system_eval(s->sys, &s->eval, BL_M);
    bool masses = status == BL_OK && s->sys->nz == 0;
    if (masses) {
        bl_kkt_reduce(s->kkt, NULL, s->H, A);
        bl_kkt_reduce(s->kkt, &s->sys->pat_M, s->eval.M, B);
        for (size_t i = 0; i < m; i++)
            for (size_t k = 0; k < i; k++) {
                A[i * m + k] = A[k * m + i] = (A[i * m + k] + A[k * m + i]) / 2;
                B[i * m + k] = B[k * m + i] = (B[i * m + k] + B[k * m + i]) / 2;
            }
        masses = bl_dense_eigen_pair(f, A, B, w, s->work, bl_dense_eigen_work(f), s->iwork);
    }
    const double *value = masses ? w : s->value;
    double largest = fmax(fabs(value[0]), fabs(value[f - 1]));
    for (bl_index k = 0; status == BL_OK && k < f && *count < BL_MOST_SOFT; k++)
        if (s->neutral == 0 || fabs(value[k]) > WITHOUT_STIFFNESS * largest)
            status = describe(s, masses ? A : s->vector, masses ? w[k] : NAN, k, &soft[(*count)++]);
    bl_free(s->ctx, A);
    return status;
}

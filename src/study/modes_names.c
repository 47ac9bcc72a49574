/* Names of rigid and massless motions: the simplest members that span their space. */
#include "study/linear_limits.h"
#include "study/modes_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Removes from x its components along the unit vectors basis[count][n]; returns the remaining length in scaled columns. */
static double remove_components(const bl_kkt *kkt, const double *basis, bl_index count, double *x) {
    double length = 0;
    for (int twice = 0; twice < 2; twice++)
        for (bl_index k = 0; k < count; k++) {
            const double *b = basis + (size_t)k * (size_t)kkt->n;
            double along = 0;
            for (bl_index j = 0; j < kkt->n; j++)
                along += b[j] * x[j] / (kkt->scale[j] * kkt->scale[j]);
            for (bl_index j = 0; j < kkt->n; j++)
                x[j] -= along * b[j];
        }
    for (bl_index j = 0; j < kkt->n; j++)
        length += x[j] / kkt->scale[j] * (x[j] / kkt->scale[j]);
    return sqrt(length);
}

void bl_modes_times(bl_index n, double by, double *x) {
    for (bl_index j = 0; j < n; j++)
        x[j] *= by;
}

/* orthonormalizes the motions; *count of them remain */
static void make_basis(const bl_kkt *kkt, double *basis, bl_index *count) {
    bl_index kept = 0;
    for (bl_index k = 0; k < *count; k++) {
        double *x = basis + (size_t)k * (size_t)kkt->n, *to = basis + (size_t)kept * (size_t)kkt->n;
        double before = remove_components(kkt, NULL, 0, x);
        bl_modes_times(kkt->n, before > 0 ? 1 / before : 0, x);
        double left = remove_components(kkt, basis, kept, x);
        if (!(left > study_names_independent))
            continue;
        memmove(to, x, (size_t)kkt->n * sizeof *x);
        bl_modes_times(kkt->n, 1 / left, to);
        kept++;
    }
    *count = kept;
}

bool bl_modes_translation(const bl_system *sys, int direction, double *x) {
    bool some = false;
    for (bl_index j = 0; j < sys->nv + sys->nz; j++) {
        bool point = sys->col && sys->col[j].what == BL_COL_POINT;
        x[j] = point && sys->col[j].part == direction;
        some = some || x[j] != 0;
    }
    return some;
}

bl_status bl_modes_name(const bl_modes_problem *p, const double *motion, bl_index count, char *text, size_t size) {
    const bl_kkt *kkt = p->kkt;
    size_t n = (size_t)p->n, used = 0;
    double *basis, *x;
    text[0] = '\0';
    if (count == 0)
        return BL_OK;
    BL_TRY(BL_NEW(p->ctx, basis, n * ((size_t)count + 4)));
    x = basis + n * (size_t)(count + 3);
    double *easy = basis, *rest = basis + 3 * n; /* translations come first */
    bl_index neasy = 0;
    memcpy(rest, motion, n * (size_t)count * sizeof *rest);
    make_basis(kkt, rest, &count);
    for (int k = 0; k < 3 && used < size; k++) {
        if (!bl_modes_translation(p->sys, k, x))
            continue;
        double length = remove_components(kkt, NULL, 0, x);
        bl_modes_times(p->n, 1 / length, x);
        memcpy(easy + (size_t)neasy * n, x, n * sizeof *x);
        if (remove_components(kkt, rest, count, x) > study_names_translation)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%stranslation along %c", used ? "; " : "", "xyz"[k]);
        neasy++;
    }
    bl_index left = 0;
    for (bl_index k = 0; k < count; k++) { /* what is left besides translations */
        double *one = rest + (size_t)k * n, *to = rest + (size_t)left * n;
        remove_components(kkt, easy, neasy, one);
        double length = remove_components(kkt, rest, left, one);
        if (!(length > study_names_rest))
            continue;
        memmove(to, one, n * sizeof *one);
        bl_modes_times(p->n, 1 / length, to);
        left++;
    }
    bl_kkt_separate(kkt, left, rest);
    for (bl_index k = 0; k < left && used < size; k++) {
        char words[128];
        bl_motion_words(p->sys, rest + (size_t)k * n, words, sizeof words);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "", words);
    }
    bl_free(p->ctx, basis);
    return BL_OK;
}

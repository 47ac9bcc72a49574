/* Steps of embedded explicit Runge-Kutta pairs with local extrapolation, first same as last:
 *
 *     k_s = f(t + c_s h, y + h sum_{j<s} a_sj k_j),   y_new = y + h sum_j a_Sj k_j,   e = h sum_s E_s k_s
 *
 * Step control in the manner of Shampine and Reichelt (1997): error per step in the maximum norm relative to max(|y|, weight). Dense
 * output: the cubic of values and rates of both ends and one more term (Hairer, Norsett and Wanner, Solving ODEs I, II.6). */
#include "integrate/explicit_rk.h"

#include <math.h>
#include <string.h>

typedef struct rk {
    const bl_rk_table *table;
    bl_index ny;
    double *block, *k[BL_FORMULA_STAGES], *stage, *y_old;
    bl_terms row[BL_FORMULA_STAGES], error, last, apart; /* apart: the last two stages, at one time */
    double h;                                            /* of the last attempt */
    bool end_is_start;                                   /* the last rate of the accepted step is the first of the next */
    bool error_failed;                                   /* this step was already rejected for its error */
} rk;

bl_status bl_rk_create(bl_integrator *integ, const bl_rk_table *table) {
    rk *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    own->table = table;
    int stages = table->stages, width = stages - 1;
    for (int s = 1; s < stages; s++)
        bl_terms_of(table->A + s * width, s, &own->row[s]);
    bl_terms_of(table->E, stages, &own->error);
    if (table->D)
        bl_terms_of(table->D, stages, &own->last);
    long double apart[BL_FORMULA_STAGES];
    for (int j = 0; j < width; j++)
        apart[j] = table->A[(stages - 1) * width + j] - table->A[(stages - 2) * width + j];
    bl_terms_of(apart, width, &own->apart);
    return BL_OK;
}

bl_status bl_rk_start(bl_integrator *integ) {
    rk *own = integ->own;
    bl_index ny = integ->ny;
    int stages = own->table->stages;
    if (!own->block || own->ny != ny) {
        double *block = bl_resize(integ->ctx, own->block, (size_t)ny * (size_t)(stages + 2), sizeof *block);
        if (!block)
            return BL_E_MEMORY;
        own->block = block;
        own->ny = ny;
        for (int s = 0; s < stages; s++, block += ny)
            own->k[s] = block;
        own->stage = block;
        own->y_old = block + ny;
    }
    own->end_is_start = false;
    own->error_failed = false;
    BL_TRY(integ->form->kind->rate(integ->form, integ->t, integ->y, own->k[0]));
    bl_step_begin(integ, own->k[0], own->table->exponent);
    return BL_OK;
}

bl_status bl_rk_attempt(bl_integrator *integ, double h, double *error) {
    rk *own = integ->own;
    bl_formulation *form = integ->form;
    bl_index ny = integ->ny;
    int end = own->table->stages - 1;
    double *const *k = own->k;
    if (own->end_is_start)
        memcpy(k[0], k[end], (size_t)ny * sizeof(double));
    own->end_is_start = false;
    own->h = h;
    integ->t_new = integ->t + h;
    for (int s = 1; s <= end; s++) {
        double *to = s == end ? integ->y_new : own->stage;
        bl_terms_sum(&own->row[s], ny, k, integ->y, h, to);
        double c = (double)own->table->c[s], t = c == 1 ? integ->t_new : integ->t + c * h;
        BL_TRY(s == end ? form->kind->rate(form, t, to, k[s]) : bl_stage_rate(integ, t, to, k[s]));
    }
    bl_terms_sum(&own->error, ny, k, NULL, h, own->stage);
    *error = h * bl_error_norm(integ, own->stage, integ->y_new) / integ->control.tolerance;
    return BL_OK;
}

bl_status bl_rk_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    rk *own = integ->own;
    return bl_step_control_pair(integ, accepted, error, failures, status, own->table->exponent, &own->error_failed, h);
}

void bl_rk_accept(bl_integrator *integ) {
    rk *own = integ->own;
    size_t bytes = (size_t)integ->ny * sizeof(double);
    memcpy(own->y_old, integ->y, bytes);
    memcpy(integ->y, integ->y_new, bytes);
    integ->t = integ->t_new;
    own->end_is_start = true;
}

bl_status bl_rk_dense(const bl_integrator *integ, double t, double *y) {
    const rk *own = integ->own;
    const double *first = own->k[0], *end = own->k[own->table->stages - 1], *y_old = own->y_old, *y_new = integ->y_new;
    double h = own->h, s = (t - integ->t_old) / h, r = 1 - s;
    if (own->table->D)
        bl_terms_sum(&own->last, integ->ny, own->k, NULL, h, y);
    else
        memset(y, 0, (size_t)integ->ny * sizeof *y);
    for (bl_index i = 0; i < integ->ny; i++) {
        double change = y_new[i] - y_old[i], bend = h * first[i] - change;
        y[i] = y_old[i] + s * (change + r * (bend + s * (change - h * end[i] - bend + r * h * y[i])));
    }
    return BL_OK;
}

bool bl_rk_fast(const bl_integrator *integ, double *w, double *Jw, bool *known, double limit[2]) {
    const rk *own = integ->own;
    const bl_rk_table *table = own->table;
    int end = table->stages - 1;
    if (!own->end_is_start)
        return false;
    bl_terms_sum(table->apart ? &own->apart : &own->error, integ->ny, own->k, NULL, 1, w);
    for (bl_index i = 0; i < integ->ny && table->apart; i++) {
        w[i] *= own->h;
        Jw[i] = own->k[end][i] - own->k[end - 1][i];
    }
    *known = table->apart;
    limit[0] = fmax(table->held[0], table->seen * pow(integ->control.tolerance, table->exponent));
    limit[1] = fmax(table->held[1], limit[0]);
    return true;
}

void bl_rk_formula(const bl_rk_table *table, bl_formula *formula) {
    int width = table->stages - 1;
    bl_formula_runge_kutta(table->order, width, table->A, width, table->A + width * width, formula);
}

void bl_rk_destroy(bl_integrator *integ) {
    rk *own = integ->own;
    if (!own)
        return;
    bl_free(integ->ctx, own->block);
    bl_free(integ->ctx, own);
    integ->own = NULL;
}

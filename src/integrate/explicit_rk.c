/* Steps of explicit Runge-Kutta methods from their tables, with local extrapolation where the step is controlled: step control in the
 * manner of Shampine and Reichelt (1997). Dense output in the form of Hairer, Norsett and Wanner (Solving ODEs I, 2nd edition 1993,
 * II.6). */
#include "integrate/explicit_rk.h"

#include <math.h>
#include <string.h>

typedef struct rk {
    const bl_rk_table *table;
    double *k[BL_FORMULA_STAGES], *stage, *y_old;
    double *bend[BL_RK_BENDS]; /* of the dense output over the last accepted step, when bent */
    bl_terms row[BL_FORMULA_STAGES], error[BL_RK_ERRORS], dense[BL_RK_BENDS];
    bl_terms apart; /* difference of the last stage and the end, where they are at the same time */
    double c[BL_FORMULA_STAGES];
    int errors;
    bool end_in_error; /* the estimate uses the rate at the end of the step */
    double h;          /* of the last attempt */
    bool bent;
    bool by_steps;     /* the dense output: an extra stage was refused */
    bool overwritten;  /* stages are no longer those of the step */
    bool end_is_start; /* the last rate of the accepted step is the first of the next */
    bool error_failed; /* this step was already rejected for its error */
} rk;

static const long double *row_of(const bl_rk_table *table, int s) { return table->A + s * (table->stages + table->extra); }

static void read_errors(rk *own) {
    const bl_rk_table *table = own->table;
    const long double *weight = row_of(table, table->stages);
    int n = table->stages + 1;
    for (int i = 0; i < BL_RK_ERRORS && table->error[i].order > 0; i++) {
        const bl_rk_error *e = &table->error[i];
        long double difference[BL_FORMULA_STAGES];
        for (int j = 0; j < n; j++)
            difference[j] = e->difference ? e->difference[j] : (j < n - 1 ? weight[j] : 0) - e->other[j];
        bl_terms_of(difference, n, &own->error[i]);
        own->end_in_error = own->end_in_error || difference[n - 1] != 0;
        own->errors = i + 1;
    }
}

bl_status bl_rk_create(bl_integrator *integ) {
    rk *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    const bl_rk_table *table = own->table = integ->kind->rk;
    int end = table->stages, all = end + 1 + table->extra;
    for (int s = 1; s < all; s++) {
        const long double *row = row_of(table, s);
        long double c = 0;
        for (int j = 0; j < s; j++)
            c += row[j];
        own->c[s] = (double)c;
        bl_terms_of(row, s, &own->row[s]);
    }
    read_errors(own);
    for (int i = 0; i < table->bends; i++)
        bl_terms_of(table->D + i * all, all, &own->dense[i]);
    long double apart[BL_FORMULA_STAGES];
    for (int j = 0; j < end; j++)
        apart[j] = row_of(table, end)[j] - row_of(table, end - 1)[j];
    bl_terms_of(apart, end, &own->apart);
    return BL_OK;
}

bl_status bl_rk_start(bl_integrator *integ) {
    rk *own = integ->own;
    const bl_rk_table *table = own->table;
    bl_index ny = integ->ny;
    bl_array room[BL_FORMULA_STAGES + BL_RK_BENDS + 2] = {BL_ARRAY(own->stage, ny), BL_ARRAY(own->y_old, ny)};
    size_t n = 2;
    for (int s = 0; s < table->stages + 1 + table->extra; s++)
        room[n++] = BL_ARRAY(own->k[s], ny);
    for (int i = 0; i < BL_RK_BENDS && table->extra > 0; i++)
        room[n++] = BL_ARRAY(own->bend[i], ny);
    BL_TRY(bl_integrator_arrays(integ, room, n));
    if (table->extra == 0) /* not in use between steps */
        own->bend[0] = own->stage;
    own->end_is_start = own->error_failed = false;
    BL_TRY(integ->form->kind->rate(integ->form, integ->t, integ->y, own->k[0]));
    if (own->errors == 0)
        integ->h_next = integ->control.step;
    else
        bl_step_begin(integ, own->k[0], 1.0 / integ->kind->order);
    return BL_OK;
}

/* ---- one step */

/* The stages before the end of a step h from (t, y), k[0] known, and its result y_new; t_new = t + h. Where the step is controlled they may
 * violate the constraints by a small share of the tolerance. */
static bl_status stages(const bl_integrator *integ, rk *own, double t, double h, double t_new, const double *y, double *y_new) {
    bl_formulation *form = integ->form;
    for (int s = 1; s < own->table->stages; s++) {
        double at = own->c[s] == 1 ? t_new : t + own->c[s] * h;
        bl_terms_sum(&own->row[s], integ->ny, own->k, y, h, own->stage);
        BL_TRY(own->errors > 0 ? bl_stage_rate(integ, at, own->stage, own->k[s]) : form->kind->rate(form, at, own->stage, own->k[s]));
    }
    bl_terms_sum(&own->row[own->table->stages], integ->ny, own->k, y, h, y_new);
    return BL_OK;
}

/* With two estimates, of orders 5 and 3 of a method of order 8: O(h^8), and e_0 where the lower order is no worse. */
static double estimate(const bl_integrator *integ, rk *own, double h) {
    double norm[BL_RK_ERRORS] = {0};
    for (int i = 0; i < own->errors; i++) {
        bl_terms_sum(&own->error[i], integ->ny, own->k, NULL, h, own->stage);
        norm[i] = bl_error_norm(integ, own->stage, integ->y_new);
    }
    double error = h * norm[0];
    if (own->errors > 1) {
        double both = sqrt(norm[0] * norm[0] + 0.01 * norm[1] * norm[1]);
        error = both == 0 ? 0 : error * (norm[0] / both);
    }
    return error / integ->control.tolerance;
}

bl_status bl_rk_attempt(bl_integrator *integ, double h, double *error) {
    rk *own = integ->own;
    bl_formulation *form = integ->form;
    double **k = own->k, **end = &k[own->table->stages];
    if (own->end_is_start) {
        double *first = *end;
        *end = k[0];
        k[0] = first;
    }
    own->end_is_start = false;
    own->h = h;
    integ->t_new = integ->t + h;
    BL_TRY(stages(integ, own, integ->t, h, integ->t_new, integ->y, integ->y_new));
    if (own->end_in_error)
        BL_TRY(form->kind->rate(form, integ->t_new, integ->y_new, *end));
    *error = own->errors > 0 ? estimate(integ, own, h) : 0;
    if (own->end_in_error || !(*error <= 1))
        return BL_OK; /* the end of a rejected step is not evaluated */
    BL_TRY(form->kind->rate(form, integ->t_new, integ->y_new, *end));
    return bl_all_finite(integ->ny, *end) ? BL_OK : BL_NOT_FINITE;
}

bl_status bl_rk_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    rk *own = integ->own;
    if (own->errors > 0)
        return bl_step_control_pair(integ, accepted, error, failures, status, 1.0 / integ->kind->order, &own->error_failed, h);
    return bl_step_control_fixed(integ, accepted, failures, status, h);
}

void bl_rk_accept(bl_integrator *integ) {
    rk *own = integ->own;
    bl_integrator_advance(integ, own->y_old);
    own->end_is_start = true;
    own->bent = own->overwritten = false;
}

/* ---- dense output */

/* Instead of extra stages: one step to about the middle, and the polynomial of degree 5 through values and rates of three points. With u =
 * s^2 r^2 and the cubic p of both ends it is p + u (a + b s). */
static bl_status bend_by_middle(const bl_integrator *integ, rk *own) {
    static const double middle[] = {0.5, 0.45, 0.55, 0.4, 0.6};
    const double *k0 = own->k[0], *k1 = own->k[own->table->stages], *y0 = own->y_old, *y1 = integ->y_new;
    double h = own->h, *value = own->bend[2], *rate = own->bend[3];
    bl_status status = BL_SINGULAR;
    for (int i = 0; i < 5 && status > 0; i++) {
        double s = middle[i], r = 1 - s, t = integ->t_old + s * h, u = s * s * r * r, du = 2 * s * r * (r - s);
        status = stages(integ, own, integ->t_old, s * h, t, y0, value);
        if (status == BL_OK)
            status = integ->form->kind->rate(integ->form, t, value, rate);
        for (bl_index j = 0; status == BL_OK && j < integ->ny; j++) {
            double change = y1[j] - y0[j], first = h * k0[j] - change, second = change - h * k1[j] - first;
            double off = value[j] - (y0[j] + s * (change + r * (first + s * second)));
            double slope = h * rate[j] - (change + (r - s) * first + s * (2 * r - s) * second);
            double b = (slope - du * off / u) / u, a = off / u - b * s;
            own->bend[0][j] = a / h;
            own->bend[1][j] = b / h;
        }
    }
    size_t bytes = (size_t)integ->ny * sizeof(double);
    for (int i = status == BL_OK ? 2 : 0; i < BL_RK_BENDS; i++)
        memset(own->bend[i], 0, bytes);
    return status < 0 ? status : BL_OK;
}

/* The extra stages. Where one is refused (a singular configuration inside the step), every point is found by a separate step from the
 * beginning; where that is refused too, by the polynomial through the middle, and when the middle is refused itself, by values and rates of
 * both ends. */
static bl_status bend(const bl_integrator *integ, rk *own) {
    const bl_rk_table *table = own->table;
    bl_status status = BL_OK;
    own->by_steps = false;
    for (int s = table->stages + 1; s <= table->stages + table->extra && status == BL_OK; s++) {
        bl_terms_sum(&own->row[s], integ->ny, own->k, own->y_old, own->h, own->stage);
        status = integ->form->kind->rate(integ->form, integ->t_old + own->c[s] * own->h, own->stage, own->k[s]);
    }
    if (status > 0) {
        own->by_steps = own->overwritten = true;
        status = bend_by_middle(integ, own);
    } else {
        for (int i = 0; i < table->bends; i++)
            bl_terms_sum(&own->dense[i], integ->ny, own->k, NULL, own->h, own->bend[i]);
    }
    own->bent = status == BL_OK;
    return status;
}

bl_status bl_rk_dense(const bl_integrator *integ, double t, double *y) {
    rk *own = integ->own;
    int bends = own->table->bends;
    const double *k0 = own->k[0], *k1 = own->k[own->table->stages], *y0 = own->y_old, *y1 = integ->y_new;
    double h = own->h, s = (t - integ->t_old) / h, r = 1 - s;
    if (!own->bent)
        BL_TRY(bend(integ, own));
    if (own->by_steps && t > integ->t_old && t < integ->t_new) {
        bl_status status = stages(integ, own, integ->t_old, t - integ->t_old, t, y0, y);
        if (status <= 0)
            return status;
    }
    if (bends == 0) {
        bl_cubic(integ->ny, s, h, y0, k0, y1, k1, y);
        return BL_OK;
    }
    memcpy(y, own->bend[bends - 1], (size_t)integ->ny * sizeof *y);
    for (int j = bends - 2; j >= 0; j--) {
        const double *bend_j = own->bend[j], by = j % 2 ? r : s;
        for (bl_index i = 0; i < integ->ny; i++)
            y[i] = bend_j[i] + by * y[i];
    }
    for (bl_index i = 0; i < integ->ny; i++) {
        double change = y1[i] - y0[i], first = h * k0[i] - change, second = change - h * k1[i] - first;
        y[i] = y0[i] + s * (change + r * (first + s * (second + r * (h * y[i]))));
    }
    return BL_OK;
}

/* ---- for other modules */

bool bl_rk_fast(const bl_integrator *integ, double *w, double *Jw, bool *known, double limit[2]) {
    const rk *own = integ->own;
    const bl_rk_table *table = own->table;
    int end = table->stages;
    if (!own->end_is_start || own->overwritten)
        return false;
    *known = own->c[end - 1] == 1; /* two states at the same time: a product with the Jacobian at no cost */
    bl_terms_sum(*known ? &own->apart : &own->error[0], integ->ny, own->k, NULL, 1, w);
    for (bl_index i = 0; i < integ->ny && *known; i++) {
        w[i] *= own->h;
        Jw[i] = own->k[end][i] - own->k[end - 1][i];
    }
    limit[0] = fmax(table->held[0], table->seen * pow(integ->control.tolerance, 1.0 / integ->kind->order));
    limit[1] = fmax(table->held[1], limit[0]);
    return true;
}

bl_status bl_rk_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    const bl_rk_table *table = kind->rk;
    (void)ctx;
    (void)value;
    *formula = (bl_formula){.shape = BL_FORMULA_RUNGE_KUTTA, .order = kind->order, .stages = table->stages};
    for (int s = 0; s <= table->stages; s++)
        memcpy(s < table->stages ? formula->A[s] : formula->weight, row_of(table, s), (size_t)table->stages * sizeof(long double));
    return BL_OK;
}

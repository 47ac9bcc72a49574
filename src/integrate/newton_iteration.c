/* The iteration behind every implicit method. With del the update and |.| the maximum norm relative to the size of components, rate the
 * contraction observed so far (kept over stages), the iteration ends when |del| rate / (1 - rate) <= tolerance, and fails once the rate
 * shows that this cannot be reached within the remaining iterations (Shampine and Reichelt 1997). */
#include "integrate/newton_iteration.h"
#include "integrate/integrate_limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SMALLEST_RATE = 0.01;
static const double DOUBTED_RATE = 0.5; /* with multipliers, of the first two updates */
static const double UNSEEN_RATE = 0.1;  /* with multipliers, before a third update has shown it */

bl_status bl_newton_create(bl_newton *newton, bl_formulation *form, const bl_newton_options *options) {
    newton->ctx = form->ctx;
    newton->form = form;
    newton->options = *options;
    newton->vectors = BL_ISA_PICK(form->ctx, bl_vector_kernels);
    newton->rate = -1;
    return BL_OK;
}

bl_status bl_newton_start(bl_newton *newton) {
    bl_formulation *form = newton->form;
    form->jacobian = newton->options.jacobian;
    BL_TRY(form->kind->stage_setup(form));
    bl_index nx = form->nx;
    if (!newton->block || newton->nx != nx) /* pages that are never written cost nothing */
        BL_TRY(BL_NEW_ARRAYS(newton->ctx, newton->block, BL_ARRAY(newton->x, nx), BL_ARRAY(newton->r, nx), BL_ARRAY(newton->dx, nx),
                             BL_ARRAY(newton->x_try, nx), BL_ARRAY(newton->guess, nx), BL_ARRAY(newton->zero, nx)));
    newton->nx = nx;
    newton->ny = form->ny;
    newton->linear = form->linear && form->jacobian == BL_JACOBIAN_ANALYTIC && (form->sys->can & BL_CAN_TANGENT);
    newton->moving = form->stage_of == BL_STAGE_RATE ? form->nx : form->sys->nv + form->sys->nz + (form->x_velocity ? form->sys->nv : 0);
    memset(newton->x, 0, (size_t)newton->nx * sizeof *newton->x);
    newton->tangent_known = newton->tangent_fresh = false;
    newton->rate = -1;
    return BL_OK;
}

void bl_newton_destroy(bl_newton *newton) {
    if (newton->ctx)
        bl_free(newton->ctx, newton->block);
    newton->block = NULL;
}

void bl_newton_new_step(bl_newton *newton) {
    newton->tangent_fresh = false;
    newton->largest_update = 0;
}

void bl_newton_forget_rate(bl_newton *newton) { newton->rate = -1; }

void bl_newton_read(const bl_value *value, bl_newton_options *options) {
    options->jacobian = (bl_jacobian)value[0].number;
    options->full = value[1].number >= 1;
    options->line_search = value[1].number >= 2;
    options->most = (int)value[2].number;
    options->rescue = options->chosen = true;
}

/* |del|: the effect of an update on (q, v, z). Where velocities have no separate equations (index 3) they follow positions divided by the
 * step, and so does the rounding of positions: below that nothing can be judged. */
static double update_norm(const bl_newton *newton, const bl_stage *s, const double *size, const double *dx) {
    const bl_formulation *form = newton->form;
    double norm = 0;
    if (form->stage_of == BL_STAGE_RATE) {
        for (bl_index i = 0; i < form->nx; i++)
            if (size[i] > 0 && !(fabs(s->cz * dx[i]) <= norm * size[i]))
                norm = fabs(s->cz * dx[i]) / size[i];
        return norm;
    }
    bl_index nv = form->sys->nv, nz = form->sys->nz;
    bool own_digits = form->x_velocity > 0 || form->nlambda == 0;
    const double *w = dx + form->x_velocity, *size_v = size + nv, *size_z = size + 2 * nv;
    for (bl_index i = 0; i < nv; i++) {
        double d = fabs(s->cc * dx[i]), v = fabs(s->cvc * w[i]);
        if (size[i] > 0 && !(d <= norm * size[i]))
            norm = d / size[i];
        if (size_v[i] > 0 && !(v <= norm * size_v[i]) && (own_digits || !(fabs(s->cc * w[i]) <= 4 * DBL_EPSILON * size[i])))
            norm = v / size_v[i];
    }
    for (bl_index i = 0; i < nz; i++) {
        double z = fabs(dx[nv + i]);
        if (size_z[i] > 0 && !(z <= norm * size_z[i]))
            norm = z / size_z[i];
    }
    return norm;
}

static double residual_norm(const bl_newton *newton) {
    double sum = 0;
    for (bl_index i = 0; i < newton->nx; i++)
        sum += newton->r[i] * newton->r[i];
    return sqrt(sum);
}

static bl_status fail(bl_newton *newton, const bl_stage *stage, bl_status status) {
    bl_newton_failure *last = &newton->last;
    *last = (bl_newton_failure){.status = status, .t = stage->te, .row = -1};
    newton->rate = -1;
    if (status == BL_SINGULAR) { /* of a matrix: residuals contain no information about it, its solver may */
        const bl_formulation *form = newton->form;
        if (form->stage_of == BL_STAGE_MOTION && form->linsol && form->linsol->stats.ndependent > 0)
            last->row = form->linsol->stats.dependent[0];
        return status;
    }
    for (bl_index i = 0; i < newton->nx; i++)
        if (!(fabs(newton->r[i]) <= last->residual)) {
            last->row = i;
            last->residual = fabs(newton->r[i]);
            if (isnan(newton->r[i]))
                break;
        }
    return status;
}

static bl_status make_tangent(bl_newton *newton, const bl_stage *stage) {
    bl_formulation *form = newton->form;
    newton->tangent_known = false;
    BL_TRY(form->kind->tangent(form, stage, newton->x));
    newton->tangent_known = newton->tangent_fresh = true;
    return BL_OK;
}

/* r and dx at x */
static bl_status find_update(bl_newton *newton, const bl_stage *stage) {
    bl_formulation *form = newton->form;
    newton->iterations++;
    form->stats.newton_iterations++;
    BL_TRY(form->kind->residual(form, stage, newton->x, newton->r));
    memcpy(newton->dx, newton->r, (size_t)newton->nx * sizeof *newton->dx);
    return form->kind->solve(form, newton->dx);
}

/* x += dx, or a fraction of it that reduces the residual */
static bl_status move(bl_newton *newton, const bl_stage *stage) {
    bl_formulation *form = newton->form;
    bl_index nx = newton->nx;
    double before = newton->options.line_search ? residual_norm(newton) : 0, share = 1;
    if (newton->options.line_search) {
        for (int k = 0; k < integrate_halvings; k++, share *= 0.5) {
            for (bl_index i = 0; i < nx; i++)
                newton->x_try[i] = newton->x[i] + share * newton->dx[i];
            bl_status status = form->kind->residual(form, stage, newton->x_try, newton->r);
            if (status < 0)
                return status;
            double after = residual_norm(newton);
            if (status == BL_OK && (after <= (1 - 1e-4 * share) * before || after <= integrate_residual))
                break;
        }
    }
    for (bl_index i = 0; i < nx; i++)
        newton->x[i] += share * newton->dx[i];
    return BL_OK;
}

bl_status bl_newton_rounding(bl_newton *newton, const bl_stage *stage, double *dx) {
    bl_formulation *form = newton->form;
    if (!form->kind->rounding)
        return BL_NO_CONVERGENCE;
    BL_TRY(form->kind->rounding(form, stage, newton->x, dx));
    /* a random share with random sign, another at every call: for nearly dependent rows equal shares would cancel */
    for (bl_index i = 0; i < newton->nx; i++) {
        newton->draw = newton->draw * 1664525u + 1013904223u;
        dx[i] *= 2 * (newton->draw / 4294967296.0) - 1;
    }
    return form->kind->solve(form, dx);
}

/* whether an iteration without further progress has reached the limit of rounding */
static bool is_rounding(bl_newton *newton, const bl_stage *stage, const double *size, double norm) {
    if (!(norm <= integrate_rounding) || bl_newton_rounding(newton, stage, newton->x_try) != BL_OK)
        return false;
    return norm <= integrate_rounded * update_norm(newton, stage, size, newton->x_try);
}

/* The iteration with the present tangents. BL_AGAIN: too slow. With multipliers the first update is mostly the effect of their change along
 * old gradients, which the second reverses: contraction is judged from the third on. */
static bl_status run(bl_newton *newton, const bl_stage *stage, const double *size, double base, bool full, double *last) {
    const bl_newton_options *o = &newton->options;
    bl_formulation *form = newton->form;
    bool multipliers = newton->nx > newton->moving;
    double old = 0;
    for (int it = 1; it <= o->most; it++) {
        if (full && it > 1) {
            BL_TRY(make_tangent(newton, stage));
            BL_TRY(form->kind->matrix(form, stage));
        }
        BL_TRY(find_update(newton, stage));
        double norm = update_norm(newton, stage, size, newton->dx);
        if (!isfinite(norm))
            return BL_NOT_FINITE;
        *last = norm;
        newton->largest_update = fmax(newton->largest_update, norm);
        BL_TRY(move(newton, stage));
        bool stagnates = it > 1 && norm > 0.5 * old; /* at the rounding floor updates no longer shrink */
        if (norm <= (stagnates ? integrate_update_stagnates : integrate_update_rounding) * base)
            return BL_OK;
        if (o->by_update) {
            if (norm <= o->tolerance)
                return BL_OK;
        } else if (it == 1) {
            if (newton->rate >= 0) {
                /* a good rate observed long ago must not let every later iteration end at once */
                double rate = fmax(newton->rate, multipliers ? DOUBTED_RATE : SMALLEST_RATE);
                if (norm * rate / (1 - rate) <= o->early * o->tolerance)
                    return BL_OK;
            } else {
                newton->rate = 0;
            }
        } else if (it == 2 && multipliers && !o->full && it < o->most) {
            /* adaptive methods need little accuracy, and a remaining violation of constraints is an error that shorter steps do not
             * reduce */
            double least = o->adaptive ? DOUBTED_RATE : newton->rate > 0 ? newton->rate : UNSEEN_RATE;
            double rate = fmax(fmax(norm / old, newton->rate), least);
            if (rate <= 0.9 && norm * rate / (1 - rate) <= o->tolerance)
                return BL_OK;
        } else {
            bool quadratic = full && !o->line_search;
            if (norm > 0.9 * old && !o->line_search &&
                !o->full) /* full iterations requested by the user may diverge at first before they converge */
                return BL_AGAIN;
            newton->rate = quadratic ? fmin(norm / old, 0.9) : fmin(fmax(0.9 * newton->rate, norm / old), 0.99);
            double left = norm * newton->rate / (1 - newton->rate);
            if (left <= o->tolerance)
                return BL_OK;
            if (it == o->most || (!full && left * pow(newton->rate, o->most - it) > o->tolerance))
                return BL_AGAIN;
        }
        old = norm;
    }
    return BL_AGAIN;
}

static bl_status iterate(bl_newton *newton, const bl_stage *stage, const double *size, double base, bool full) {
    double last = INFINITY;
    bl_status status = run(newton, stage, size, base, full, &last);
    return status == BL_AGAIN && is_rounding(newton, stage, size, last) ? BL_OK : status;
}

/* one update is the solution */
static bl_status solve_linear(bl_newton *newton, const bl_stage *stage) {
    bl_formulation *form = newton->form;
    bl_stage guess = *stage;
    guess.at_guess = true;
    memset(newton->x, 0, newton->tangent_known ? 0 : (size_t)newton->nx * sizeof *newton->x);
    bl_status status = newton->tangent_known ? BL_OK : make_tangent(newton, stage);
    if (status == BL_OK)
        status = form->kind->matrix(form, stage);
    if (status == BL_OK)
        status = form->kind->residual(form, &guess, newton->zero, newton->x);
    newton->iterations++;
    form->stats.newton_iterations++;
    if (status == BL_OK)
        status = form->kind->solve(form, newton->x);
    if (status == BL_OK && !newton->vectors->finite(newton->nx, newton->x))
        status = BL_NOT_FINITE;
    if (status <= 0)
        return status;
    if (form->kind->residual(form, &guess, newton->zero, newton->r) != BL_OK) /* to name the row in a message */
        memcpy(newton->r, newton->zero, (size_t)newton->nx * sizeof *newton->r);
    return fail(newton, stage, status);
}

bl_status bl_newton_solve(bl_newton *newton, const bl_stage *stage, const double *size, double base) {
    bl_formulation *form = newton->form;
    if (newton->linear || stage->linear)
        return solve_linear(newton, stage);
    bl_index n = newton->moving;
    size_t moved = (size_t)n * sizeof(double), guessed = (size_t)(newton->nx - n) * sizeof(double);
    if (form->lambda_anew)
        memset(newton->x + n, 0, guessed);
    memcpy(newton->guess, newton->x + n, guessed);
    for (bool full = newton->options.full, rescuing = false;;) {
        if (newton->start)
            memcpy(newton->x, newton->start, moved);
        else
            memset(newton->x, 0, moved);
        bl_status status = BL_OK;
        bool refused = false; /* tangents at the guess: they would be refused again */
        if (!newton->tangent_known || full)
            refused = (status = make_tangent(newton, stage)) != BL_OK;
        if (status == BL_OK)
            status = form->kind->matrix(form, stage);
        if (status == BL_OK)
            status = iterate(newton, stage, size, base, full);
        if (rescuing)
            newton->rate = -1; /* it belongs to another iteration */
        if (status == BL_OK || status < 0)
            return status;
        bool worth_trying = (status == BL_AGAIN || status == BL_SINGULAR) && !refused;
        if (worth_trying && newton->tangent_fresh && newton->options.rescue && !full)
            full = rescuing = true;
        else if (!worth_trying || newton->tangent_fresh) {
            /* multipliers of a failed iteration are no guess for the next one */
            status = fail(newton, stage, status == BL_AGAIN ? BL_NO_CONVERGENCE : status);
            memcpy(newton->x + n, newton->guess, guessed);
            newton->tangent_known = newton->tangent_known && status == BL_NO_CONVERGENCE;
            return status;
        }
        newton->tangent_known = false;
        newton->rate = -1;
    }
}

void bl_newton_first_failure(bl_newton *newton) { newton->first = newton->last; }

bl_status bl_newton_explain(bl_newton *newton) {
    bl_formulation *form = newton->form;
    bl_context *ctx = newton->ctx;
    if (newton->last.status == BL_OK)
        return BL_OK;
    bool multipliers = newton->nx > newton->moving;
    if (newton->last.status == BL_SINGULAR && newton->first.status == BL_NO_CONVERGENCE && multipliers)
        newton->last = newton->first;
    const bl_newton_failure *last = &newton->last;
    /* the message of the module that computed the value is more specific */
    bl_error why = *bl_context_error(ctx);
    if (last->status == BL_NOT_FINITE && why.part[0] && (why.status == BL_NOT_FINITE || why.status == BL_E_NUMERIC)) {
        bl_fail(ctx, BL_E_NUMERIC, NULL, "%s", why.what);
        bl_advise(ctx, "%s", why.advice[0] ? why.advice : BL_ADVICE_NOT_FINITE);
        bl_blame(ctx, why.part, why.equation, why.time);
        return BL_E_NUMERIC;
    }
    char part[96] = "", equation[128] = "";
    if (last->row >= 0 && form->kind->equation)
        form->kind->equation(form, last->row, part, sizeof part, equation, sizeof equation);
    if (last->status == BL_SINGULAR)
        bl_fail(ctx, BL_E_NUMERIC, NULL, "the iteration matrix is singular at t = %.9g", last->t);
    else if (last->status == BL_NOT_FINITE)
        bl_fail(ctx, BL_E_NUMERIC, NULL, "a value in the iteration is not a finite number at t = %.9g", last->t);
    else
        bl_fail(ctx, BL_E_NUMERIC, NULL, "Newton's iteration did not converge at t = %.9g: the largest residual of an equation is %.3g",
                last->t, last->residual);
    const bl_newton_options *o = &newton->options;
    if (last->status == BL_SINGULAR)
        bl_advise(ctx, "%s",
                  !multipliers  ? "look for equations that determine no unknown, or a singular configuration"
                  : o->adaptive ? "look for a singular configuration; start beside it, or end the run before it with a stop expression"
                                : "a smaller step may help; otherwise look for a singular configuration");
    else if (last->status == BL_NOT_FINITE)
        bl_advise(ctx, "%s", BL_ADVICE_NOT_FINITE);
    else /* only options that are not in use yet; `rescue` has tried newton=full */
        bl_advise(ctx, "the equations may have no solution beyond this time; otherwise try %s%s%s",
                  o->adaptive ? "a larger tolerance" : "a smaller step", o->chosen && !o->full && !o->rescue ? ", newton=full" : "",
                  o->chosen && !o->line_search ? ", newton=line_search" : "");
    bl_blame(ctx, part, equation, last->t);
    return BL_E_NUMERIC;
}

/* Steps of variable size and order on backward differences: see backward.h. The rules of choice (1.2, 1.3, 1.4 for the present, lower
 * and higher order; nothing changes before order + 2 steps at one size; no change for less than a longer step) are those of ode15s. */
#include "integrate/backward.h"
#include "integrate/integrate_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_REJECTED = 3, FAILURES_BEFORE_RESTART = 4 };

static bl_backward *own_of(const bl_integrator *integ) { return integ->own; }

bl_status bl_backward_create(bl_integrator *integ, size_t own, int usual, int damping) {
    const bl_system *sys = integ->form->sys; /* NULL: plain differential equations */
    const bl_value *given = &integ->value[0];
    int most = integ->kind->order, highest = given->given ? (int)given->number : sys && (sys->facts & BL_ELASTIC) ? damping : usual;
    if (highest < 1 || highest > most) /* numbers beyond integers become negative */
        return bl_fail(integ->ctx, BL_E_ARG, NULL, "integrator %s: order must be from 1 to %d, found %d", integ->kind->kind.name, most,
                       highest);
    bl_backward *backward = integ->own = bl_alloc(integ->ctx, 1, own);
    if (!backward)
        return BL_E_MEMORY;
    backward->integ = integ;
    backward->highest = highest;
    backward->columns = highest + 2;
    return bl_implicit_create_adaptive(&backward->implicit, integ, integ->value + 1);
}

void bl_backward_destroy(bl_integrator *integ) { bl_implicit_destroy(&own_of(integ)->implicit); }

/* propagates NaN */
static double largest(double most, double value) { return value <= most ? most : value; }

double bl_backward_norm(const bl_backward *backward, const double *x) {
    double most = 0;
    for (bl_index i = 0; i < backward->ny; i++)
        most = largest(most, fabs(x[i]) * backward->inverse[i]);
    return most;
}

/* of the step just solved, relative to the tolerance */
static double step_error(bl_backward *backward) {
    double tolerance = backward->integ->control.tolerance;
    if (!backward->estimate)
        for (bl_index i = 0; i < backward->ny; i++)
            backward->psi[i] = backward->error_constant[backward->order] * backward->d[i];
    else
        backward->estimate(backward, backward->psi);
    return bl_backward_norm(backward, backward->psi) / tolerance;
}

/* The same where rounding prevents the tolerance: no component needs more digits than its equations have. A difference of degree m of
 * values with errors r has the error sqrt(binomial(2 m, m)) r. */
static double error_above_rounding(bl_backward *backward) {
    bl_integrator *integ = backward->integ;
    double tolerance = integ->control.tolerance, *noise = backward->rate, binomial = 1, most = 0, limit = 0;
    int m = backward->order + 1;
    if (bl_implicit_rounding(&backward->implicit, noise) != BL_OK)
        return INFINITY;
    for (int j = 1; j <= m; j++)
        binomial *= (double)(m + j) / j;
    double share = integrate_rounded * backward->error_constant[backward->order] * sqrt(binomial);
    for (bl_index i = 0; i < backward->ny; i++) {
        double rounded = share * noise[i] * backward->inverse[i], error = fabs(backward->psi[i]) * backward->inverse[i];
        most = largest(most, error / fmax(tolerance, rounded));
        limit = fmax(limit, rounded);
    }
    if (most <= 1 && !backward->warned) {
        backward->warned = true;
        bl_warn(integ->ctx, integ->t, NULL,
                "%s cannot meet the tolerance %.3g at this time: rounding limits the accuracy of a step to about %.1g",
                integ->kind->kind.name, tolerance, limit);
    }
    return most;
}

/* the error with another order: from the differences of degree order + 1 and order */
static double error_with(bl_backward *backward, int order, const double *above, const double *at) {
    double error = bl_backward_norm(backward, above) * backward->error_constant[order];
    if (backward->suppose)
        error = backward->suppose(backward, order, error, bl_backward_norm(backward, at));
    return error / backward->integ->control.tolerance;
}

static void weigh(bl_backward *backward, const double *other) {
    const double *y = backward->integ->y, *weight = backward->integ->form->weight;
    for (bl_index i = 0; i < backward->ny; i++)
        backward->inverse[i] = weight[i] > 0 ? 1 / fmax(fmax(fabs(y[i]), fabs(other[i])), weight[i]) : 0;
}

void bl_backward_guess(bl_backward *backward, const double *guess) {
    const bl_newton *newton = &backward->implicit.newton;
    bl_index count = backward->n - backward->ny;
    if (count > 0 && backward->multipliers_known)
        memcpy(newton->x + newton->form->x_lambda, guess, (size_t)count * sizeof *guess);
}

/* ---- start: order 1 and the step whose error y'' h^2 / 2 is within the tolerance */

/* y'' by a difference of rates along the solution; the step from y' alone where they cannot be evaluated there */
static bl_status first_step(bl_backward *backward, double *h) {
    bl_integrator *integ = backward->integ;
    double tolerance = integ->control.tolerance, longest = fmin(bl_step_largest(integ), integ->control.t_end - integ->t);
    double steepest = bl_backward_norm(backward, backward->rate), per_step = 1.25 * steepest / sqrt(tolerance);
    *h = longest * per_step > 1 ? 1 / per_step : longest;
    if (*h > 0) { /* also at rest: a force that begins at zero must not be stepped over */
        double ahead = steepest > 0 ? fmin(1e-6 / steepest, *h) : 1e-6 * *h, *y = backward->pred, *bend = backward->d;
        for (bl_index i = 0; i < backward->ny; i++)
            y[i] = integ->y[i] + ahead * backward->rate[i];
        bl_status status = bl_implicit_rate(&backward->implicit, integ->t + ahead, y, bend);
        if (status < 0)
            return status;
        if (status == BL_OK) {
            for (bl_index i = 0; i < backward->ny; i++)
                bend[i] = (bend[i] - backward->rate[i]) / ahead;
            double bent = bl_backward_norm(backward, bend);
            if (isfinite(bent)) {
                per_step = 1.25 * sqrt(0.5 * bent / tolerance);
                *h = longest * per_step > 1 ? 1 / per_step : longest;
            }
        }
    }
    *h = fmax(*h, bl_step_smallest(integ->t));
    return BL_OK;
}

static bl_status make_room(bl_backward *backward) {
    enum { OWN = 6 };
    bl_integrator *integ = backward->integ;
    bl_index ny = backward->ny = integ->ny, n = backward->n = ny + integ->form->nlambda;
    bl_array room[OWN + BL_BACKWARD_ORDER + 2 + BL_BACKWARD_EXTRA] = {BL_ARRAY(backward->pred, n),     BL_ARRAY(backward->d, n),
                                                                      BL_ARRAY(backward->psi, ny),     BL_ARRAY(backward->rate, ny),
                                                                      BL_ARRAY(backward->inverse, ny), BL_ARRAY(backward->lambda, n - ny)};
    size_t count = OWN;
    for (int j = 1; j <= backward->columns; j++)
        room[count++] = BL_ARRAY(backward->dif[j], n);
    for (int j = 0; j < backward->extras; j++)
        room[count++] = BL_ARRAY(backward->extra[j], ny);
    return bl_integrator_arrays(integ, room, count);
}

bl_status bl_backward_start(bl_integrator *integ) {
    bl_backward *backward = own_of(integ);
    BL_TRY(bl_implicit_start(&backward->implicit));
    BL_TRY(make_room(backward));
    BL_TRY(bl_implicit_rate(&backward->implicit, integ->t, integ->y, backward->rate));
    bl_newton *newton = &backward->implicit.newton;
    /* where constraints hold positions, the error left by the iteration appears in velocities divided by the step */
    newton->options.tolerance =
        (newton->nx > newton->moving ? fmin(integrate_held, backward->slack) : backward->slack) * integ->control.tolerance;
    weigh(backward, integ->y);
    double h = integ->control.step;
    if (integ->h_next > 0 || h == 0)
        BL_TRY(first_step(backward, &h));
    if (integ->h_next > 0) /* restarted at the lowest order: not with a longer step than it can take */
        h = fmin(h, integ->h_next);
    integ->h_next = fmin(h, bl_step_largest(integ));
    backward->h = integ->h_next;
    for (int j = 1; j <= backward->columns; j++)
        memset(backward->dif[j], 0, (size_t)backward->n * sizeof(double));
    memset(backward->lambda, 0, (size_t)(backward->n - backward->ny) * sizeof(double));
    for (bl_index i = 0; i < backward->ny; i++)
        backward->dif[1][i] = backward->h * backward->rate[i];
    backward->order = backward->order_dense = 1;
    backward->steady = backward->rejected_steps = 0;
    backward->error_failed = backward->order_changed = backward->multipliers_known = false;
    return BL_OK;
}

/* ---- differences */

/* The differences of degree 1..order of the same polynomial at another spacing: D R(h_new / h) R(1), where row i of R(r) holds the
 * coefficients of nabla^i at -j r and R(1) is its own inverse (Shampine and Reichelt, section 2.3). */
static void respace(bl_backward *backward, double h) {
    int order = backward->order;
    double ratio = h / backward->h, R[BL_BACKWARD_ORDER + 1][BL_BACKWARD_ORDER + 1], U[BL_BACKWARD_ORDER + 1][BL_BACKWARD_ORDER + 1];
    for (int j = 1; j <= order; j++) {
        R[0][j] = U[0][j] = 1;
        for (int i = 1; i <= order; i++) {
            R[i][j] = R[i - 1][j] * (i - 1 - j * ratio) / i;
            U[i][j] = U[i - 1][j] * (i - 1 - j) / i;
        }
    }
    for (int j = 1; j <= order; j++) {
        double column[BL_BACKWARD_ORDER + 1] = {0}, *to = backward->dif[j];
        for (int i = j; i <= order; i++)
            for (int m = 1; m <= j; m++)
                column[i] += R[i][m] * U[m][j];
        for (bl_index k = 0; k < backward->n; k++) {
            double sum = column[j] * to[k];
            for (int i = j + 1; i <= order; i++)
                sum += column[i] * backward->dif[i][k];
            to[k] = sum;
        }
    }
    backward->h = h;
}

static void predict(bl_backward *backward) {
    bl_index ny = backward->ny, n = backward->n;
    double *pred = backward->pred;
    memcpy(pred, backward->dif[1], (size_t)n * sizeof *pred);
    for (int j = 2; j <= backward->order; j++) {
        const double *dif = backward->dif[j];
        for (bl_index i = 0; i < n; i++)
            pred[i] += dif[i];
    }
    for (bl_index i = 0; i < ny; i++)
        pred[i] += backward->integ->y[i];
    for (bl_index i = ny; i < n; i++)
        pred[i] += backward->lambda[i - ny];
}

bl_status bl_backward_attempt(bl_integrator *integ, double h, double *error) {
    bl_backward *backward = own_of(integ);
    bl_newton *newton = &backward->implicit.newton;
    bl_index ny = backward->ny, n = backward->n;
    bl_implicit_begin(&backward->implicit, h);
    if (h != backward->h || backward->order_changed) {
        if (h != backward->h)
            respace(backward, h);
        backward->order_dense = backward->order;
        backward->order_changed = false;
        backward->steady = 0;
        bl_newton_forget_rate(newton);
    }
    integ->t_new = integ->t + h;
    predict(backward);
    weigh(backward, backward->pred);
    bl_status status = backward->solve(backward, h);
    bl_implicit_end(&backward->implicit, h, status);
    BL_TRY(status);
    for (bl_index i = 0; i < ny; i++)
        backward->d[i] = integ->y_new[i] - backward->pred[i];
    for (bl_index i = ny; i < n; i++)
        backward->d[i] = newton->x[newton->form->x_lambda + i - ny] - backward->pred[i];
    *error = step_error(backward);
    if (*error > 1 && *error * integ->control.tolerance < integrate_rounding)
        *error = fmin(*error, error_above_rounding(backward));
    return BL_OK;
}

void bl_backward_accept(bl_integrator *integ) {
    bl_backward *backward = own_of(integ);
    bl_index ny = backward->ny, n = backward->n;
    int order = backward->order;
    double *const *dif = backward->dif, *d = backward->d;
    bl_integrator_advance(integ, NULL);
    for (bl_index i = ny; i < n; i++) {
        backward->lambda[i - ny] = backward->pred[i] + d[i];
        if (!backward->multipliers_known)
            d[i] = 0; /* there was no earlier value */
    }
    backward->multipliers_known = true;
    for (bl_index i = 0; i < n; i++) {
        dif[order + 2][i] = d[i] - dif[order + 1][i];
        dif[order + 1][i] = d[i];
    }
    for (int j = order; j >= 1; j--)
        for (bl_index i = 0; i < n; i++)
            dif[j][i] += dif[j + 1][i];
    backward->order_dense = integ->order = order;
}

bl_status bl_backward_dense(const bl_integrator *integ, double t, double *y) {
    const bl_backward *backward = own_of(integ);
    int order = backward->order_dense;
    double s = (t - integ->t) / backward->h, basis = 1;
    for (bl_index i = 0; i < backward->ny; i++)
        y[i] = 0;
    for (int j = 1; j <= order; j++) {
        basis *= (s + j - 1) / j;
        for (bl_index i = 0; i < backward->ny; i++)
            y[i] += basis * backward->dif[j][i];
    }
    for (bl_index i = 0; i < backward->ny; i++)
        y[i] += integ->y[i];
    return BL_OK;
}

/* ---- choice of step and order */

/* growth of the step that an error of this order allows, at most 10 */
static double growth(double safety, double error, int order) {
    double shrink = safety * pow(error, 1.0 / (order + 1));
    return shrink > 0.1 ? 1 / shrink : 10;
}

static void choose(bl_backward *backward, double error, double *h) {
    int order = backward->order, best = order;
    double *const *dif = backward->dif, most = growth(1.2, error, order);
    if (order > 1) {
        double lower = growth(1.3, error_with(backward, order - 1, dif[order], dif[order - 1]), order - 1);
        if (lower > most) {
            most = lower;
            best = order - 1;
        }
    }
    if (order < backward->highest) {
        double higher = growth(1.4, error_with(backward, order + 1, dif[order + 2], dif[order + 1]), order + 1);
        if (higher > most) {
            most = higher;
            best = order + 1;
        }
    }
    if (most > 1) {
        *h *= most;
        backward->order_changed = best != order;
        backward->order = best;
    }
}

/* the first failure may lower the order; later ones halve the step */
static void lower_order(bl_backward *backward, double error, double *h) {
    int order = backward->order, best = order;
    double most = fmax(0.1, 0.833 * pow(error, -1.0 / (order + 1)));
    double *above = backward->psi, *at = backward->rate; /* new differences of degree lower + 1 and lower */
    /* successive failures: parasitic solutions, which only a lower order suppresses */
    int deepest = backward->rejected_steps >= MOST_REJECTED ? order : backward->deepest;
    bl_index ny = backward->ny;
    for (bl_index i = 0; i < ny; i++)
        at[i] = backward->d[i] + backward->dif[order][i];
    for (int lower = order - 1; lower >= 1 && lower >= order - deepest; lower--) {
        memcpy(above, at, (size_t)ny * sizeof *at);
        for (bl_index i = 0; i < ny; i++)
            at[i] += backward->dif[lower][i];
        double allowed = fmax(0.1, 0.769 * pow(error_with(backward, lower, above, at), -1.0 / (lower + 1)));
        if (allowed > most) {
            most = allowed;
            best = lower;
        }
    }
    if (best != order) {
        most = fmin(1, most);
        backward->order = best;
        backward->order_changed = true;
    }
    *h *= most;
}

/* The iteration may not be able to follow the past values (of constrained positions, after a jump of the step), or they may be only noise
 * at this spacing: back to order 1 with the rate of the equations at this time and a step it can take. */
static bl_status restart(bl_backward *backward, double *h) {
    bl_integrator *integ = backward->integ;
    bl_status status = bl_implicit_rate(&backward->implicit, integ->t, integ->y, backward->rate);
    if (status != BL_OK)
        return status < 0 ? status : BL_OK;
    double first = *h;
    weigh(backward, integ->y);
    BL_TRY(first_step(backward, &first));
    *h = fmin(*h, first);
    for (bl_index i = 0; i < backward->ny; i++)
        backward->dif[1][i] = backward->h * backward->rate[i];
    backward->order = 1;
    backward->order_changed = true;
    backward->rejected_steps = 0;
    return BL_OK;
}

bl_status bl_backward_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    bl_backward *backward = own_of(integ);
    double tried = *h;
    if (accepted) {
        backward->steady += backward->steady < backward->columns;
        if (backward->watch)
            backward->watch(backward);
        if (integ->h_unshortened > 0)
            *h = integ->h_unshortened; /* shortened for this step only */
        else if (backward->steady >= backward->order + 2 && !backward->order_changed)
            choose(backward, error, h);
        if (!backward->error_failed)
            backward->rejected_steps = 0;
        backward->error_failed = false;
    } else {
        BL_TRY(bl_implicit_refused(&backward->implicit, failures, &status, h));
        if (status == BL_REJECTED && !backward->error_failed) {
            *h = tried;
            lower_order(backward, error, h);
            backward->rejected_steps++;
        }
        backward->error_failed |= status == BL_REJECTED;
        if (status != BL_SINGULAR && (failures == FAILURES_BEFORE_RESTART || backward->rejected_steps > 3 * MOST_REJECTED))
            BL_TRY(restart(backward, h));
    }
    *h = bl_step_within(integ, *h);
    return BL_OK;
}

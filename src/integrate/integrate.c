/* Integrators by name, and the loop that repeats attempts until a step is accepted. */
#include "integrate/integrate.h"
#include "integrate/integrate_limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const bl_integrator_kind *const bl_integrator_kinds[] = {
#define BL_KIND(name) &bl_integrator_##name,
#include "integrate/integrator_list.h"
#undef BL_KIND
};
const size_t bl_integrator_kind_count = sizeof bl_integrator_kinds / sizeof bl_integrator_kinds[0];

enum { MOST_KINDS = 128 };

static const char *interface_words(uint32_t interfaces) {
    if (interfaces & BL_CAN_RATE)
        return "the rate y' = f(t, y)";
    if (interfaces & BL_CAN_STAGE)
        return "stages (residual and matrix)";
    if (interfaces & BL_CAN_COEFFICIENT)
        return "series coefficients";
    if (interfaces & BL_CAN_SHIFT)
        return "stages of a differential equation without constraints";
    if (interfaces & BL_FULL_STATE)
        return "positions and velocities as variables";
    return "nothing to integrate";
}

const bl_integrator_kind *bl_integrator_kind_of(const char *spec) {
    size_t length = strcspn(spec, ":");
    for (size_t i = 0; i < bl_integrator_kind_count; i++) {
        const char *name = bl_integrator_kinds[i]->kind.name;
        if (strlen(name) == length && strncmp(name, spec, length) == 0)
            return bl_integrator_kinds[i];
    }
    return NULL;
}

static void advise_formulations(bl_context *ctx, uint32_t interfaces) {
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < bl_formulation_kind_count && used < sizeof names; i++)
        if ((bl_formulation_kinds[i]->kind.gives & interfaces) == interfaces)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", bl_formulation_kinds[i]->kind.name);
    bl_advise(ctx, "formulations that provide it: %s", used ? names : "none");
}

static bl_status check_stage(bl_context *ctx, const bl_integrator_kind *kind, const bl_formulation *form) {
    bool explicit_method = kind->kind.needs & (BL_CAN_RATE | BL_CAN_COEFFICIENT);
    if ((explicit_method || form->stage_of == BL_STAGE_RATE) && form->algebraic > 0) {
        const bl_system *sys = form->sys;
        char name[96] = "";
        for (bl_index j = 0; j < sys->nv + sys->nz && !name[0]; j++)
            if (sys->col[j].order == 0)
                bl_system_col_name(sys, j, name, sizeof name);
        bl_fail(ctx, BL_E_ABILITY, NULL, "integrator %s %s, but no equation determines the rate of %d algebraic state%s%s%s",
                kind->kind.name, explicit_method ? "is explicit" : "treats constrained systems as y' = f(t, y)", (int)form->algebraic,
                form->algebraic > 1 ? "s" : "",
                !name[0]              ? ""
                : form->algebraic > 1 ? ": first "
                                      : ": ",
                name);
        bool flat = sys->facts & BL_FLAT;
        bl_advise(ctx, sys->np > 0 && flat ? "use ndf_auto, bdf:2 or another implicit method with ggl or index3"
                       : sys->np > 0       ? "use genalpha, hht or another implicit method in increments with ggl or index3"
                       : explicit_method   ? "use an implicit method: ndf_auto, radau, bdf:2, ..."
                                           : "use the formulation plain");
        return BL_E_ABILITY;
    }
    if ((kind->kind.needs & (BL_CAN_STAGE | BL_CAN_SHIFT)) && form->stage_of == BL_STAGE_MOTION && !(form->sys->facts & BL_FLAT) &&
        !(kind->kind.gives & BL_ON_GROUPS)) {
        bl_fail(ctx, BL_E_ABILITY, NULL,
                "integrator %s needs as many positions as velocities, but this system has %d positions and %d velocities", kind->kind.name,
                (int)form->sys->nq, (int)form->sys->nv);
        bl_advise(
            ctx,
            "use genalpha, hht, wbz or newmark, which work with increments; or formulation lagrange, which provides a rate for first-order "
            "methods; or the redundant view of the coordinates (view=redundant)");
        return BL_E_ABILITY;
    }
    if ((kind->kind.gives & BL_SECOND_ORDER) && form->stage_of != BL_STAGE_MOTION) {
        bl_fail(ctx, BL_E_ABILITY, NULL,
                "integrator %s needs the equations of motion themselves, formulation %s provides a rate y' = f(t, y)", kind->kind.name,
                form->kind->kind.name);
        bl_advise(ctx, form->sys->np > 0 ? "use formulation index3 or ggl" : "use formulation plain");
        return BL_E_ABILITY;
    }
    if ((kind->kind.gives & BL_AT_POSITIONS) && (form->sys->facts & BL_VELOCITY_ROWS)) {
        bl_fail(
            ctx, BL_E_ABILITY, NULL,
            "integrator %s satisfies constraints of positions only, but this system has some that restrict velocities (rolling, blades)",
            kind->kind.name);
        bl_advise(ctx,
                  "use genalpha, hht, bdf or another implicit method with this formulation, or a rate (partition, lagrange) with dop853");
        return BL_E_ABILITY;
    }
    /* multipliers of such a method alternate, and any disturbance grows: Cardona and Geradin 1989 */
    if ((kind->kind.gives & (BL_UNDAMPED | BL_SECOND_ORDER)) == BL_UNDAMPED && form->stage_of == BL_STAGE_MOTION && form->sys->np > 0 &&
        form->x_velocity == 0 && !form->kind->settle)
        bl_warn(ctx, NAN, NULL,
                "%s has no damping and is unstable with formulation %s: use ggl, or a method with damping (genalpha, hht, bdf)",
                kind->kind.name, form->kind->kind.name);
    return BL_OK;
}

/* the kind of a spec, which must find what it needs in the formulation */
static bl_status find_kind(bl_context *ctx, const char *spec, const bl_formulation *form, const bl_integrator_kind **kind,
                           const char **options) {
    const bl_kind *list[MOST_KINDS], *found = NULL;
    size_t count = bl_integrator_kind_count < MOST_KINDS ? bl_integrator_kind_count : MOST_KINDS;
    for (size_t i = 0; i < count; i++)
        list[i] = &bl_integrator_kinds[i]->kind;
    BL_TRY(bl_kind_find(ctx, "integrator", list, count, spec, &found, options));
    *kind = (const bl_integrator_kind *)(const void *)found; /* bl_kind is its first member */
    uint32_t interfaces = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_COEFFICIENT | BL_CAN_SHIFT | BL_FULL_STATE;
    uint32_t missing = found->needs & interfaces & ~form->kind->kind.gives;
    if (!missing)
        return BL_OK;
    bl_fail(ctx, BL_E_ABILITY, NULL, "integrator %s needs %s, formulation %s provides %s", found->name, interface_words(missing),
            form->kind->kind.name, interface_words(form->kind->kind.gives));
    advise_formulations(ctx, missing);
    return BL_E_ABILITY;
}

static bl_status make(bl_context *ctx, const bl_integrator_kind *kind, const char *options, bl_formulation *form,
                      const bl_step_control *control, bl_integrator **out) {
    if (!(control->tolerance > 0) && (kind->kind.gives & BL_ADAPTIVE))
        return bl_fail(ctx, BL_E_ARG, NULL, "integrator %s needs a tolerance above 0, found %g", kind->kind.name, control->tolerance);
    if (!(control->step > 0) && !(kind->kind.gives & BL_ADAPTIVE))
        return bl_fail(ctx, BL_E_ARG, NULL, "integrator %s needs a step above 0, found %g", kind->kind.name, control->step);
    bl_integrator *integ;
    BL_TRY(BL_NEW(ctx, integ, 1));
    integ->kind = kind;
    integ->ctx = ctx;
    integ->arena.ctx = ctx;
    integ->form = form;
    integ->control = *control;
    bl_status status = bl_kind_options(ctx, &integ->arena, &kind->kind, options, integ->value);
    if (status == BL_OK)
        status = kind->create(integ);
    if (status != BL_OK) {
        bl_integrator_destroy(integ);
        return status;
    }
    *out = integ;
    return BL_OK;
}

bl_status bl_integrator_create(bl_context *ctx, const char *spec, bl_formulation *form, const bl_step_control *control,
                               bl_integrator **out) {
    const bl_integrator_kind *kind = NULL;
    const char *options = NULL;
    *out = NULL;
    BL_TRY(find_kind(ctx, spec, form, &kind, &options));
    BL_TRY(check_stage(ctx, kind, form));
    return make(ctx, kind, options, form, control, out);
}

bl_status bl_integrator_check(bl_context *ctx, const char *spec, bl_formulation *form, const bl_step_control *control) {
    const bl_integrator_kind *kind = NULL;
    const char *options = NULL;
    bl_integrator *integ = NULL;
    BL_TRY(find_kind(ctx, spec, form, &kind, &options));
    if (form->stage_of == BL_STAGE_RATE) /* others are known after the set-up */
        BL_TRY(check_stage(ctx, kind, form));
    BL_TRY(make(ctx, kind, options, form, control, &integ));
    bl_integrator_destroy(integ);
    return BL_OK;
}

void bl_integrator_destroy(bl_integrator *integ) {
    if (!integ)
        return;
    if (integ->kind->destroy && integ->own)
        integ->kind->destroy(integ);
    bl_free(integ->ctx, integ->own);
    bl_free(integ->ctx, integ->block);
    bl_free(integ->ctx, integ->y_block);
    bl_arena_destroy(&integ->arena);
    bl_free(integ->ctx, integ);
}

bl_status bl_integrator_start(bl_integrator *integ, double t, const double *y) {
    bl_index ny = integ->form->ny;
    if (ny != integ->ny || !integ->y_block) {
        BL_TRY(BL_NEW_ARRAYS(integ->ctx, integ->y_block, BL_ARRAY(integ->y, ny), BL_ARRAY(integ->y_new, ny)));
        integ->ny = ny;
    }
    integ->t = integ->t_old = integ->t_new = t;
    integ->h_unshortened = 0;
    if (integ->control.h_max == 0)
        integ->control.h_max = 0.1 * (integ->control.t_end - t);
    memmove(integ->y, y, (size_t)ny * sizeof *y);
    return integ->kind->start(integ);
}

const bl_value *bl_integrator_values(const bl_integrator *integ, const char *name) {
    const bl_param *table = integ->kind->kind.params;
    bl_index n = bl_param_count(table);
    for (bl_index i = 0; i < n; i++)
        if (!strcmp(table[i].name, name))
            return &integ->value[i];
    return NULL;
}

bl_status bl_integrator_arrays(bl_integrator *integ, const bl_array *array, size_t narray) {
    const bl_formulation *form = integ->form;
    const bl_index now[3] = {form->ny, form->nx, form->nlambda};
    if (integ->block && memcmp(now, integ->block_for, sizeof now) == 0)
        return BL_OK;
    memcpy(integ->block_for, now, sizeof now);
    return bl_new_arrays(integ->ctx, &integ->block, array, narray);
}

void bl_integrator_advance(bl_integrator *integ, double *y_old) {
    size_t bytes = (size_t)integ->ny * sizeof(double);
    if (y_old)
        memcpy(y_old, integ->y, bytes);
    memcpy(integ->y, integ->y_new, bytes);
    integ->t = integ->t_new;
}

void bl_cubic(bl_index n, double s, double h, const double *y0, const double *f0, const double *y1, const double *f1, double *to) {
    double r = 1 - s;
    for (bl_index i = 0; i < n; i++) {
        double change = y1[i] - y0[i], bend = h * f0[i] - change;
        to[i] = y0[i] + s * (change + r * (bend + s * (change - h * f1[i] - bend)));
    }
}

double bl_step_smallest(double t) {
    double size = fabs(t);
    return 16 * (nextafter(size, INFINITY) - size);
}

double bl_step_largest(const bl_integrator *integ) {
    return integ->control.h_max > 0 ? integ->control.h_max : 0.1 * fabs(integ->control.t_end - integ->t);
}

double bl_step_within(const bl_integrator *integ, double h) { return fmin(bl_step_largest(integ), fmax(bl_step_smallest(integ->t), h)); }

/* no shorter step is possible: includes the message of the module that refused the last one, when it concerns this step */
static bl_status no_step(bl_integrator *integ, bl_status status, double h) {
    bl_error why = *bl_context_error(integ->ctx);
    bool reported = status == BL_NOT_FINITE && why.status == status &&
                    fabs(why.time - integ->t) <= 4 * h; /* extended methods evaluate one step ahead */
    bl_place where = {why.file, why.line, why.column};
    bl_fail(integ->ctx, BL_E_NUMERIC, reported && why.line > 0 ? &where : NULL,
            "step size became too small at t = %.9g (last attempt %.3g): %s%s%s", integ->t, h,
            status == BL_SINGULAR         ? "a configuration inside the step is singular"
            : status == BL_NO_CONVERGENCE ? "the iteration did not converge"
            : status == BL_NOT_FINITE     ? "a value inside the step is not a finite number"
                                          : "the estimated error is above the tolerance",
            reported ? ": " : "", reported ? why.what : "");
    bool implicit = integ->kind->kind.needs & BL_CAN_STAGE, adaptive = integ->kind->kind.gives & BL_ADAPTIVE;
    bl_advise(integ->ctx, "%s%s",
              status == BL_SINGULAR     ? "start beside the singular configuration, or end the run before it with a stop expression"
              : status == BL_REJECTED   ? "the solution may become unbounded or jump at this time; otherwise try a larger tolerance"
              : status != BL_NOT_FINITE ? adaptive ? "the equations may have no solution beyond this time; otherwise try a larger tolerance"
                                                   : "the equations may have no solution beyond this time; otherwise try a shorter step"
              : implicit || adaptive
                  ? BL_ADVICE_NOT_FINITE
                  : "with too long steps of an explicit method values grow: shorten them or use ndf_auto; otherwise " BL_ADVICE_NOT_FINITE,
              status == BL_REJECTED && !implicit ? ", or an implicit method where the equations are stiff" : "");
    if (reported)
        bl_blame(integ->ctx, why.part, why.equation, why.time);
    return BL_E_NUMERIC;
}

bl_status bl_step_shorten(bl_integrator *integ, bl_status status, int failures, double *h) {
    /* at t = 0 the spacing of numbers is no guide */
    double smallest = fmax(bl_step_smallest(integ->t), integrate_shortest * fabs(integ->control.t_end));
    int most = integ->control.step_overs == 0 ? (int)integrate_step_overs : integ->control.step_overs;
    if (*h <= smallest || (status == BL_SINGULAR && failures > most))
        return no_step(integ, status, *h);
    if (status == BL_SINGULAR) {
        if (integ->h_unshortened == 0)
            integ->h_unshortened = *h;
        *h *= 1 - integrate_over;
    } else {
        *h *= 0.5;
    }
    if (*h < smallest)
        *h = smallest;
    return BL_OK;
}

bl_status bl_step_control_fixed(bl_integrator *integ, bool accepted, int failures, bl_status status, double *h) {
    if (!accepted)
        return bl_step_shorten(integ, status, failures, h);
    *h = integ->control.step;
    return BL_OK;
}

bl_status bl_integrator_step(bl_integrator *integ, bl_status *last_refusal) {
    const bl_integrator_kind *kind = integ->kind;
    bl_status ready = kind->ready ? kind->ready(integ) : BL_OK;
    if (ready > 0 && last_refusal)
        *last_refusal = ready;
    if (ready == BL_NOT_FINITE && integ->control.return_not_finite)
        return ready;
    if (ready != BL_OK)
        return ready < 0 ? ready : no_step(integ, ready, integ->h_next);
    const bl_step_control *control = &integ->control;
    double end = control->t_stop > integ->t ? fmin(control->t_stop, control->t_end) : control->t_end;
    double left = end - integ->t, h = integ->h_next;
    /* the last step is stretched or shortened to end exactly; fixed-step methods only allow for rounding, of as many sums as there were
     * steps */
    double summed = fmin(integrate_last_step + (double)integ->stats.steps * DBL_EPSILON * fabs(integ->t) / h, 0.01);
    bool last = (kind->kind.gives & BL_ADAPTIVE ? 1.1 : 1 + summed) * h >= left;
    if (last)
        h = left;
    int failures = 0;
    double error = 0;
    if (last_refusal)
        *last_refusal = BL_OK;
    integ->h_unshortened = 0;
    for (;;) {
        integ->form->step = h;
        bl_status status = kind->attempt(integ, h, &error);
        if (status < 0)
            return status;
        if (status == BL_OK && error <= 1)
            break;
        if (status == BL_OK)
            status = isfinite(error) ? BL_REJECTED : BL_NOT_FINITE;
        else if (status == BL_REJECTED) /* refused by the formulation: there is no error estimate */
            status = BL_NO_CONVERGENCE;
        if (last_refusal)
            *last_refusal = status;
        failures++;
        integ->stats.rejections++;
        BL_TRY(bl_go_on(integ->ctx)); /* a solver that was interrupted is no reason for a shorter step */
        if (status == BL_NOT_FINITE && integ->control.return_not_finite)
            return status;
        last = false;
        BL_TRY(kind->next_step(integ, false, error, failures, status, &h));
    }
    if (last)
        integ->t_new = end;
    integ->t_old = integ->t;
    integ->stats.steps++;
    if (integ->stats.steps == 1 || h < integ->stats.h_smallest)
        integ->stats.h_smallest = h;
    if (h > integ->stats.h_largest)
        integ->stats.h_largest = h;
    integ->order = kind->order;
    integ->error = kind->kind.gives & BL_ADAPTIVE ? error : NAN;
    kind->accept(integ);
    BL_TRY(kind->next_step(integ, true, error, failures, BL_OK, &h));
    integ->h_next = h;
    if (failures)
        bl_context_clear_error(integ->ctx);
    return BL_OK;
}

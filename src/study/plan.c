/* See plan.h. */
#include "study/plan.h"

#include "coords/choice.h"
#include "joint/joint.h"
#include "study/defaults.h"
#include "study/simulation.h"
#include "study/study_limits.h"
#include "topology/topology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Length of a typical run in stretches (see cost_of): the share of the set-up cost in one of them. */
static const double STRETCHES = 30;

/* One-step methods above this order are chosen where forces are smooth and there are no constraints, at every tolerance: at equal tolerance
 * they may need more evaluations, at equal error fewer. They are not chosen where forces switch, or where long steps may span singular
 * configurations. */
enum { RARELY_SMOOTH = 5 };

/* ---- predicted cost */

static bool is_series(const bl_integrator_kind *integrator) { return integrator->kind.needs & BL_CAN_COEFFICIENT; }

/* ns for a stretch of smooth motion that a power series at tolerance 1e-6 crosses in one step, with its share of the set-up. entries:
 * length of y */
static double cost_of(const bl_size *size, const bl_formulation_kind *formulation, const bl_integrator_kind *integrator, double tolerance,
                      double entries) {
    int order = is_series(integrator) ? bl_series_order(tolerance) : 0;
    double evaluation = formulation->cost(size, order);
    if (formulation->index > 0 && formulation->index < 3)
        evaluation /= 1 - study_plan_drift_saves;
    return integrator->effort(tolerance) * (evaluation + integrator->own_ns * entries) + size->setup / STRETCHES;
}

typedef struct choice {
    const bl_formulation_kind *formulation;
    const bl_integrator_kind *integrator;
    double cost;
    bool logged;
    char compared[400]; /* candidates with their costs, for the log */
    size_t used;
} choice;

static void compare(choice *best, const char *coordinates, const bl_formulation_kind *formulation, const bl_integrator_kind *integrator,
                    double cost) {
    if (best->logged && best->used < sizeof best->compared)
        best->used +=
            (size_t)snprintf(best->compared + best->used, sizeof best->compared - best->used, "%s%s%s%s %s %.3g", best->used ? ", " : "",
                             coordinates, coordinates[0] ? " " : "", formulation->kind.name, integrator->kind.name, 1e-3 * cost);
    if (best->integrator && cost >= best->cost)
        return;
    best->formulation = formulation;
    best->integrator = integrator;
    best->cost = cost;
}

static bool fits(const bl_system *sys, const bl_formulation_kind *formulation, const bl_integrator_kind *integrator) {
    uint32_t needs = integrator->kind.needs;
    if (formulation->kind.needs & ~sys->can || needs & ~formulation->kind.gives)
        return false;
    if (is_series(integrator) && !(sys->can & BL_CAN_SERIES))
        return false;
    if ((sys->facts & BL_PHI_OF_Z) && !(formulation->kind.gives & BL_TAKES_PHI_OF_Z))
        return false;
    bool high = integrator->order > RARELY_SMOOTH, smooth = sys->np == 0 && (sys->facts & BL_SMOOTH);
    if (!is_series(integrator) && high != smooth)
        return false;
    return formulation != &bl_formulation_direct || sys->np == 0;
}

/* The cheapest of all pairs of kinds that can predict their cost; a kind that was requested is kept. */
static void choose_pair(const bl_system *sys, const bl_formulation_kind *asked, const bl_integrator_kind *given, bool series,
                        double tolerance, choice *best) {
    *best = (choice){.cost = INFINITY, .logged = bl_logs(sys->ctx, BL_LOG_INFO)};
    for (size_t f = 0; f < bl_formulation_kind_count; f++)
        for (size_t i = 0; i < bl_integrator_kind_count; i++) {
            const bl_formulation_kind *formulation = bl_formulation_kinds[f];
            const bl_integrator_kind *integrator = bl_integrator_kinds[i];
            if ((asked && formulation != asked) || (given && integrator != given) || !integrator->effort || !formulation->cost)
                continue;
            if (fits(sys, formulation, integrator) && (series || !is_series(integrator)))
                compare(best, "", formulation, integrator,
                        cost_of(&sys->size, formulation, integrator, tolerance, 2.0 * sys->nv + sys->nz));
        }
}

static void log_comparison(const bl_system *sys, const choice *best, double tolerance) {
    if (best->integrator)
        bl_log(sys->ctx, BL_LOG_INFO, "compared at tolerance %g, predicted microseconds for the same motion: %s", tolerance,
               best->compared);
}

/* ---- coordinates */

/* no drivers, all bodies connected, and no request for coordinates of another kind */
static bl_status may_be_relative(bl_context *ctx, const bl_model *model, bool *may) {
    *may = model->ndriver == 0 && model->njoint >= model->nbody - 1;
    for (bl_index i = 0; i < model->nindependent; i++) { /* relative coordinates are variables of joints */
        BL_TRY(bl_go_on(ctx));
        *may = *may && bl_model_variable(model, model->independent[i]) >= 0;
    }
    for (bl_index b = 0; b < model->nbody; b++)
        *may = *may && model->body[b].ncarry == 0 && !model->body[b].coordinates;
    if (!*may)
        return BL_OK;
    bl_index *piece, npiece = 0;
    BL_TRY(BL_NEW(ctx, piece, model->nbody));
    bl_status status = bl_topology_pieces(ctx, model, piece, &npiece);
    bl_free(ctx, piece);
    *may = npiece == 1;
    return status;
}

/* every body is connected by one joint whose variables are its degrees of freedom */
static bool is_tree(const bl_model *model) {
    bool tree = model->njoint == model->nbody - 1;
    for (bl_index j = 0; tree && j < model->njoint; j++)
        tree = !model->joint[j].kind->closes_only && !model->joint[j].cut && model->joint[j].body[0] >= 0;
    return tree;
}

/* whether all joints are closed in the given configuration and allow all motions of their kind: known without building the tree */
static bool surely_without_constraints(const bl_model *model) {
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_joint_def *joint = &model->joint[j];
        const bl_param *params = joint->kind->kind.params;
        if (joint->kind == &bl_joint_screw || (joint->kind->has_variables && joint->kind->has_variables(joint)))
            return false;
        for (bl_index k = 0; k < bl_param_count(params); k++) {
            size_t length = strlen(params[k].name);
            if (joint->value[k].given && length > 2 && strcmp(params[k].name + length - 2, "_b") == 0)
                return false;
        }
    }
    return true;
}

/* Whether relative coordinates can be built; a tree must not need constraint equations, as forces on the angles of a ball joint or joints
 * that are open in the given configuration do. */
static bl_status can_be_relative(bl_context *ctx, const bl_model *model, bool tree, bool *goes) {
    bl_system *sys = NULL;
    bl_status status = bl_coords_build(ctx, model, BL_DEFAULT_COORDINATES_TREE, &sys);
    *goes = status == BL_OK && (sys->can & BL_CAN_MSOLVE) && (!tree || sys->np == 0);
    bl_system_destroy(sys);
    if (status != BL_E_ABILITY)
        return status;
    bl_context_clear_error(ctx);
    return BL_OK;
}

/* Actual cost of natural coordinates in space as a share of the prediction: prices assume AVERAGE coordinates per body, but bodies on
 * parallel axes share theirs. Counted in the system itself where the choice would otherwise be relative coordinates. */
static bl_status count_columns(bl_context *ctx, const bl_model *model, bl_index bodies, double *share) {
    static const double AVERAGE = 7.5;
    bl_system *sys = NULL;
    BL_TRY(bl_coords_build(ctx, model, BL_DEFAULT_COORDINATES_LOOPS, &sys));
    *share = sys->nv / (AVERAGE * bodies);
    bl_system_destroy(sys);
    return BL_OK;
}

/* whether no law is piecewise, those of drivers and stop conditions included */
static bool all_smooth(const bl_model *model) {
    bool smooth = true;
    for (bl_index l = 0; l < model->nlaw; l++)
        smooth = smooth && bl_tape_smooth(model->law[l].tape);
    return smooth;
}

/* the cheapest pair for the model in coordinates of this kind; an integrator that was requested is kept */
static void choose_by_count(const bl_coords_kind *coordinates, bl_size size, const bl_run_options *options, choice *best) {
    const bl_integrator_kind *given = options->integrator ? bl_integrator_kind_of(options->integrator) : NULL;
    bool relative = coordinates == &bl_coords_relative, tree = relative && size.loops == 0;
    coordinates->price(&size);
    double entries = 2.0 * (relative ? size.dof : (size.dim == 3 ? 9 : 2) * size.bodies);
    for (size_t f = 0; f < bl_formulation_kind_count; f++)
        for (size_t i = 0; i < bl_integrator_kind_count; i++) {
            const bl_formulation_kind *formulation = bl_formulation_kinds[f];
            const bl_integrator_kind *integrator = given ? given : bl_integrator_kinds[i];
            if (!formulation->cost || !integrator->effort || (given && i > 0) || (formulation == &bl_formulation_direct) != tree)
                continue;
            if ((integrator->kind.needs & ~formulation->kind.gives) || (is_series(integrator) && !(size.expand[0] > 0)))
                continue;
            if (!given && !is_series(integrator) && (integrator->order > RARELY_SMOOTH) != tree)
                continue;
            compare(best, coordinates->kind.name, formulation, integrator,
                    cost_of(&size, formulation, integrator, options->tolerance, entries));
        }
}

bl_status bl_plan_coordinates(bl_context *ctx, const bl_model *model, const bl_run_options *options, const char **coordinates) {
    const bl_integrator_kind *kind = options->integrator ? bl_integrator_kind_of(options->integrator) : NULL;
    bool may, tree = is_tree(model);
    *coordinates = BL_DEFAULT_COORDINATES_LOOPS;
    if (model->surfaces) { /* free bodies by position and rotation, unless those of joints are more */
        bl_index joined = 0;
        for (bl_index b = 1; b < model->nbody; b++)
            joined += model->surfaces->handle[b].joined;
        if (2 * joined < model->nbody)
            *coordinates = BL_DEFAULT_COORDINATES_FREE;
        return BL_OK;
    }
    /* methods that solve with the matrices of the full system need natural coordinates */
    if (options->formulation || options->linsol || options->ordering || (kind && !kind->effort && (kind->kind.needs & ~BL_CAN_RATE)))
        return BL_OK;
    BL_TRY(may_be_relative(ctx, model, &may));
    bl_size size;
    choice best = {.cost = INFINITY, .logged = bl_logs(ctx, BL_LOG_INFO)};
    bl_coords_count(model, &size);
    if (!may || !(tree || (size.dim == 3 && size.loops > 0)))
        return BL_OK;
    choose_by_count(&bl_coords_natural, size, options, &best);
    bool shape_alone = tree && all_smooth(model);
    double natural = best.cost =
        shape_alone ? best.cost / (1 - study_plan_shape_saves) : best.cost * (1 - study_plan_series_saves); /* as they are compared */
    choose_by_count(&bl_coords_relative, size, options, &best);
    bool relative = best.cost < natural;
    if (relative && !tree) {
        double share;
        BL_TRY(count_columns(ctx, model, size.bodies, &share));
        relative = best.cost < natural * share;
    }
    if (relative && !(tree && surely_without_constraints(model)))
        BL_TRY(can_be_relative(ctx, model, tree, &relative));
    if (relative)
        *coordinates = BL_DEFAULT_COORDINATES_TREE;
    bl_log(ctx, BL_LOG_INFO, "%s with %d degrees of freedom; compared at tolerance %g, predicted microseconds for the same motion: %s",
           tree ? "open tree" : "closed loops", (int)size.dof, options->tolerance, best.compared);
    return BL_OK;
}

/* ---- methods */

/* Explicit methods need the rate of every unknown; where one has none, or the requested formulation gives none, the method is implicit. */
const char *bl_plan_general_integrator(const bl_system *sys, const char *asked, const char *formulation) {
    if (asked)
        return asked;
    const bl_formulation_kind *kind = formulation ? bl_formulation_kind_of(formulation) : NULL;
    if ((sys->facts & BL_FINE) && (!formulation || (kind && (kind->kind.gives & BL_CAN_STAGE)))) {
        /* modes of the mesh would limit explicit steps */
        bool shifts = sys->np == 0 && sys->nv + sys->nz <= BL_DEFAULT_MESH_UNKNOWNS && (!kind || (kind->kind.gives & BL_CAN_SHIFT));
        return sys->nv == 0 ? BL_DEFAULT_INTEGRATOR_FIELD : shifts ? BL_DEFAULT_INTEGRATOR_STIFF : BL_DEFAULT_INTEGRATOR_MESH;
    }
    bool implicit = false;
    for (bl_index j = sys->nv; j < sys->nv + sys->nz; j++)
        implicit = implicit || sys->col[j].order == 0;
    if (implicit && !formulation && sys->np == 0)
        return BL_DEFAULT_INTEGRATOR_STIFF;
    if (kind && !(kind->kind.gives & (BL_CAN_RATE | BL_CAN_STAGE)))
        return BL_DEFAULT_INTEGRATOR_SERIES;
    implicit = implicit || (kind && !(kind->kind.gives & BL_CAN_RATE));
    return implicit ? BL_DEFAULT_INTEGRATOR_IMPLICIT : BL_DEFAULT_INTEGRATOR;
}

/* A partition that integrates independent coordinates alone is valid only near the state where they were chosen, which long steps of power
 * series leave. */
const char *bl_plan_integrator(const bl_system *sys, const char *asked, const char *formulation, double tolerance) {
    const char *general = bl_plan_general_integrator(sys, asked, formulation);
    if (asked || sys->nbody <= 1 || bl_integrator_kind_of(general) != &bl_integrator_dopri45) /* equations may be stiff */
        return general;
    bool series = !(formulation && strstr(formulation, "state=independent"));
    const bl_formulation_kind *kind = formulation ? bl_formulation_kind_of(formulation) : NULL;
    choice best;
    choose_pair(sys, kind, NULL, series, tolerance, &best);
    log_comparison(sys, &best, tolerance);
    return best.integrator ? best.integrator->kind.name : general;
}

/* the formulation by fixed rules; NULL: a mechanism with constraints, for which several are possible */
static const char *formulation_by_rule(const bl_system *sys, const char *integrator) {
    const bl_integrator_kind *kind = integrator ? bl_integrator_kind_of(integrator) : NULL;
    bool implicit = kind && (kind->kind.needs & BL_CAN_STAGE);
    if (!bl_system_has_K(sys)) /* no stage equations of the motion itself: implicit methods use the rate */
        implicit = false;
    bool series = kind && (kind->kind.needs & BL_CAN_COEFFICIENT); /* where the system has none, refused later with the reason */
    if (sys->np == 0 && (sys->can & BL_CAN_MSOLVE) && !implicit && !series)
        return BL_DEFAULT_FORMULATION_TREE;
    /* normal loads, positions that are not vectors, and drivers that follow states need a rate, even for a stage */
    if ((sys->nload || !(sys->facts & BL_FLAT) || (sys->facts & BL_PHI_OF_Z)) && kind && !(kind->kind.gives & BL_SECOND_ORDER))
        implicit = false;
    if (sys->np == 0 && (implicit || sys->nbody <= 1))
        return BL_DEFAULT_FORMULATION_PLAIN;
    /* coupled stages of constrained systems are those of the rate y' = f(t, y), whose matrix with complex shifts is dense */
    if (kind && (kind->kind.needs & BL_CAN_SHIFT))
        implicit = false;
    if (implicit)
        return (kind->kind.gives & (BL_SECOND_ORDER | BL_UNDAMPED)) == BL_SECOND_ORDER ? BL_DEFAULT_FORMULATION_SECOND
                                                                                       : BL_DEFAULT_FORMULATION_STAGE;
    if (kind && (kind->kind.needs & BL_FULL_STATE))
        return bl_formulation_lagrange.kind.name;
    return NULL;
}

const char *bl_plan_formulation(const bl_system *sys, const char *asked, const char *integrator, double tolerance) {
    const char *rule = asked ? asked : formulation_by_rule(sys, integrator);
    const bl_integrator_kind *kind = integrator ? bl_integrator_kind_of(integrator) : NULL;
    choice best;
    if (rule)
        return rule;
    choose_pair(sys, NULL, kind && kind->effort ? kind : &bl_integrator_dopri45, true, tolerance, &best);
    return best.formulation ? best.formulation->kind.name : BL_DEFAULT_FORMULATION;
}

const char *bl_plan_general_formulation(const bl_system *sys, const char *asked, const char *integrator) {
    const char *rule = asked ? asked : formulation_by_rule(sys, integrator);
    if (rule)
        return rule;
    return sys->nv - sys->np <= BL_DEFAULT_MANY_DOF ? BL_DEFAULT_FORMULATION : BL_DEFAULT_FORMULATION_MANY;
}

/* From counted work on stiff equations and mechanisms: radau where its matrices are the sparse ones of the equations, there half as
 * expensive as ndf_auto at equal error; ndf_auto needs fewer evaluations for constrained motions. */
const char *bl_plan_stiff_integrator(const bl_system *sys, const char *formulation) {
    const bl_formulation_kind *kind = formulation ? bl_formulation_kind_of(formulation) : NULL;
    if (kind && !(kind->kind.gives & BL_CAN_STAGE))
        return NULL;
    bool sparse = sys->np == 0 && bl_system_has_K(sys) && (!kind || kind == &bl_formulation_plain);
    return sparse && (sys->facts & BL_FLAT) && sys->nload == 0 ? BL_DEFAULT_INTEGRATOR_STIFF : BL_DEFAULT_INTEGRATOR_IMPLICIT;
}

bl_status bl_plan_stepping(bl_context *ctx, const bl_run_options *options, bl_simulation_setup *setup) {
    if (setup->impact == BL_IMPACT_POISSON)
        bl_warn(ctx, NAN, NULL, "`contact: stepping` has Newton's law of impact: `impact: poisson` belongs to `contact: events`");
    const bl_integrator_kind *given = options->integrator ? bl_integrator_kind_of(options->integrator) : &bl_integrator_moreau;
    if (given != &bl_integrator_moreau) {
        bl_fail(ctx, BL_E_ABILITY, NULL, "`contact: stepping` is a method of its own, moreau: it does not work with integrator %s",
                options->integrator);
        bl_advise(ctx, "leave out the integrator, or use `contact: events`");
        return BL_E_ABILITY;
    }
    setup->integrator = bl_integrator_moreau.kind.name;
    setup->formulation = options->formulation ? options->formulation : bl_formulation_lagrange.kind.name;
    setup->step = setup->step > 0 ? setup->step : study_contact_step;
    return BL_OK;
}

void bl_plan_methods(const bl_system *sys, const char *formulation, const char *integrator, double tolerance, bl_simulation_setup *setup) {
    const char *stiff = integrator ? NULL : bl_plan_stiff_integrator(sys, formulation);
    setup->stiff_integrator = stiff;
    setup->stiff_formulation = stiff ? bl_plan_formulation(sys, formulation, stiff, tolerance) : NULL;
    setup->integrator = bl_plan_integrator(sys, integrator, formulation, tolerance);
    setup->formulation = bl_plan_formulation(sys, formulation, setup->integrator, tolerance);
}

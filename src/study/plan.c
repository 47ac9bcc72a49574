/* See plan.h. */
#include "study/plan.h"

#include "coords/choice.h"
#include "joint/joint.h"
#include "study/defaults.h"
#include "study/simulation.h"
#include "topology/topology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Formulations that let constraints drift and project are taken where they save more than this share: others hold them to rounding. */
static const double DRIFT_SAVES = 0.25;

/* On a tree natural coordinates are taken where they save more than this share: what they cost depends on the shape too, which is not
 * counted (a body that carries many others makes their matrices wide), the recursion of relative ones does not. */
static const double SHAPE_SAVES = 0.1;

/* Where loops close, and where laws change by pieces, relative coordinates are taken where they save more than this share: power series
 * pass singular positions in natural ones and begin a piece with their full order; relative coordinates have none. */
static const double SERIES_SAVES = 0.1;

/* A run is some tens of such stretches long: what set-up counts. */
static const double STRETCHES = 30;

/* One-step methods of a higher order are taken where forces are smooth and there are no constraints, and there at every tolerance: at equal
 * tolerance they may take more evaluations, at equal error fewer. Where forces switch, and where long steps may lie across singular
 * positions, they are not. */
enum { RARELY_SMOOTH = 5 };

/* ---- predicted cost */

static bool is_series(const bl_integrator_kind *integrator) { return integrator->kind.needs & BL_CAN_COEFFICIENT; }

/* ns for a stretch of smooth motion that a power series at tolerance 1e-6 crosses in one step, with its share of set-up; entries: of y */
static double cost_of(const bl_size *size, const bl_formulation_kind *formulation, const bl_integrator_kind *integrator, double tolerance,
                      double entries) {
    int order = is_series(integrator) ? bl_series_order(tolerance) : 0;
    double evaluation = formulation->cost(size, order);
    if (formulation->index > 0 && formulation->index < 3)
        evaluation /= 1 - DRIFT_SAVES;
    return integrator->effort(tolerance) * (evaluation + integrator->own_ns * entries) + size->setup / STRETCHES;
}

typedef struct choice {
    const bl_formulation_kind *formulation;
    const bl_integrator_kind *integrator;
    double cost;
    bool listened;
    char said[400]; /* what was compared, where somebody listens */
    size_t used;
} choice;

static void compare(choice *best, const char *coordinates, const bl_formulation_kind *formulation, const bl_integrator_kind *integrator,
                    double cost) {
    if (best->listened && best->used < sizeof best->said)
        best->used += (size_t)snprintf(best->said + best->used, sizeof best->said - best->used, "%s%s%s%s %s %.3g", best->used ? ", " : "",
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
    bool high = integrator->order > RARELY_SMOOTH, smooth = sys->np == 0 && (sys->facts & BL_SMOOTH);
    if (!is_series(integrator) && high != smooth)
        return false;
    return formulation != &bl_formulation_direct || sys->np == 0;
}

/* All pairs of kinds that know their cost; what was asked for, where something was. */
static void choose_pair(const bl_system *sys, const bl_formulation_kind *asked, const bl_integrator_kind *given, bool series,
                        double tolerance, choice *best) {
    *best = (choice){.cost = INFINITY, .listened = bl_logs(sys->ctx, BL_LOG_INFO)};
    for (size_t f = 0; f < bl_formulation_kind_count; f++)
        for (size_t i = 0; i < bl_integrator_kind_count; i++) {
            const bl_formulation_kind *formulation = bl_formulation_kinds[f];
            const bl_integrator_kind *integrator = bl_integrator_kinds[i];
            if ((asked && formulation != asked) || (given && integrator != given) || !integrator->effort || !formulation->cost)
                continue;
            if (fits(sys, formulation, integrator) && (series || !is_series(integrator)))
                compare(best, "", formulation, integrator, cost_of(&sys->size, formulation, integrator, tolerance, 2.0 * sys->nv));
        }
}

static void say(const bl_system *sys, const choice *best, double tolerance) {
    if (best->integrator)
        bl_log(sys->ctx, BL_LOG_INFO, "compared at tolerance %g, predicted us for equal motion: %s", tolerance, best->said);
}

/* ---- coordinates */

/* nothing drives it, all bodies hang together, and there is no wish for coordinates of another kind */
static bl_status may_be_relative(bl_context *ctx, const bl_model *model, bool *may) {
    *may = model->ndriver == 0 && model->njoint >= model->nbody - 1;
    for (bl_index i = 0; i < model->nindependent; i++) { /* variables of joints are what relative coordinates are made of */
        BL_TRY(bl_go_on(ctx));
        *may = *may && bl_model_variable(model, model->independent[i]) >= 0;
    }
    for (bl_index b = 0; b < model->nbody; b++)
        *may = *may && model->body[b].ncarry == 0 && !model->body[b].coordinates;
    if (!*may)
        return BL_OK;
    bl_index *piece, npiece = 0;
    BL_TRY(BL_NEW(ctx, piece, model->nbody));
    bl_status status = bl_topology_pieces(model, piece, &npiece);
    bl_free(ctx, piece);
    *may = npiece == 1;
    return status;
}

/* and every body is held by one joint that names its degrees of freedom */
static bool is_tree(const bl_model *model) {
    bool tree = model->njoint == model->nbody - 1;
    for (bl_index j = 0; tree && j < model->njoint; j++)
        tree = !model->joint[j].kind->closes_only && !model->joint[j].cut && model->joint[j].body[0] >= 0;
    return tree;
}

/* joints drawn closed whose freedoms are all they say: no need to build the tree to know */
static bool surely_without_rows(const bl_model *model) {
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

/* Whether it can be built; a tree with nothing left to rows: forces on the angles of a ball, or joints drawn apart, need some. */
static bl_status goes_relative(bl_context *ctx, const bl_model *model, bool tree, bool *goes) {
    bl_system *sys = NULL;
    bl_status status = bl_coords_build(ctx, model, BL_DEFAULT_COORDINATES_TREE, &sys);
    *goes = status == BL_OK && (sys->can & BL_CAN_MSOLVE) && (!tree || sys->np == 0);
    bl_system_destroy(sys);
    if (status != BL_E_ABILITY)
        return status;
    bl_context_clear_error(ctx);
    return BL_OK;
}

/* What natural coordinates in space cost of what is predicted: prices hold for AVERAGE coordinates per body, and bodies on parallel axes
 * share theirs. Counted in the system itself, where the choice would else fall on relative ones. */
static bl_status count_columns(bl_context *ctx, const bl_model *model, bl_index bodies, double *share) {
    static const double AVERAGE = 7.5;
    bl_system *sys = NULL;
    BL_TRY(bl_coords_build(ctx, model, BL_DEFAULT_COORDINATES_LOOPS, &sys));
    *share = sys->nv / (AVERAGE * bodies);
    bl_system_destroy(sys);
    return BL_OK;
}

/* laws without pieces; those of drivers, stops and the like count, too */
static bool all_smooth(const bl_model *model) {
    bool smooth = true;
    for (bl_index l = 0; l < model->nlaw; l++)
        smooth = smooth && bl_tape_smooth(model->law[l].tape);
    return smooth;
}

/* the cheapest pair with what the model costs in coordinates of this kind; kinds that were asked for stay */
static void choose_on_paper(const bl_coords_kind *coordinates, bl_size size, const bl_run_options *options, choice *best) {
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
    /* methods that solve with matrices of the whole need them */
    if (options->formulation || options->linsol || options->ordering || (kind && !kind->effort && (kind->kind.needs & ~BL_CAN_RATE)))
        return BL_OK;
    BL_TRY(may_be_relative(ctx, model, &may));
    bl_size size;
    choice best = {.cost = INFINITY, .listened = bl_logs(ctx, BL_LOG_INFO)};
    bl_coords_count(model, &size);
    if (!may || !(tree || (size.dim == 3 && size.loops > 0)))
        return BL_OK;
    choose_on_paper(&bl_coords_natural, size, options, &best);
    bool shape_alone = tree && all_smooth(model);
    double natural = best.cost = shape_alone ? best.cost / (1 - SHAPE_SAVES) : best.cost * (1 - SERIES_SAVES); /* as it is compared */
    choose_on_paper(&bl_coords_relative, size, options, &best);
    bool relative = best.cost < natural;
    if (relative && !tree) {
        double share;
        BL_TRY(count_columns(ctx, model, size.bodies, &share));
        relative = best.cost < natural * share;
    }
    if (relative && !(tree && surely_without_rows(model)))
        BL_TRY(goes_relative(ctx, model, tree, &relative));
    if (relative)
        *coordinates = BL_DEFAULT_COORDINATES_TREE;
    bl_log(ctx, BL_LOG_INFO, "%s with %d degrees of freedom; compared at tolerance %g, predicted us for equal motion: %s",
           tree ? "an open tree" : "closed loops", (int)size.dof, options->tolerance, best.said);
    return BL_OK;
}

/* ---- methods */

/* Explicit methods need a rate for everything; where none is given, or a formulation without one is asked for, an implicit method steps. */
const char *bl_plan_general_integrator(const bl_system *sys, const char *asked, const char *formulation) {
    if (asked)
        return asked;
    if ((sys->facts & BL_FINE) && !formulation) /* explicit methods would be held by modes of the mesh */
        return sys->nv == 0                                   ? BL_DEFAULT_INTEGRATOR_FIELD
               : sys->nv + sys->nz > BL_DEFAULT_MESH_UNKNOWNS ? BL_DEFAULT_INTEGRATOR_MESH
                                                              : BL_DEFAULT_INTEGRATOR_STIFF;
    bool implicit = sys->np > 0 && sys->nz > 0;
    for (bl_index j = sys->nv; j < sys->nv + sys->nz; j++)
        implicit = implicit || sys->col[j].order == 0;
    if (implicit && !formulation && sys->np == 0)
        return BL_DEFAULT_INTEGRATOR_STIFF;
    const bl_formulation_kind *kind = formulation ? bl_formulation_kind_of(formulation) : NULL;
    if (kind && !(kind->kind.gives & (BL_CAN_RATE | BL_CAN_STAGE)))
        return BL_DEFAULT_INTEGRATOR_SERIES;
    implicit = implicit || (kind && !(kind->kind.gives & BL_CAN_RATE));
    return implicit ? BL_DEFAULT_INTEGRATOR_IMPLICIT : BL_DEFAULT_INTEGRATOR;
}

/* A partition that integrates independent coordinates alone follows their choice, which long steps of power series leave behind. */
const char *bl_plan_integrator(const bl_system *sys, const char *asked, const char *formulation, double tolerance) {
    const char *general = bl_plan_general_integrator(sys, asked, formulation);
    if (asked || sys->nbody <= 1 || bl_integrator_kind_of(general) != &bl_integrator_dopri45) /* equations may be stiff */
        return general;
    bool series = !(formulation && strstr(formulation, "state=independent"));
    const bl_formulation_kind *kind = formulation ? bl_formulation_kind_of(formulation) : NULL;
    choice best;
    choose_pair(sys, kind, NULL, series, tolerance, &best);
    say(sys, &best, tolerance);
    return best.integrator ? best.integrator->kind.name : general;
}

/* what rules say; NULL: mechanisms with constraints, which several may take */
static const char *formulation_by_rule(const bl_system *sys, const char *integrator) {
    const bl_integrator_kind *kind = integrator ? bl_integrator_kind_of(integrator) : NULL;
    bool implicit = kind && (kind->kind.needs & BL_CAN_STAGE);
    if (!bl_system_has_K(sys)) /* no stage of the motion itself: implicit methods take the rate */
        implicit = false;
    bool series = kind && (kind->kind.needs & BL_CAN_COEFFICIENT); /* refused, where there are none, for what the system lacks */
    if (sys->np == 0 && (sys->can & BL_CAN_MSOLVE) && !implicit && !series)
        return BL_DEFAULT_FORMULATION_TREE;
    /* normal loads, and positions that are no vectors, need a rate, also for a stage */
    if ((sys->nload || !(sys->facts & BL_FLAT)) && kind && !(kind->kind.gives & BL_SECOND_ORDER))
        implicit = false;
    if (sys->np == 0 && (implicit || sys->nbody <= 1))
        return BL_DEFAULT_FORMULATION_PLAIN;
    /* coupled stages of constrained systems are those of the rate y' = f(t, y), whose matrix with complex shifts is dense */
    if (kind && (kind->kind.needs & BL_CAN_SHIFT))
        implicit = false;
    if (implicit)
        return (kind->kind.gives & (BL_SECOND_ORDER | BL_UNDAMPED)) == BL_SECOND_ORDER ? BL_DEFAULT_FORMULATION_SECOND
                                                                                       : BL_DEFAULT_FORMULATION_STAGE;
    if (sys->nz > 0)
        return BL_DEFAULT_FORMULATION_STATES;
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

/* Counted on stiff equations and mechanisms: radau where its matrices are sparse ones of the equations, at the error of the tolerance half
 * as dear as ndf_auto, that needs fewer evaluations for constrained motions. */
const char *bl_plan_stiff_integrator(const bl_system *sys, const char *formulation) {
    const bl_formulation_kind *kind = formulation ? bl_formulation_kind_of(formulation) : NULL;
    if (kind && !(kind->kind.gives & BL_CAN_STAGE))
        return NULL;
    bool sparse = sys->np == 0 && bl_system_has_K(sys) && (!kind || kind == &bl_formulation_plain);
    return sparse && (sys->facts & BL_FLAT) && sys->nload == 0 ? BL_DEFAULT_INTEGRATOR_STIFF : BL_DEFAULT_INTEGRATOR_IMPLICIT;
}

void bl_plan_methods(const bl_system *sys, const char *formulation, const char *integrator, double tolerance, bl_simulation_setup *setup) {
    const char *stiff = integrator ? NULL : bl_plan_stiff_integrator(sys, formulation);
    setup->stiff_integrator = stiff;
    setup->stiff_formulation = stiff ? bl_plan_formulation(sys, formulation, stiff, tolerance) : NULL;
    setup->integrator = bl_plan_integrator(sys, integrator, formulation, tolerance);
    setup->formulation = bl_plan_formulation(sys, formulation, setup->integrator, tolerance);
}

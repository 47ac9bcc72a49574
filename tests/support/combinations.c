/* See combinations.h. */
#include "support/combinations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANES = 4, ORDERS = 3, TEXT = 3000 };
static const char *const plane_word[PLANES] = {"none", "strain", "stress", "axisymmetric"};
static const char *const equation_word[ORDERS] = {"stationary", "diffusion", "wave"};
static const char *const jacobian_word[COMBINATION_JACOBIANS] = {"analytic", "colored", "dense"};

/* ---- the table by numbers */

/* numbers that change the character of a law when they are given */
static const struct {
    const char *name;
    double value;
} varied[] = {{"conductivity_1", 8}, {"kinematic", 0.5}};
enum { VARIED = sizeof varied / sizeof *varied };

/* The parameter that makes this variant of a material different, as text; false: there are not so many. */
static bool variant_text(const bl_material_kind *kind, int variant, char *text, size_t room) {
    text[0] = 0;
    int seen = 0;
    if (variant == 0)
        return true;
    for (bl_index i = 0; i < bl_param_count(kind->kind.params); i++) {
        const bl_param *param = &kind->kind.params[i];
        const char *choice = param->type == BL_P_CHOICE ? strchr(param->choices, '|') : NULL;
        for (; choice; choice = strchr(choice + 1, '|'))
            if (++seen == variant) {
                snprintf(text, room, ", %s: %.*s", param->name, (int)strcspn(choice + 1, "|"), choice + 1);
                return true;
            }
        for (size_t k = 0; k < VARIED; k++)
            if (strcmp(param->name, varied[k].name) == 0 && ++seen == variant) {
                snprintf(text, room, ", %s: %g", param->name, varied[k].value);
                return true;
            }
    }
    return false;
}

static bool law_at(size_t number, const bl_material_kind **kind, int *variant) {
    char text[80];
    for (size_t m = 0; m < bl_material_kind_count; m++)
        for (*variant = 0; variant_text(bl_material_kinds[m], *variant, text, sizeof text); ++*variant)
            if (number-- == 0) {
                *kind = bl_material_kinds[m];
                return true;
            }
    return false;
}

static size_t law_count(void) {
    const bl_material_kind *kind;
    int variant;
    size_t n = 0;
    while (law_at(n, &kind, &variant))
        n++;
    return n;
}

static long problems_per_law(void) { return (long)(bl_strain_kind_count + ORDERS) * PLANES * 2; }

long combination_count(void) { return (long)(bl_element_kind_count * law_count()) * problems_per_law(); }

combination combination_at(long number) {
    combination c = {.bbar = number % 2};
    number /= 2;
    c.plane = (bl_plane)(number % PLANES);
    number /= PLANES;
    size_t strain = (size_t)number % (bl_strain_kind_count + ORDERS);
    number /= (long)(bl_strain_kind_count + ORDERS);
    c.strain = strain < bl_strain_kind_count ? bl_strain_kinds[strain] : NULL;
    c.order = c.strain ? 2 : (int)(strain - bl_strain_kind_count);
    law_at((size_t)number % law_count(), &c.material, &c.variant);
    c.element = bl_element_kinds[(size_t)number / law_count()];
    return c;
}

void combination_name(const combination *c, char *name, size_t room) {
    char variant[80];
    variant_text(c->material, c->variant, variant, sizeof variant);
    snprintf(name, room, "%s, %s%s, %s%s%s%s%s", c->element->kind.name, c->strain ? c->strain->kind.name : equation_word[c->order],
             c->strain ? " strain" : "", c->material->kind.name, variant, c->plane ? ", plane " : "", c->plane ? plane_word[c->plane] : "",
             c->bbar ? ", bbar" : "");
}

int combination_methods(void) { return (int)bl_integrator_kind_count + 1; }

static const bl_integrator_kind *integrator_of(int method) {
    return method < (int)bl_integrator_kind_count ? bl_integrator_kinds[method] : NULL;
}

const char *combination_method_name(int method) {
    const bl_integrator_kind *kind = integrator_of(method);
    return kind ? kind->kind.name : "equilibrium";
}

const char *combination_jacobian_name(int jacobian) { return jacobian_word[jacobian]; }

static bool has_param(const bl_kind *kind, const char *name) {
    for (bl_index i = 0; i < bl_param_count(kind->params); i++)
        if (strcmp(kind->params[i].name, name) == 0)
            return true;
    return false;
}

/* "bdf:jacobian=dense"; a formula of one's own gets that of BDF2 */
static void spec_of(int method, int jacobian, char *spec, size_t room) {
    const bl_integrator_kind *kind = integrator_of(method);
    bool own_formula = has_param(&kind->kind, "a") && has_param(&kind->kind, "b");
    int n = snprintf(spec, room, "%s%s", kind->kind.name, own_formula ? ":a=1/2;-2;3/2,b=0;0;1" : "");
    if (jacobian > 0)
        snprintf(spec + n, room - (size_t)n, "%sjacobian=%s", own_formula ? "," : ":", jacobian_word[jacobian]);
}

/* ---- models */

/* Steps resolve every mode: the highest of these meshes has omega h of about 1/2, and a few of them deform the body by some per cent.
 * Laws that yield do so at half a per cent. */
static const double STEP = 1e-3, TOLERANCE = 1e-6;
enum { STEPS = 3, FINER = 32 };

static void material_text(const combination *c, char *text, size_t room) {
    static const struct {
        const char *name;
        double value, of_waves; /* of_waves: of a field of second order; 0: the same */
    } known[] = {{"E", 1000, 0},          {"nu", 0.3, 0},        {"density", 2, 0},
                 {"yield", 5, 0},         {"hardening", 100, 0}, {"conductivity", 10, 300},
                 {"specific_heat", 1, 0}, {"tension", 10, 500},  {"stiffness", 20, 1000}};
    const bl_material_kind *kind = c->material;
    char variant[80];
    size_t used = (size_t)snprintf(text, room, "{type: %s", kind->kind.name);
    for (bl_index i = 0; i < bl_param_count(kind->kind.params); i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(kind->kind.params[i].name, known[k].name) == 0)
                used += (size_t)snprintf(text + used, room - used, ", %s: %g", known[k].name,
                                         known[k].of_waves > 0 && c->order == 2 ? known[k].of_waves : known[k].value);
    variant_text(kind, c->variant, variant, sizeof variant);
    snprintf(text + used, room - used, "%s}", variant);
}

static void problem_text(const combination *c, char *text, size_t room) {
    static const char *const shape[] = {"segment: {from: 1, to: 2.5, n: 3}", "rectangle: {from: [1, 0], to: [2.5, 2], n: [2, 2]}",
                                        "box: {from: [1, 0, 0], to: [2.5, 1, 1], n: [2, 1, 1]}"};
    static const char *const velocity[] = {"[=15*(x - 1)]", "[=12*(x - 1)*(1 + 0.3*y), =-6*(x - 1)]",
                                           "[=12*(x - 1)*(1 + 0.3*y), =-6*(x - 1)*(1 + 0.2*z), =5*(x - 1)*x]"};
    static const char *const force[] = {"[=4*(1 + 60*t)]", "[=4*(1 + 60*t), =-2*(1 - 20*t)]",
                                        "[=4*(1 + 60*t), =-2*(1 - 20*t), =3*(1 + 30*t*x)]"};
    int dim = c->element->dim;
    char material[400];
    material_text(c, material, sizeof material);
    size_t used = (size_t)snprintf(
        text, room, "dimension: %d\nmaterials: {stuff: %s}\n%s:\n  - name: part\n    mesh: {%s, element: %s, distort: [0.1, 7]}\n", dim,
        material, c->strain ? "bodies" : "fields", shape[dim - 1], c->element->kind.name);
    used += (size_t)snprintf(text + used, room - used, "    material: stuff\n    %s: %s\n", c->strain ? "strain" : "equation",
                             c->strain ? c->strain->kind.name : equation_word[c->order]);
    if (c->plane)
        used += (size_t)snprintf(text + used, room - used, "    plane: %s\n", plane_word[c->plane]);
    if (c->bbar)
        used += (size_t)snprintf(text + used, room - used, "    bbar: true\n");
    if (c->strain)
        snprintf(text + used, room - used,
                 "supports: [{set: left, all: 0}]\nloads: [{set: all, body_force: %s}]\ninitial: {part: {velocity: %s}}\n", force[dim - 1],
                 velocity[dim - 1]);
    else
        snprintf(text + used, room - used, "supports: [{set: left, value: 0}]\nloads: [{set: all, source: =200*(1 + 60*t)*x}]\n%s%s%s",
                 c->order ? "initial: {part: {value: =0.3*(x - 1)^2" : "", c->order == 2 ? ", rate: =12*(x - 1)" : "",
                 c->order ? "}}\n" : "");
}

void combination_model(const combination *c, int method, int jacobian, char *text, size_t room) {
    char spec[100];
    problem_text(c, text, room);
    if (!integrator_of(method))
        return;
    spec_of(method, jacobian, spec, sizeof spec);
    size_t used = strlen(text);
    snprintf(text + used, room - used, "simulate: {until: %g, step: %g, tolerance: %g, integrator: \"%s\"}\n", STEPS * STEP, STEP,
             TOLERANCE, spec);
}

/* ---- runs */

static void end_free(combination_end *end) {
    free(end->value);
    free(end->rate);
    free(end->reaction);
    *end = (combination_end){0};
}

typedef struct taking {
    combination_end *end, *start; /* start NULL: not wanted */
    int from[3];                  /* which fields are values, rates, reactions; -1: none */
    long n;
} taking;

static bl_status take_begin(void *user, const bl_run_info *info) {
    static const char *const names[3][2] = {{"displacement", "value"}, {"velocity", "rate"}, {"reaction", "reaction_flow"}};
    taking *take = user;
    for (int k = 0; k < 3; k++) {
        take->from[k] = -1;
        for (bl_index f = 0; f < info->nfield; f++)
            if (strcmp(info->field[f].name, names[k][0]) == 0 || strcmp(info->field[f].name, names[k][1]) == 0) {
                take->from[k] = (int)f;
                take->n = (long)info->field[f].items * info->field[f].components;
            }
    }
    return BL_OK;
}

static bl_status take_sample(void *user, const bl_sample *s) {
    taking *take = user;
    combination_end *end = take->start ? take->start : take->end;
    take->start = NULL;
    end_free(end);
    end->n = take->n;
    double **to[3] = {&end->value, &end->rate, &end->reaction};
    for (int k = 0; k < 3; k++) {
        *to[k] = calloc((size_t)take->n + 1, sizeof(double));
        if (take->from[k] >= 0)
            memcpy(*to[k], s->field[take->from[k]], (size_t)take->n * sizeof(double));
    }
    end->kinetic = s->kinetic;
    end->potential = s->potential;
    end->dissipated = s->dissipated;
    end->error = s->energy_error;
    return BL_OK;
}

static bl_status run_spec(combination_problem *p, const char *spec, double step, double tolerance, combination_end *end,
                          combination_end *start) {
    taking take = {.end = end, .start = start};
    double until = STEPS * STEP, at[2] = {start ? 0 : until, until};
    bl_run_options options = {.integrator = spec, .until = until, .step = step, .tolerance = tolerance, .at = at, .nat = start ? 2 : 1};
    options.fields = p->c.order < 2 ? "value" : p->c.strain ? "displacement,velocity" : "value,rate";
    bl_sink sink = {.user = &take, .begin = take_begin, .sample = take_sample, .want = BL_WANT_FIELDS | BL_WANT_ENERGIES};
    bl_context_clear_error(p->ctx);
    return bl_simulate(p->ctx, p->model, &options, &sink, 1, NULL);
}

static bl_status find_equilibrium(combination_problem *p, bl_index increments, combination_end *end) {
    taking take = {.end = end};
    bl_equilibrium_options options = {.until = STEPS * STEP,
                                      .increments = increments,
                                      .any = true,
                                      .iterations = combination_consistent(&p->c) ? 0 : 2000}; /* else slow */
    options.fields = p->c.strain ? "displacement,reaction" : "value,reaction_flow";
    bl_sink sink = {.user = &take, .begin = take_begin, .sample = take_sample, .want = BL_WANT_FIELDS | BL_WANT_ENERGIES};
    bl_context_clear_error(p->ctx);
    return bl_equilibrium(p->ctx, p->model, &options, &sink, 1, NULL, NULL);
}

/* Largest difference of values and of rates, each by the size of the motion; infinite where something is not finite. */
static double apart(const combination_problem *p, const combination_end *a, const combination_end *b) {
    double most = 0;
    if (a->n != b->n || a->n == 0)
        return INFINITY;
    for (int k = 0; k < (p->stationary ? 1 : 2); k++)
        for (long i = 0; i < a->n; i++) {
            double d = k ? a->rate[i] - b->rate[i] : a->value[i] - b->value[i];
            most = isfinite(d) ? fmax(most, fabs(d) / p->size[k]) : INFINITY;
        }
    return most;
}

static void keep_why(const bl_context *ctx, char *why, size_t room) { snprintf(why, room, "%s", bl_context_error(ctx)->what); }

bl_status combination_open(combination_problem *p, const combination *c) {
    char text[TEXT];
    bl_system *sys = NULL;
    *p = (combination_problem){.c = *c, .ctx = test_context(NULL), .method = -1};
    problem_text(c, text, sizeof text);
    bl_status status = bl_model_read_text(p->ctx, "combination", text, strlen(text), NULL, 0, &p->model);
    if (status == BL_OK)
        status = bl_fem_build(p->ctx, p->model, &sys);
    keep_why(p->ctx, p->why, sizeof p->why);
    if (status == BL_OK) {
        p->kinked = sys->facts & BL_HISTORY;
        p->stationary = !c->strain && c->order == 0;
    }
    bl_system_destroy(sys);
    return status;
}

void combination_close(combination_problem *p) {
    end_free(&p->reference);
    end_free(&p->first);
    bl_model_destroy(p->model);
    test_context_end(p->ctx);
    *p = (combination_problem){0};
}

/* What forces do: the motion less what it would be without them. */
static void measure(combination_problem *p, const combination_end *start) {
    const combination_end *end = &p->reference;
    double all[2] = {0};
    p->size[0] = p->size[1] = 0;
    for (long i = 0; i < end->n; i++) {
        double coasting = p->c.order == 2 ? start->value[i] + STEPS * STEP * start->rate[i] : p->c.order == 1 ? start->value[i] : 0;
        p->size[0] = fmax(p->size[0], fabs(end->value[i] - coasting));
        p->size[1] = fmax(p->size[1], fabs(end->rate[i] - (p->c.order == 2 ? start->rate[i] : 0)));
        all[0] = fmax(all[0], fabs(end->value[i]));
        all[1] = fmax(all[1], fabs(end->rate[i]));
    }
    p->motion = fmax(all[0] / p->size[0], p->c.order == 2 ? all[1] / p->size[1] : 0);
}

/* Energy that is neither stored, dissipated nor work done, as a share of what is stored and dissipated: of laws that have an energy. Small
 * strains: by the method; large ones of laws with a history: to the order of strains and volume changes (docs/theory/materials.md). */
static bool balanced(const combination_problem *p) {
    const combination_end *e = &p->reference;
    const bl_material *material = &p->model->solid[0].section[0].material;
    if (p->c.order < 2 || !(material->gives & BL_MATERIAL_ENERGY))
        return true;
    double share = !p->kinked ? 1e-8 : p->c.strain->small ? 1e-3 : 0.05;
    return fabs(e->error) <= share * (fabs(e->potential) + fabs(e->dissipated));
}

/* smooth motions by a method of high order, others by small steps */
bool combination_reference(combination_problem *p) {
    combination_end start = {0};
    bl_status status = p->kinked ? run_spec(p, "trapezoidal:newton=full", STEP / FINER, TOLERANCE, &p->reference, &start)
                                 : run_spec(p, "radau", 0, 1e-9, &p->reference, &start);
    if (status != BL_OK)
        keep_why(p->ctx, p->why, sizeof p->why);
    else
        measure(p, &start);
    end_free(&start);
    if (status == BL_OK && balanced(p))
        return true;
    if (status == BL_OK)
        snprintf(p->why, sizeof p->why, "energy of %.3g appears: %.3g is stored, %.3g dissipated", p->reference.error,
                 p->reference.potential, p->reference.dissipated);
    return false;
}

/* ---- cells */

/* What all nodes are loaded with along the last direction (fields: in all) at the end, integrated over the reference. */
static double load_at_end(const combination *c) {
    const double pi = 3.14159265358979323846, t = STEPS * STEP;
    bool around = c->plane == BL_PLANE_AXISYMMETRIC;
    /* integrals of 1, x over the mesh; weighed with 2 pi x around the axis */
    double cube = (2.5 * 2.5 * 2.5 - 1) / 3, square = (2.5 * 2.5 - 1) / 2, height = c->element->dim == 2 ? 2 : 1;
    double of_1 = height * (around ? 2 * pi * square : 1.5), of_x = height * (around ? 2 * pi * cube : square);
    if (!c->strain)
        return 200 * (1 + 60 * t) * of_x;
    return c->element->dim == 1 ? 4 * (1 + 60 * t) * of_1 : c->element->dim == 2 ? -2 * (1 - 20 * t) * of_1 : 3 * (of_1 + 30 * t * of_x);
}

/* Equilibrium under the loads of the end, in two increments and in five: supports balance the loads, and the number of
 * increments does not matter (laws with a history: little). A field without rates is also compared with the end of its runs. */
static combination_result equilibrium_cell(combination_problem *p, char *why, size_t room, double *error) {
    combination_end end = {0}, finer = {0};
    combination_result result = COMBINATION_WRONG;
    bl_status status = find_equilibrium(p, 2, &end);
    if (status == BL_OK)
        status = find_equilibrium(p, 5, &finer);
    if (status != BL_OK) {
        keep_why(p->ctx, why, room);
        result = status == BL_E_NUMERIC ? COMBINATION_WRONG : COMBINATION_REFUSED;
    } else {
        long step = p->c.strain ? 3 : 1, last = p->c.strain ? p->c.element->dim - 1 : 0;
        double sum = 0, load = load_at_end(&p->c), size = 0, off = 0;
        for (long i = last; i < end.n; i += step)
            sum += end.reaction[i];
        for (long i = 0; i < end.n; i++) {
            size = fmax(size, fabs(finer.value[i]));
            off = fmax(off, fabs(end.value[i] - finer.value[i]));
            if (p->stationary)
                off = fmax(off, fabs(end.value[i] - p->reference.value[i]));
        }
        *error = off / size;
        if (!(fabs(sum + load) <= 1e-7 * fabs(load)))
            snprintf(why, room, "supports exert %.9g against a load of %.9g", sum, load);
        else if (!(off <= (p->kinked ? 0.05 : 1e-7) * size))
            snprintf(why, room, "equilibria by 2 and by 5 increments differ by %.3g of %.3g", off, size);
        else
            result = COMBINATION_RUNS;
    }
    end_free(&end);
    end_free(&finer);
    return result;
}

/* With a quarter of the step, the error of a method of order p falls by 4^p; required is 4^(p-1), at least 2. Below GOOD nothing is
 * required: errors of iterations and of the reference show there. Where a law begins to flow inside a step, the error is of first order
 * and depends on where in the step the kink lies: ROUGH. */
static const double GOOD = 1e-4, ROUGH = 1e-2;

static bool converges(combination_problem *p, int method, const char *spec, double error, char *why, size_t room) {
    combination_end end = {0};
    int order = p->kinked ? 1 : bl_integrator_kinds[method]->order;
    double required = fmax(2, pow(4, order - 1)), finer = INFINITY;
    bl_status status = run_spec(p, spec, STEP / 4, TOLERANCE, &end, NULL);
    if (status == BL_OK)
        finer = apart(p, &end, &p->reference);
    end_free(&end);
    if (error <= 0.5 && finer <= fmax(p->kinked ? ROUGH : GOOD, error / required))
        return true;
    snprintf(why, room, "off by %.3g of what forces do, with a quarter of the step by %.3g", error, finer);
    return false;
}

combination_result combination_cell(combination_problem *p, int method, int jacobian, char *why, size_t room, double *error) {
    double unused;
    error = error ? error : &unused;
    *error = NAN;
    why[0] = 0;
    if (!integrator_of(method))
        return equilibrium_cell(p, why, room, error);
    char spec[100];
    combination_end end = {0};
    combination_result result = COMBINATION_RUNS;
    spec_of(method, jacobian, spec, sizeof spec);
    bl_status status = run_spec(p, spec, STEP, TOLERANCE, &end, NULL);
    if (status != BL_OK) {
        keep_why(p->ctx, why, room);
        end_free(&end);
        return status == BL_E_NUMERIC || why[0] == 0 ? COMBINATION_WRONG : COMBINATION_REFUSED;
    }
    bool adaptive = bl_integrator_kinds[method]->kind.gives & BL_ADAPTIVE;
    *error = apart(p, &end, &p->reference);
    /* tolerances are shares of the motion, of which forces are a part */
    double good = fmax(p->kinked ? ROUGH : GOOD, 50 * TOLERANCE * p->motion);
    if (p->c.order == 2 && !isfinite(end.kinetic + end.potential + end.dissipated + end.error)) {
        snprintf(why, room, "energies are not finite");
        result = COMBINATION_WRONG;
    } else if (adaptive && !(*error <= good)) {
        snprintf(why, room, "off by %.3g of what forces do at tolerance %g", *error, TOLERANCE);
        result = COMBINATION_WRONG;
    } else if (jacobian > 0 && p->method == method && !adaptive) {
        double off = apart(p, &end, &p->first);
        if (!(off <= 1e-6)) {
            snprintf(why, room, "differs by %.3g of what forces do from jacobian=%s", off, jacobian_word[0]);
            result = COMBINATION_WRONG;
        }
    } else if (!adaptive && !(*error <= GOOD) && !converges(p, method, spec, *error, why, room))
        result = COMBINATION_WRONG;
    if (jacobian == 0) {
        end_free(&p->first);
        p->first = end;
        p->method = method;
        end = (combination_end){0};
    }
    end_free(&end);
    return result;
}

bool combination_consistent(const combination *c) {
    char variant[80];
    variant_text(c->material, c->variant, variant, sizeof variant);
    return !strstr(variant, "tangent:");
}

/* ---- the source's counting */

static bool named(const char *name, const char *const *list, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (strcmp(name, list[k]) == 0)
            return true;
    return false;
}

bool combination_counted(const combination *c, int method) {
    static const char *const elements[] = {"segment2", "segment3", "triangle3", "triangle6", "quad4", "quad9"};
    static const char *const materials[] = {"elastic", "conducting", "plastic", "hypoelastic", "neo_hookean", "nearly_incompressible",
                                            "hencky",  "string"};
    static const char *const methods[] = {"equilibrium",
                                          "rk4",
                                          "trapezoidal",
                                          "bdf_alpha",
                                          "bdf",
                                          "ndf",
                                          "ebdf",
                                          "ebndf",
                                          "enbdf",
                                          "endf",
                                          "mebdf",
                                          "mebndf",
                                          "menbdf",
                                          "mendf",
                                          "dopri45",
                                          "bs23",
                                          "ndf_auto",
                                          "rosenbrock23",
                                          "trapezoidal_auto",
                                          "trbdf2"};
    return named(c->element->kind.name, elements, 6) && named(c->material->kind.name, materials, 8) &&
           named(combination_method_name(method), methods, 20);
}

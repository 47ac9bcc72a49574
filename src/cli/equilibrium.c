/* biela equilibrium: where a model stays at rest under its loads, and how that moves with them. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 6 };

typedef struct table {
    bl_run_info info;
    const char *parameter; /* of the path; NULL: the load is t */
    bool path, several;
    int branch; /* of the last line */
} table;

static bl_status begin(void *user, const bl_run_info *info) {
    table *t = user;
    t->info = *info;
    t->several = strcmp(info->integrator, "starts") == 0;
    t->path = !t->several && strcmp(info->integrator, "none") != 0;
    t->parameter = info->load;
    cli_out("%s (%s): %d unknowns, %d equations, %d degree%s of freedom\n", info->model_name, info->coordinates, (int)info->nv,
            (int)info->np, (int)info->freedoms, info->freedoms == 1 ? "" : "s");
    if (!t->path)
        return BL_OK;
    cli_out("  %14.14s", t->parameter ? t->parameter : "load");
    for (bl_index i = 0; i < info->nvariable && i < MOST_COLUMNS; i++)
        cli_out("  %14.14s", info->variable[i]);
    for (bl_index i = info->nvariable; i < info->nvariable + 3 * info->nprobe && i < MOST_COLUMNS; i++) {
        char name[64];
        bl_index k = i - info->nvariable;
        snprintf(name, sizeof name, "%.12s.%c", info->probe[k / 3], "xyz"[k % 3]);
        cli_out("  %14s", name);
    }
    cli_out("%s  stability\n", info->nvariable + 3 * info->nprobe > MOST_COLUMNS ? "  ..." : "");
    return BL_OK;
}

static const char *critical_word(bl_critical_what what) {
    return what == BL_LIMIT_POINT ? "limit point" : what == BL_BRANCHING_POINT ? "branching point" : "singular point";
}

static const char *stability_word(const bl_equilibrium_point *p) {
    if (p->critical)
        return critical_word(p->what);
    return p->unstable > 0   ? "unstable"
           : p->unstable < 0 ? (p->conservative ? "not known" : "not conservative")
           : p->neutral > 0  ? "neutral"
                             : "stable";
}

static void print_stability(const bl_run_info *info, const bl_equilibrium_point *p) {
    cli_out("  %-16s %s", "stability", stability_word(p));
    if (p->unstable > 0 || (p->unstable == 0 && p->neutral > 0))
        cli_out(" along %d motion%s: %s", (int)(p->unstable > 0 ? p->unstable : p->neutral),
                (p->unstable > 0 ? p->unstable : p->neutral) == 1 ? "" : "s", p->motions);
    cli_out("\n");
    for (bl_index k = 0; k < p->nsoft && info->nbody > 0; k++) {
        const bl_soft_motion *m = &p->soft[k];
        cli_out("  %-16s %s: %.10g %s", k == 0 ? "softest motions" : "", m->motion, m->stiffness, m->is_angle ? "N m/rad" : "N/m");
        if (m->eigenvalue >= 0)
            cli_out(", %.10g rad/s", sqrt(m->eigenvalue));
        else if (m->eigenvalue < 0)
            cli_out(", grows by %.10g /s", sqrt(-m->eigenvalue));
        cli_out("\n");
    }
}

static void print_springs(const bl_run_info *info, const bl_sample *sample) {
    for (bl_index i = 0; i < info->nspring; i++)
        cli_out("  %-16s %.6g %s, tension %.6g %s\n", info->spring[i], sample->spring_length[i], info->spring_is_angle[i] ? "rad" : "m",
                sample->spring_tension[i], info->spring_is_angle[i] ? "N m" : "N");
}

static void print_place(const bl_run_info *info, const bl_sample *sample) {
    for (bl_index i = 0; i < info->nbody; i++) {
        const double *x = sample->body[i].position, *q = sample->body[i].quaternion;
        cli_out("  %-16s at (%.9g, %.9g, %.9g)  quaternion (%.9g, %.9g, %.9g, %.9g)\n", info->body[i], x[0], x[1], x[2], q[0], q[1], q[2],
                q[3]);
    }
    for (bl_index i = 0; i < info->nvariable; i++)
        cli_out("  %-16s %.9g%s\n", info->variable[i], sample->variable[i], info->nbody == 0 ? "" : info->is_angle[i] ? " rad" : " m");
    for (bl_index i = 0; i < info->nprobe; i++)
        cli_out("  %-16s at (%.9g, %.9g, %.9g)\n", info->probe[i], sample->probe[3 * i], sample->probe[3 * i + 1],
                sample->probe[3 * i + 2]);
    for (bl_index i = 0; i < info->njoint; i++) {
        const double *f = sample->reaction[i].force, *m = sample->reaction[i].moment;
        cli_out("  %-16s force (%.6g, %.6g, %.6g) N  moment (%.6g, %.6g, %.6g) N m\n", info->joint[i], f[0], f[1], f[2], m[0], m[1], m[2]);
    }
    print_springs(info, sample);
    if (info->nbody > 0)
        cli_out("  %-16s %.9g J\n", "potential", sample->potential);
    print_stability(info, sample->equilibrium);
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    table *t = user;
    if (!t->path) {
        if (t->several)
            cli_out("equilibrium %d\n", (int)sample->t);
        print_place(&t->info, sample);
        return BL_OK;
    }
    if (sample->equilibrium->branch != t->branch)
        cli_out("  branch %d\n", t->branch = sample->equilibrium->branch);
    cli_out("  %14.9g", sample->t);
    for (bl_index i = 0; i < t->info.nvariable && i < MOST_COLUMNS; i++)
        cli_out("  %14.9g", sample->variable[i]);
    for (bl_index i = t->info.nvariable; i < t->info.nvariable + 3 * t->info.nprobe && i < MOST_COLUMNS; i++)
        cli_out("  %14.9g", sample->probe[i - t->info.nvariable]);
    cli_out("  %s\n", stability_word(sample->equilibrium));
    return BL_OK;
}

static bl_status end(void *user, const bl_run_summary *summary) {
    const bl_equilibrium_summary *found = summary->equilibrium;
    const table *t = user;
    if (t->several)
        cli_out("  %-16s %ld equilibri%s from %ld starts: %ld did not close, %ld led to one found before\n", "found", found->found,
                found->found == 1 ? "um" : "a", found->starts + 1, found->starts - found->closed, found->merged);
    else
        cli_out("  %-16s %ld equilibri%s, %ld refused, %ld iterations, out of balance by %.2g of the forces (%s)\n", "found", found->found,
                found->found == 1 ? "um" : "a", found->refused, found->iterations, found->residual, found->worst);
    if (t->path && found->unstable >= 0)
        cli_out("  %-16s %s\n", "stability", found->unstable > 0 ? "unstable" : found->neutral > 0 ? "neutral" : "stable");
    if (summary->dissipated > 0)
        cli_out("  %-16s %.6g J, by materials; the balance with the work of loads is off by %.2g J at most\n", "dissipated",
                summary->dissipated, summary->largest_energy_error);
    if (found->branches > 0)
        cli_out("  %-16s %d followed\n", "branches", found->branches);
    for (bl_index i = 0; i < found->npoint && i < BL_MOST_CRITICAL; i++)
        cli_out("  %-16s %s %.11g%s%s\n", critical_word(found->point[i].what), t->parameter ? t->parameter : "load", found->point[i].t,
                found->point[i].motion[0] ? ", moving " : "", found->point[i].motion);
    if (found->npoint > BL_MOST_CRITICAL)
        cli_out("  %-16s %d more\n", "critical points", (int)(found->npoint - BL_MOST_CRITICAL));
    return BL_OK;
}

/* "P=0:5"; the name is copied to parameter[size] */
static bool read_path(const char *text, char *parameter, size_t size, double *from, double *to) {
    const char *equals = strchr(text, '=');
    char *end, *last;
    if (!equals || equals == text || (size_t)(equals - text) >= size)
        return false;
    memcpy(parameter, text, (size_t)(equals - text));
    parameter[equals - text] = '\0';
    *from = strtod(equals + 1, &end);
    if (end == equals + 1 || *end != ':')
        return false;
    *to = strtod(end + 1, &last);
    return last != end + 1 && *last == '\0' && isfinite(*from) && isfinite(*to);
}

static bool path_options(const cli_args *args, cli_equilibrium_texts *texts, bl_equilibrium_options *o, cli_mistake *mistake) {
    if (args->path) {
        if (args->run.until > 0) {
            snprintf(mistake->what, sizeof mistake->what, "--path and --until are two paths: choose one");
            return false;
        }
        if (!read_path(args->path, texts->parameter, sizeof texts->parameter, &o->from, &o->until)) {
            snprintf(mistake->what, sizeof mistake->what, "--path takes NAME=FROM:TO, not '%s'", args->path);
            snprintf(mistake->advice, sizeof mistake->advice, "for example --path P=0:1000");
            return false;
        }
        o->parameter = texts->parameter;
    }
    if (!args->hold)
        return true;
    snprintf(texts->hold, sizeof texts->hold, "%s", args->hold);
    char *rest = texts->hold;
    for (char *name = strtok_r(rest, ",", &rest); name && o->nhold < CLI_MOST_HELD; name = strtok_r(NULL, ",", &rest))
        texts->name[o->nhold++] = name;
    o->hold = texts->name;
    return true;
}

bool cli_equilibrium_options(const cli_args *args, cli_equilibrium_texts *texts, bl_equilibrium_options *options, cli_mistake *mistake) {
    static const char *const words[] = {"both", "residual", "increment"};
    *options = (bl_equilibrium_options){.coordinates = args->run.coordinates,
                                        .linsol = args->run.linsol,
                                        .from = args->from,
                                        .until = args->run.until,
                                        .increments = (bl_index)args->increments,
                                        .iterations = (bl_index)args->iterations,
                                        .tolerance = args->run.tolerance,
                                        .any = args->any,
                                        .arc_length = args->arc_length,
                                        .branches = args->branches,
                                        .starts = (bl_index)args->starts,
                                        .fields = args->run.fields};
    if (!path_options(args, texts, options, mistake))
        return false;
    for (int k = 0; args->criterion; k++) {
        if (k == 3) {
            snprintf(mistake->what, sizeof mistake->what, "--criterion takes residual, increment or both, not '%s'", args->criterion);
            const char *nearest = bl_nearest(args->criterion, words, 3);
            if (nearest)
                snprintf(mistake->advice, sizeof mistake->advice, "did you mean '%s'?", nearest);
            return false;
        }
        options->criterion = (bl_criterion)k;
        if (strcmp(args->criterion, words[k]) == 0)
            break;
    }
    return true;
}

static bl_status study(bl_context *ctx, const cli_args *args, const bl_model *model, bl_sink *sinks, bl_index nsink, cli_outcome *outcome) {
    bl_equilibrium_options options;
    cli_equilibrium_texts texts;
    cli_mistake unused;
    cli_equilibrium_options(args, &texts, &options, &unused);
    return bl_equilibrium(ctx, model, &options, sinks, nsink, &outcome->summary, &outcome->equilibrium);
}

static int equilibrium(bl_context *ctx, cli_args *args) {
    bl_equilibrium_options options;
    cli_equilibrium_texts texts;
    cli_mistake mistake = {0};
    if (!cli_equilibrium_options(args, &texts, &options, &mistake))
        return cli_fail_usage(args, &mistake);
    table shown = {0};
    bl_sink sink = {.user = &shown, .begin = begin, .sample = take_sample, .end = end};
    cli_outcome outcome;
    bool silent = args->json || args->quiet;
    cli_do_study(ctx, args, study, args->output, silent ? (bl_sink){0} : sink, &outcome);
    return outcome.status == BL_OK || (outcome.status == BL_STOPPED && outcome.samples > 0) ? EXIT_DONE
                                                                                            : cli_fail(ctx, args, outcome.status);
}

static const cli_option *const options_of_equilibrium[] = {&cli_opt_json,
                                                           &cli_opt_output,
                                                           &cli_opt_csv,
                                                           &cli_opt_vtk,
                                                           &cli_opt_fields,
                                                           &cli_opt_from,
                                                           &cli_opt_load,
                                                           &cli_opt_increments,
                                                           &cli_opt_arc_length,
                                                           &cli_opt_any,
                                                           &cli_opt_starts,
                                                           &cli_opt_load_path,
                                                           &cli_opt_branches,
                                                           &cli_opt_hold,
                                                           &cli_opt_newton_tolerance,
                                                           &cli_opt_criterion,
                                                           &cli_opt_iterations,
                                                           &cli_opt_set,
                                                           &cli_opt_confined,
                                                           &cli_opt_coordinates,
                                                           &cli_opt_closure,
                                                           &cli_opt_linsol,
                                                           &cli_opt_quiet,
                                                           &cli_opt_verbose,
                                                           &cli_opt_help,
                                                           NULL};

const cli_command cli_equilibrium = {
    "equilibrium",
    "MODEL",
    "where it stays at rest under its loads; paths of loads",
    "Finds where a model stays at rest: from its start downhill to a stable equilibrium, or with --until a path of equilibria while\n"
    "the load parameter, which is the time t in laws of loads and drivers, grows; with --path over any parameter of the model, with\n"
    "limit and branching points. --starts looks for all equilibria. Speeds are zero and drivers stand still. When a path\n"
    "ends early everything up to the last equilibrium is kept. Writes a file only where -o or --csv says so.",
    options_of_equilibrium,
    equilibrium};

/* biela equilibrium: equilibria of a model under its loads, and paths of equilibria over a load parameter. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* values of the options of this command */
struct own {
    const char *path, *hold, *criterion;
    double iterations, starts;
    bool branches, arc_length;
};

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
            (int)info->np, (int)info->dof, cli_s(info->dof));
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
            cli_out(", grows at %.10g 1/s", sqrt(-m->eigenvalue));
        cli_out("\n");
    }
}

static void print_springs(const bl_run_info *info, const bl_sample *sample) {
    for (bl_index i = 0; i < info->nspring; i++)
        cli_line(info->spring[i], "%.6g %s, tension %.6g %s", sample->spring_length[i], info->spring_is_angle[i] ? "rad" : "m",
                 sample->spring_tension[i], info->spring_is_angle[i] ? "N m" : "N");
}

static void print_configuration(const bl_run_info *info, const bl_sample *sample) {
    cli_print_bodies(info, sample->body);
    for (bl_index i = 0; i < info->nvariable; i++)
        cli_line(info->variable[i], "%.9g%s", sample->variable[i], info->nbody == 0 ? "" : info->is_angle[i] ? " rad" : " m");
    for (bl_index i = 0; i < info->nprobe; i++)
        cli_print_point(info->probe[i], sample->probe + 3 * i);
    for (bl_index i = 0; i < info->njoint; i++) {
        const double *f = sample->reaction[i].force, *m = sample->reaction[i].moment;
        cli_line(info->joint[i], "force (%.6g, %.6g, %.6g) N  moment (%.6g, %.6g, %.6g) N m", f[0], f[1], f[2], m[0], m[1], m[2]);
    }
    print_springs(info, sample);
    if (info->nbody > 0)
        cli_line("potential", "%.9g J", sample->potential);
    print_stability(info, sample->equilibrium);
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    table *t = user;
    if (!t->path) {
        if (t->several)
            cli_out("equilibrium %d\n", (int)sample->t);
        print_configuration(&t->info, sample);
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
        cli_line("found", "%ld equilibri%s from %ld starts: %ld could not be assembled, %ld led to a known one", found->found,
                 found->found == 1 ? "um" : "a", found->starts + 1, found->starts - found->closed, found->merged);
    else
        cli_line("found", "%ld equilibri%s, %ld refused, %ld iterations, residual %.2g of the forces (%s)", found->found,
                 found->found == 1 ? "um" : "a", found->refused, found->iterations, found->residual, found->worst);
    if (t->path && found->unstable >= 0)
        cli_line("stability", "%s", found->unstable > 0 ? "unstable" : found->neutral > 0 ? "neutral" : "stable");
    if (summary->dissipated > 0)
        cli_line("dissipated", "%.6g J, by materials; largest error of the balance with the work of loads %.2g J", summary->dissipated,
                 summary->largest_energy_error);
    if (found->branches > 0)
        cli_line("branches", "%d followed", found->branches);
    for (bl_index i = 0; i < found->npoint && i < BL_MOST_CRITICAL; i++)
        cli_line(critical_word(found->point[i].what), "%s %.11g%s%s", t->parameter ? t->parameter : "load", found->point[i].t,
                 found->point[i].motion[0] ? ", moving " : "", found->point[i].motion);
    if (found->npoint > BL_MOST_CRITICAL)
        cli_line("critical points", "%d more", (int)(found->npoint - BL_MOST_CRITICAL));
    return BL_OK;
}

/* what the options point to */
enum { MOST_HELD = 64 };
typedef struct texts {
    cli_assignment path;
    char hold[2048];
    const char *name[MOST_HELD];
} texts;

static bool path_options(const cli_args *args, texts *t, bl_equilibrium_options *o, cli_mistake *mistake) {
    const char *path = cli_own(args)->path;
    if (path && args->run.until > 0)
        return cli_mistaken(mistake, "", "--path and --until cannot be used together");
    if (path && (!cli_read_assignment(path, ':', 2, &t->path) || t->path.n != 2))
        return cli_mistaken(mistake, "for example --path P=0:1000", "--path takes NAME=FROM:TO, not '%s'", path);
    if (path) {
        o->parameter = t->path.name;
        o->from = t->path.value[0];
        o->until = t->path.value[1];
    }
    if (!cli_own(args)->hold)
        return true;
    snprintf(t->hold, sizeof t->hold, "%s", cli_own(args)->hold);
    char *rest = t->hold;
    for (char *name = strtok_r(rest, ",", &rest); name && o->nhold < MOST_HELD; name = strtok_r(NULL, ",", &rest))
        t->name[o->nhold++] = name;
    o->hold = t->name;
    return true;
}

static bool read_options(const cli_args *args, texts *t, bl_equilibrium_options *o, cli_mistake *mistake) {
    static const char *const words[] = {"residual", "increment", "both", NULL};
    static const bl_criterion criteria[] = {BL_CRITERION_RESIDUAL, BL_CRITERION_INCREMENT, BL_CRITERION_BOTH};
    const struct own *own = cli_own(args);
    *o = (bl_equilibrium_options){.size = sizeof *o,
                                  .coordinates = args->run.coordinates,
                                  .linsol = args->run.linsol,
                                  .from = args->from,
                                  .until = args->run.until,
                                  .increments = (bl_index)args->increments,
                                  .iterations = (bl_index)own->iterations,
                                  .tolerance = args->run.tolerance,
                                  .any = args->any,
                                  .arc_length = own->arc_length,
                                  .branches = own->branches,
                                  .starts = (bl_index)own->starts,
                                  .fields = args->run.fields};
    int word = own->criterion ? cli_read_word("criterion", own->criterion, words, NULL, mistake) : 2;
    o->criterion = criteria[word < 0 ? 2 : word];
    return word >= 0 && path_options(args, t, o, mistake);
}

static bl_status study(bl_context *ctx, const cli_args *args, const bl_model *model, bl_sink *sinks, bl_index nsink, cli_outcome *outcome) {
    bl_equilibrium_options options;
    texts t;
    cli_mistake unused;
    read_options(args, &t, &options, &unused);
    return bl_equilibrium(ctx, model, &options, sinks, nsink, &outcome->summary, &outcome->equilibrium);
}

static int equilibrium(bl_context *ctx, cli_args *args) {
    bl_equilibrium_options options;
    texts t;
    cli_mistake mistake = {0};
    if (!read_options(args, &t, &options, &mistake))
        return cli_fail_usage(args, &mistake);
    table shown = {0};
    bl_sink sink = {.size = sizeof sink, .user = &shown, .begin = begin, .sample = take_sample, .end = end};
    cli_outcome outcome;
    bool silent = args->json || args->quiet;
    cli_do_study(ctx, args, study, args->output, silent ? (bl_sink){0} : sink, &outcome);
    return outcome.status == BL_OK || (outcome.status == BL_STOPPED && outcome.samples > 0) ? EXIT_DONE
                                                                                            : cli_fail(ctx, args, outcome.status);
}

static const cli_option *const options_of_equilibrium[] = {
    &cli_opt_json,
    &cli_opt_optional_output,
    &cli_opt_csv,
    &cli_opt_vtk,
    &cli_opt_fields,
    &cli_opt_from,
    CLI_SHARED(run.until, 0, "until", "LOAD", CLI_POSITIVE, "follow equilibria while the load parameter grows to this value"),
    &cli_opt_increments,
    CLI_OWN(arc_length, 0, "arc-length", NULL, CLI_FLAG, "follow the path by arc length, past limit points"),
    &cli_opt_any,
    CLI_OWN(starts, 0, "starts", "NUMBER", CLI_COUNT, "also search from this many random starts; list equilibria by energy"),
    CLI_OWN(path, 0, "path", "NAME=FROM:TO", CLI_TEXT, "follow equilibria while this model parameter changes, past limit points"),
    CLI_OWN(branches, 0, "branches", NULL, CLI_FLAG, "also follow the branches that start at branching points"),
    CLI_OWN(hold, 0, "hold", "NAME,...", CLI_TEXT, "variables held at their start values: A.angle"),
    &cli_opt_newton_tolerance,
    CLI_OWN(criterion, 0, "criterion", "WHAT", CLI_TEXT, "convergence by residual, increment or both (default: both)"),
    CLI_OWN(iterations, 0, "iterations", "NUMBER", CLI_COUNT, "maximum number of Newton iterations per increment (default: 30)"),
    CLI_MODEL_OPTIONS,
    &cli_opt_coordinates,
    &cli_opt_closure,
    &cli_opt_linsol,
    CLI_MESSAGE_OPTIONS};

const cli_command cli_equilibrium = {
    .name = "equilibrium",
    .word = "MODEL",
    .help = "find equilibria under the loads; follow load paths",
    .text = "Finds equilibria of a model. Default: descends in energy from the start to a stable equilibrium. --until\n"
            "follows equilibria while the load parameter grows, which is the time t in the laws of loads and drivers;\n"
            "--path follows them over any parameter of the model, with limit and branching points. --starts searches for\n"
            "all equilibria. Velocities are zero and drivers do not move. If a path ends early, the equilibria found so\n"
            "far are kept. Files are written only with -o, --csv or --vtk.",
    .options = options_of_equilibrium,
    .run = equilibrium,
    .own = sizeof(struct own),
    .parallel = true};

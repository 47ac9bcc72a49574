/* Options: tables in, values, usage text and mistakes out. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPTION(id, letter, name, value, type, field, help) \
    const cli_option cli_opt_##id = {name, value, help, letter, type, offsetof(cli_args, field)}

OPTION(help, 'h', "help", NULL, CLI_FLAG, help, "show this text");
OPTION(json, 0, "json", NULL, CLI_FLAG, json, "print one JSON object on standard output; no file unless -o");
OPTION(quiet, 'q', "quiet", NULL, CLI_FLAG, quiet, "say nothing but errors");
OPTION(verbose, 'v', "verbose", NULL, CLI_FLAG, verbose, "say more on standard error");
OPTION(set, 's', "set", "NAME=NUMBER", CLI_SET, set, "override a parameter of the model; may be repeated");
OPTION(confined, 0, "confined", NULL, CLI_FLAG, confined, "refuse files outside the model's folder (models from strangers)");
OPTION(output, 'o', "output", "FILE", CLI_TEXT, output, "result file (default: MODEL.h5 in this folder)");
OPTION(csv, 0, "csv", "FILE", CLI_TEXT, csv, "write a table as well");
OPTION(vtk, 0, "vtk", "FOLDER", CLI_TEXT, vtk, "write fields of meshes for VTK as well: .vtu files and their times in fields.pvd");
OPTION(fields, 0, "fields", "LIST", CLI_TEXT, run.fields, "of meshes: names separated by commas, all (default) or none");
OPTION(output_figure, 'o', "output", "FILE", CLI_TEXT, output, "the figure (default RESULT.svg in the current folder)");
OPTION(show, 0, "show", "FIELD", CLI_TEXT, show,
       "field and component: stress.11, displacement.y, von_mises, none, ...; without a component the modulus");
OPTION(body, 0, "body", "NAME", CLI_TEXT, body, "this one alone");
OPTION(moment, 0, "time", "T", CLI_TEXT, moment, "the output nearest to it: time, load or number of a mode (default: the last one)");
OPTION(factor, 0, "factor", "F", CLI_POSITIVE, factor, "of displacements (default: 1, or one that makes them visible)");
OPTION(reference, 0, "reference", NULL, CLI_FLAG, reference, "draw the mesh as it was");
OPTION(levels, 0, "levels", "N", CLI_POSITIVE, levels, "about so many levels of colors or isolines (default 10)");
OPTION(isolines, 0, "isolines", NULL, CLI_FLAG, isolines, "isolines instead of colors");
OPTION(view, 0, "view", "A,E", CLI_TEXT, view, "meshes in space: azimuth and elevation of the eye in degrees (default 30,25)");
OPTION(curve, 0, "curve", "X,Y", CLI_TEXT, curve, "one quantity against another instead");
OPTION(output_report, 'o', "output", "FILE", CLI_TEXT, output, "the page (default RESULT.html in the current folder)");
OPTION(part_from, 0, "from", "T", CLI_TEXT, part_from, "only samples from this time on");
OPTION(part_to, 0, "to", "T", CLI_TEXT, part_to, "only samples up to this time");
OPTION(report_compare, 0, "report", "FILE.html", CLI_MAYBE, report,
       "write the table and motions as a page for a browser (default: MODEL-compare.html)");
OPTION(report, 0, "report", "FILE.html", CLI_MAYBE, report, "write a page for a browser as well (default: named after the result)");
OPTION(output_plot, 'o', "output", "FILE", CLI_TEXT, output,
       "the figure: .svg, .pdf or .png (default RESULT-plot.svg in the current folder)");
OPTION(against, 0, "against", "X", CLI_TEXT, against, "horizontal axis: a name or an expression instead of time");
OPTION(log, 0, "log", NULL, CLI_FLAG, log, "magnitudes on a logarithmic axis");
OPTION(degrees, 0, "degrees", NULL, CLI_FLAG, degrees, "angles in degrees (the default)");
OPTION(radians, 0, "radians", NULL, CLI_FLAG, radians, "angles in radians");
OPTION(mm, 0, "mm", NULL, CLI_FLAG, mm, "lengths in mm (the default where everything stays within 0.5 m)");
OPTION(meters, 0, "meters", NULL, CLI_FLAG, meters, "lengths in m");
OPTION(size, 0, "size", "WxH", CLI_TEXT, size, "in pixels, for example 900x400 (default: by what is drawn)");
OPTION(keep, 0, "keep", NULL, CLI_FLAG, keep, "leave the script (.gp) and the data (.dat) beside the figure");
OPTION(output_film, 'o', "output", "FILE", CLI_TEXT, output, "the film: .webm, .mp4 or .gif (default RESULT.webm in the current folder)");
OPTION(fps, 0, "fps", "N", CLI_POSITIVE, fps, "pictures a second (default: 30; GIF 20)");
OPTION(speed, 0, "speed", "F", CLI_POSITIVE, speed, "seconds of motion shown in a second (default: 1, or so that a film takes 10 s)");
OPTION(film_size, 0, "size", "WxH", CLI_TEXT, size, "in pixels, even numbers (default 960x540; GIF 480x270)");
OPTION(theme, 0, "theme", "NAME", CLI_TEXT, theme, "light or dark (default: light)");
OPTION(film_view, 0, "view", "NAME", CLI_TEXT, view, "a view of the page: 1 to 6 along axes, 7 slanted, 0 the first one");
OPTION(at, 0, "at", "T1,T2,...", CLI_TIMES, at, "output exactly at these times; the last one ends the run");
OPTION(coordinates, 0, "coordinates", "KIND", CLI_TEXT, run.coordinates, "see `biela list coordinates`");
OPTION(closure, 0, "closure", "NUMBER", CLI_POSITIVE, closure, "share of its size to which the dimensions of the mechanism agree");
OPTION(formulation, 0, "formulation", "KIND", CLI_TEXT, run.formulation, "see `biela list formulations`");
OPTION(integrator, 0, "integrator", "KIND", CLI_TEXT, run.integrator, "see `biela list integrators`");
OPTION(linsol, 0, "linsol", "KIND", CLI_TEXT, run.linsol, "see `biela list linsols`");
OPTION(ordering, 0, "ordering", "KIND", CLI_TEXT, run.ordering, "see `biela list orderings`");
OPTION(singular, 0, "singular", "WAY", CLI_TEXT, run.singular, "where constraints lose rank: pass, step_over or refuse (default: pass)");
OPTION(tolerance, 0, "tolerance", "NUMBER", CLI_POSITIVE, run.tolerance, "relative tolerance");
OPTION(absolute, 0, "absolute", "NUMBER", CLI_POSITIVE, run.absolute, "absolute tolerance of every component");
OPTION(step, 0, "step", "SECONDS", CLI_POSITIVE, run.step, "step of fixed-step methods, first step of others");
OPTION(until, 0, "until", "SECONDS", CLI_POSITIVE, run.until, "when the run ends");
OPTION(every, 0, "every", "SECONDS", CLI_POSITIVE, run.every, "output interval");
OPTION(every_step, 0, "every-step", NULL, CLI_FLAG, run.every_step, "output at every step");
OPTION(threads, 0, "threads", "NUMBER", CLI_COUNT, threads, "threads that share out the elements of meshes (default: 1)");
OPTION(matrix, 0, "matrix", "FILE", CLI_TEXT, matrix, "a Matrix Market file instead of a model");
OPTION(figures, 0, "figures", "PREFIX", CLI_TEXT, figures, "draw the ordered matrices: PREFIX-NAME.svg");
OPTION(independent, 0, "independent", "NAME,...", CLI_TEXT, independent, "columns to leave out: j1.angle, B.x (default: the model's)");

OPTION(adjacency, 0, "matrix", "FILE", CLI_TEXT, matrix, "coded adjacency matrix instead of a model: rows of 0 to 5, CSV or JSON");
OPTION(pairs, 0, "pairs", "FILE", CLI_TEXT, pairs, "pairs instead of a model: lines `i j code`, or JSON");
OPTION(all_inputs, 0, "all-inputs", NULL, CLI_FLAG, all_inputs, "compare the groups of the mechanism driven at other pairs");
OPTION(graph, 0, "graph", "FILE.svg", CLI_TEXT, graph, "draw links and pairs");
OPTION(diagram, 0, "diagram", "FILE.svg", CLI_TEXT, diagram, "draw the groups and what stands on what");
OPTION(search, 0, "search", NULL, CLI_FLAG, search, "look at every set of links (reference, slow) instead of the fast method");

OPTION(solver, 0, "solver", "WAY", CLI_TEXT, solver, "groups, newton (no closed forms) or whole (one Newton for all links)");

OPTION(from, 0, "from", "LOAD", CLI_NUMBER, from, "load parameter (the model's time) of the first equilibrium (default: 0)");
OPTION(load, 0, "until", "LOAD", CLI_POSITIVE, run.until, "follow equilibria while the load parameter grows to here");
OPTION(increments, 0, "increments", "NUMBER", CLI_COUNT, increments,
       "parts of the path, each no longer than that (default: 10, and longer ones)");
OPTION(iterations, 0, "iterations", "NUMBER", CLI_COUNT, iterations, "most iterations of Newton's method per increment (default: 30)");
OPTION(criterion, 0, "criterion", "WHAT", CLI_TEXT, criterion, "what must be small: residual, increment or both (default: both)");
OPTION(any, 0, "any", NULL, CLI_FLAG, any, "take an equilibrium of any kind, stable or not");
OPTION(arc_length, 0, "arc-length", NULL, CLI_FLAG, arc_length, "follow the path by its length, past limit points");
OPTION(starts, 0, "starts", "NUMBER", CLI_COUNT, starts, "look from so many random starts as well, and list what is found by energy");
OPTION(load_path, 0, "path", "NAME=FROM:TO", CLI_TEXT, path,
       "follow equilibria while this parameter of the model changes, past limit points");
OPTION(branches, 0, "branches", NULL, CLI_FLAG, branches, "follow the paths that branch off as well");
OPTION(hold, 0, "hold", "NAME,...", CLI_TEXT, hold, "variables that stay as they are at the start: A.angle");
OPTION(newton_tolerance, 0, "tolerance", "NUMBER", CLI_POSITIVE, run.tolerance, "relative, of forces and displacements (default: 1e-10)");

OPTION(count, 0, "count", "NUMBER", CLI_COUNT, count, "how many of the lowest modes (default: 10)");
OPTION(all_modes, 0, "all", NULL, CLI_FLAG, all, "all modes");
OPTION(where, 0, "at", "WHERE", CLI_TEXT, where, "equilibrium, found from the start; start; steady; a time (default: equilibrium)");
OPTION(anyway, 0, "anyway", NULL, CLI_FLAG, anyway, "although it is neither in balance nor in steady motion there: frozen");
OPTION(input, 0, "input", "NAME", CLI_NAMES, input, "of the linearized mechanism: variable, driver, force or parameter; repeatable");
OPTION(output_of, 0, "output", "NAME", CLI_NAMES, output_of, "what is seen of it: A.angle, C.x, reaction.A.fx, ...; or FILE.h5, as -o");
OPTION(modes_path, 0, "path", "NAME=FROM:TO", CLI_TEXT, path,
       "eigenvalues over a parameter, NAME=FROM:TO:POINTS; --csv is then their table (default: 101 points)");
OPTION(animate, 0, "animate", "MODE", CLI_COUNT, animate, "-o gets a period of this mode as a motion instead of all shapes");
OPTION(damped, 0, "damped", NULL, CLI_FLAG, damped, "complex modes wherever there is damping (default: of mechanisms)");
OPTION(undamped, 0, "undamped", NULL, CLI_FLAG, undamped, "real modes without damping, each with its damping ratio");
OPTION(normalize, 0, "normalize", "WHAT", CLI_TEXT, normalize, "mass: phi' M phi = 1, or largest: largest entry 1 (default: mass)");
OPTION(method, 0, "method", "WAY", CLI_TEXT, method, "lapack (full matrices) or arpack (some of many; default beyond 1500 unknowns)");
OPTION(place_load, 0, "load", "LOAD", CLI_POSITIVE, load, "about the equilibrium at the end of a path of loads from 0 to here");
OPTION(shapes, 0, "shapes", NULL, CLI_FLAG, shapes, "with --json: the shapes, unknown by unknown");
OPTION(amplitude, 0, "amplitude", "NUMBER", CLI_POSITIVE, amplitude, "of shapes in files, times the shape (default: 1; mechanisms 0.1)");
OPTION(shapes_file, 'o', "result", "FILE", CLI_TEXT, output, "result file: shapes at \"times\" 1, 2, ..., or the answer with --until");
OPTION(answer_until, 0, "until", "SECONDS", CLI_POSITIVE, run.until, "answer by modes from the model's start until then");
OPTION(answer_every, 0, "every", "SECONDS", CLI_POSITIVE, run.every, "output interval of the answer (default: until / 200)");
OPTION(answer_step, 0, "step", "SECONDS", CLI_POSITIVE, run.step, "loads are linear over such steps (default: the output interval)");
OPTION(take, 0, "take", "NUMBER", CLI_COUNT, take, "answer by so many modes (default: all that were found)");
OPTION(most, 0, "most", NULL, CLI_FLAG, most, "those that take part most instead of the lowest");
OPTION(correction, 0, "static-correction", NULL, CLI_FLAG, correction, "add what the other modes would carry statically");
OPTION(rayleigh, 0, "rayleigh", "A,B", CLI_TEXT, rayleigh, "damping A M + B K in place of the model's");
OPTION(model, 0, "model", "MODEL", CLI_TEXT, model, "mark the frequencies of a model on the curves; with --step");
OPTION(model_step, 0, "step", "SECONDS", CLI_POSITIVE, run.step, "step that the model's frequencies are marked for");
OPTION(model_count, 0, "count", "NUMBER", CLI_COUNT, count, "how many of its lowest frequencies (default: all, of large models 10)");

OPTION(figure, 'o', "figure", "FILE.svg", CLI_TEXT, output, "draw regions, radius, damping and period error (gnuplot)");
OPTION(ratios, 0, "at", "R1,R2,...", CLI_TIMES, at, "h/T of the tables (default: 0.01 to 1)");
OPTION(xi, 0, "xi", "NUMBER", CLI_NOT_NEGATIVE, xi, "physical damping ratio of the tables, below 1 (default: 0)");
OPTION(region, 0, "region", NULL, CLI_FLAG, region, "with --json: the boundary of the stability region as polylines");

OPTION(all, 0, "all", NULL, CLI_FLAG, all, "every combination instead of one axis at a time");
OPTION(limit, 0, "limit", "SECONDS", CLI_POSITIVE, limit, "time of the clock for each combination (default: 10)");
OPTION(fixed, 0, "step", "SECONDS", CLI_POSITIVE, run.step, "fixed-step methods take this step (default: found by halving)");

OPTION(move, 0, "move", "VAR=VALUE", CLI_NAMES, move, "move to where A.angle, or P.x of a probe, has this value; may be repeated");
OPTION(rate_input, 0, "input", "VAR=RATE,ACC", CLI_NAMES, rate_input, "given rate and second rate (default 0); may be repeated");
OPTION(wanted, 0, "output", "VAR", CLI_NAMES, wanted, "mechanical advantage at this variable; may be repeated");

OPTION(order, 0, "order", "NUMBER", CLI_POSITIVE, order, "highest power, 2 to 60 (default: 8)");
OPTION(c, 0, "c", NULL, CLI_FLAG, c_code, "print a function in C; with --json: beside the coefficients");
OPTION(series_formulation, 0, "formulation", "KIND", CLI_TEXT, run.formulation, "index2, partition, lagrange or plain (default: index2)");

OPTION(matrices, 0, "matrices", "FILE", CLI_TEXT, matrices,
       "x' = A x + B u, y = C x + D u: .m (Octave, MATLAB), .json, .mtx (FILE.A.mtx, ...)");
OPTION(response, 0, "response", "FILE", CLI_TEXT, response, "frequency response of outputs to inputs: .csv, or .svg (Bode plot)");
OPTION(frequencies, 0, "frequencies", "FROM:TO[:N]", CLI_TEXT, frequencies, "of the response, rad/s (default: around the poles)");
OPTION(locus, 0, "locus", "FILE.svg", CLI_TEXT, locus, "draw the eigenvalues along --path in the complex plane");
OPTION(campbell, 0, "campbell", "FILE.svg", CLI_TEXT, campbell, "draw the frequencies along --path; of a speed with its multiples");

OPTION(table, 0, "from", "TABLE.csv", CLI_TEXT, table, "the motion is a measured one: time, variables or coordinates of probes");
OPTION(noise, 0, "noise", "NUMBER", CLI_TEXT, noise, "standard deviation of the table; 0: none (default: found by cross-validation)");
OPTION(forward, 0, "check", NULL, CLI_FLAG, check, "make the motion again by a run under the forces found, and say how far it is off");
OPTION(check_tolerance, 0, "tolerance", "NUMBER", CLI_POSITIVE, run.tolerance, "of the run that checks (default: 1e-10)");

/* ---- values */

static bool number(const char *text, size_t length, double *value) {
    char copy[64], *end;
    if (length == 0 || length >= sizeof copy || strspn(text, "0123456789+-.eE") < length)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value = strtod(copy, &end);
    return *end == '\0' && isfinite(*value);
}

static bool mistaken(cli_mistake *mistake, const char *what, const char *name, const char *text, const char *advice) {
    snprintf(mistake->what, sizeof mistake->what, what, name, text);
    snprintf(mistake->advice, sizeof mistake->advice, "%s", advice);
    return false;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* "1,2.5,4": sorted, each once */
static bool read_times(const char *text, cli_args *args, cli_mistake *mistake) {
    bl_index n = 1;
    for (const char *c = text; *c; c++)
        n += *c == ',';
    free(args->at);
    args->at = calloc((size_t)n, sizeof *args->at);
    if (!args->at)
        return mistaken(mistake, "no memory for %s%s", "--at", "", "");
    const char *at = text;
    for (bl_index i = 0; i < n; i++) {
        size_t length = strcspn(at, ",");
        if (!number(at, length, &args->at[i]) || args->at[i] < 0)
            return mistaken(mistake, "%s takes numbers that are not negative, separated by commas, not '%s'", "--at", text,
                            "for example --at 0,0.5,1");
        at += length + 1;
    }
    qsort(args->at, (size_t)n, sizeof *args->at, ascending);
    args->run.nat = 1;
    for (bl_index i = 1; i < n; i++)
        if (args->at[i] > args->at[args->run.nat - 1])
            args->at[args->run.nat++] = args->at[i];
    args->run.at = args->at;
    return true;
}

static bool read_set(const char *text, cli_args *args, cli_mistake *mistake) {
    const char *equals = strchr(text, '=');
    double value;
    if (!equals || equals == text || !number(equals + 1, strlen(equals + 1), &value))
        return mistaken(mistake, "%s takes NAME=NUMBER, not '%s'", "--set", text, "for example --set length=0.5");
    size_t n = (size_t)args->nset + 1;
    bl_override *set = realloc(args->set, n * sizeof *set);
    if (set)
        args->set = set;
    char **texts = realloc(args->set_text, n * sizeof *texts);
    if (texts)
        args->set_text = texts;
    char *name = set && texts ? strndup(text, (size_t)(equals - text)) : NULL;
    if (!name)
        return mistaken(mistake, "no memory for %s%s", "--set", "", "");
    args->set_text[n - 1] = name;
    args->set[n - 1] = (bl_override){name, value};
    args->nset++;
    return true;
}

static bool read_name(const char *text, cli_names *names, cli_mistake *mistake) {
    const char **more = realloc((void *)names->name, ((size_t)names->n + 1) * sizeof *more);
    if (!more)
        return mistaken(mistake, "no memory for %s%s", text, "", "");
    names->name = more;
    names->name[names->n++] = text;
    return true;
}

static bool read_value(const cli_option *option, const char *text, cli_args *args, cli_mistake *mistake) {
    char name[32];
    snprintf(name, sizeof name, "--%s", option->name);
    void *field = (char *)args + option->offset;
    switch (option->type) {
    case CLI_FLAG: *(bool *)field = true; return true;
    case CLI_TEXT: *(const char **)field = text; return text[0] ? true : mistaken(mistake, "%s needs a value%s", name, "", "");
    case CLI_NUMBER:
        if (number(text, strlen(text), field))
            return true;
        return mistaken(mistake, "%s takes a number, not '%s'", name, text, "");
    case CLI_COUNT:
        if (number(text, strlen(text), field) && *(double *)field >= 1 && *(double *)field <= 1e9 &&
            *(double *)field == floor(*(double *)field))
            return true;
        return mistaken(mistake, "%s takes a whole number from 1, not '%s'", name, text, "");
    case CLI_POSITIVE:
        if (number(text, strlen(text), field) && *(double *)field > 0)
            return true;
        return mistaken(mistake, "%s takes a number above 0, not '%s'", name, text, "");
    case CLI_NOT_NEGATIVE:
        if (number(text, strlen(text), field) && *(double *)field >= 0)
            return true;
        return mistaken(mistake, "%s takes a number that is not negative, not '%s'", name, text, "");
    case CLI_TIMES: return read_times(text, args, mistake);
    case CLI_SET: return read_set(text, args, mistake);
    case CLI_MAYBE: *(const char **)field = text ? text : ""; return true;
    case CLI_NAMES: return text[0] ? read_name(text, field, mistake) : mistaken(mistake, "%s needs a value%s", name, "", "");
    }
    return false;
}

/* ---- the command line */

static const cli_option *find_option(const cli_command *command, const char *name, size_t length, cli_mistake *mistake) {
    const char *names[64] = {0};
    size_t n = 0;
    for (; command->options[n]; n++) {
        if (strlen(command->options[n]->name) == length && strncmp(command->options[n]->name, name, length) == 0)
            return command->options[n];
        names[n] = command->options[n]->name;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), name);
    snprintf(mistake->what, sizeof mistake->what, "biela %s has no option '--%s'", command->name, word);
    const char *nearest = bl_nearest(word, names, n);
    if (nearest)
        snprintf(mistake->advice, sizeof mistake->advice, "did you mean '--%s'?", nearest);
    else
        snprintf(mistake->advice, sizeof mistake->advice, "`biela help %s` shows its options", command->name);
    return NULL;
}

static const cli_option *find_letter(const cli_command *command, char letter, cli_mistake *mistake) {
    for (size_t n = 0; command->options[n]; n++)
        if (command->options[n]->letter == letter)
            return command->options[n];
    snprintf(mistake->what, sizeof mistake->what, "biela %s has no option '-%c'", command->name, letter);
    snprintf(mistake->advice, sizeof mistake->advice, "`biela help %s` shows its options", command->name);
    return NULL;
}

/* --report: its value is a page; another word behind it is the model */
static bool is_page(const char *word) {
    size_t n = strlen(word);
    return word[0] != '-' && n > 5 && strcmp(word + n - 5, ".html") == 0;
}

/* One option at argv[*i], with its value behind '=', glued to the letter, or in the next word. */
static bool read_option(const cli_command *command, int argc, char **argv, int *i, cli_args *args, cli_mistake *mistake) {
    const char *text = argv[*i], *value = NULL;
    const cli_option *option;
    if (text[1] == '-') {
        size_t length = strcspn(text + 2, "=");
        option = find_option(command, text + 2, length, mistake);
        if (text[2 + length] == '=')
            value = text + 3 + length;
    } else {
        option = find_letter(command, text[1], mistake);
        if (text[2])
            value = text + 2;
    }
    if (!option)
        return false;
    if (option->type == CLI_FLAG && value)
        return mistaken(mistake, "%s takes no value, found '%s'", text, value, "");
    if (option->type == CLI_MAYBE && !value && *i + 1 < argc && is_page(argv[*i + 1]))
        value = argv[++*i];
    if (option->type != CLI_FLAG && option->type != CLI_MAYBE && !value) {
        if (*i + 1 >= argc)
            return mistaken(mistake, "%s needs a value: %s", text, option->value, "");
        value = argv[++*i];
    }
    return read_value(option, value, args, mistake);
}

static bool takes_many(const cli_command *command) { return command->word && strstr(command->word, "..."); }

static bool add_word(const char *text, cli_args *args, cli_mistake *mistake) {
    const char **words = realloc(args->words, ((size_t)args->nword + 1) * sizeof *words);
    if (!words)
        return mistaken(mistake, "no memory for %s%s", "words", "", "");
    args->words = words;
    words[args->nword++] = text;
    args->word = words[0];
    return true;
}

/* what no single option can see */
static bool check_together(const cli_command *command, cli_args *args, cli_mistake *mistake) {
    if (command->word && command->word[0] != '[' && !args->word) {
        snprintf(mistake->what, sizeof mistake->what, "biela %s needs a %s", command->name, command->word);
        snprintf(mistake->advice, sizeof mistake->advice, "%s",
                 strncmp(command->word, "RESULT", 6) == 0 ? "a file that `biela run` wrote"
                 : takes_many(command)                    ? "`biela list integrators` shows them; parameters stand behind a colon: bdf:3"
                                                          : "a model file, or - for standard input");
        return false;
    }
    args->run.threads = (int)fmin(args->threads, 1e6);
    int outputs = (args->at != NULL) + (args->run.every > 0) + args->run.every_step;
    if (outputs > 1)
        return mistaken(mistake, "%s and %s exclude each other", args->at ? "--at" : "--every",
                        args->run.every_step ? "--every-step" : "--every", "each says when there is output");
    if (args->at) {
        double last = args->at[args->run.nat - 1];
        if (args->run.until == 0)
            args->run.until = last; /* 0: the model's own */
        else if (last > args->run.until) {
            snprintf(mistake->what, sizeof mistake->what, "--at asks for time %g, behind --until %g", last, args->run.until);
            snprintf(mistake->advice, sizeof mistake->advice, "leave --until out: the last time of --at ends the run");
            return false;
        }
    }
    return true;
}

bool cli_parse(const cli_command *command, int argc, char **argv, int first, cli_args *args, cli_mistake *mistake) {
    bool only_words = false;
    for (int i = first; i < argc; i++) {
        const char *text = argv[i];
        if (!only_words && strcmp(text, "--") == 0) {
            only_words = true;
        } else if (!only_words && text[0] == '-' && text[1] != '\0') {
            if (!read_option(command, argc, argv, &i, args, mistake))
                return false;
        } else if (!command->word) {
            return mistaken(mistake, "biela %s takes no '%s'", command->name, text, "");
        } else if (takes_many(command)) {
            if (!add_word(text, args, mistake))
                return false;
        } else if (args->word) {
            return mistaken(mistake, "biela %s takes one word, '%s' is one too many", command->name, text, "");
        } else {
            args->word = text;
        }
    }
    return args->help || check_together(command, args, mistake);
}

void cli_args_destroy(cli_args *args) {
    for (bl_index i = 0; i < args->nset; i++)
        free(args->set_text[i]);
    free(args->set_text);
    free(args->set);
    free(args->at);
    free(args->words);
    free((void *)args->input.name);
    free((void *)args->output_of.name);
    free((void *)args->move.name);
    free((void *)args->rate_input.name);
    free((void *)args->wanted.name);
    *args = (cli_args){0};
}

/* ---- usage text */

static void usage_of_program(FILE *out) {
    fprintf(out, "usage: biela COMMAND [WORDS] [OPTIONS]\n\n");
    for (const cli_command *const *c = cli_commands; *c; c++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", (*c)->name, (*c)->word ? (*c)->word : "");
        fprintf(out, "  biela %-20s %s\n", left, (*c)->help);
    }
    fprintf(out, "  biela %-20s %s\n", "--version", "print the version");
    fprintf(out, "\nEvery command takes --json and --help. Exit: 0 done, 2 usage, 3 bad model, 4 numerical failure (what was\n"
                 "computed is kept), 5 file or system.\n");
}

void cli_usage(const cli_command *command, FILE *out) {
    if (!command) {
        usage_of_program(out);
        return;
    }
    fprintf(out, "usage: biela %s%s%s [OPTIONS]\n\n%s\n\n", command->name, command->word ? " " : "", command->word ? command->word : "",
            command->text);
    for (const cli_option *const *o = command->options; *o; o++) {
        char left[64], letter[8] = "    ";
        if ((*o)->letter)
            snprintf(letter, sizeof letter, "-%c, ", (*o)->letter);
        bool maybe = (*o)->type == CLI_MAYBE;
        snprintf(left, sizeof left, "%s--%s%s%s%s", letter, (*o)->name,
                 maybe         ? " ["
                 : (*o)->value ? " "
                               : "",
                 (*o)->value ? (*o)->value : "", maybe ? "]" : "");
        fprintf(out, "  %-26s %s\n", left, (*o)->help);
    }
}

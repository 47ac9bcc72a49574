/* Options: parsing, usage text and error messages from tables. */
#include "cli/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define OPTION(id, letter, name, value, type, field, help) \
    const cli_option cli_opt_##id = {name, value, help, letter, type, offsetof(cli_args, field), false}

OPTION(help, 'h', "help", NULL, CLI_FLAG, help, "show this text");
OPTION(json, 0, "json", NULL, CLI_FLAG, json, "print one JSON object on standard output instead of text");
OPTION(quiet, 'q', "quiet", NULL, CLI_FLAG, quiet, "print only errors");
OPTION(verbose, 'v', "verbose", NULL, CLI_FLAG, verbose, "print more on standard error");
OPTION(set, 's', "set", "NAME=NUMBER", CLI_SET, set, "override a parameter of the model; may be repeated");
OPTION(confined, 0, "confined", NULL, CLI_FLAG, confined, "refuse files outside the model's folder (for untrusted models)");
OPTION(output, 'o', "output", "FILE", CLI_TEXT, output, "result file (default: MODEL.h5 in this folder)");
OPTION(optional_output, 'o', "output", "FILE", CLI_TEXT, output, "result file (default: none is written)");
OPTION(csv, 0, "csv", "FILE", CLI_TEXT, csv, "also write a table (CSV)");
OPTION(vtk, 0, "vtk", "FOLDER", CLI_TEXT, vtk, "also write mesh fields for VTK: .vtu files, their times in fields.pvd");
OPTION(fields, 0, "fields", "LIST", CLI_TEXT, run.fields, "mesh fields to write: names separated by commas, all (default) or none");
OPTION(part_from, 0, "from", "T", CLI_TEXT, part_from, "only samples from this time on");
OPTION(part_to, 0, "to", "T", CLI_TEXT, part_to, "only samples up to this time");
OPTION(report, 0, "report", "FILE.html", CLI_MAYBE, report, "also write a page for a browser (default: named after the result)");
OPTION(at, 0, "at", "T1,T2,...", CLI_TIMES, at, "output exactly at these times; the last one ends the run");
OPTION(coordinates, 0, "coordinates", "KIND", CLI_TEXT, run.coordinates, "coordinates (`biela list coordinates`)");
OPTION(closure, 0, "closure", "NUMBER", CLI_POSITIVE, closure, "relative accuracy to which the given dimensions fit together");
OPTION(contact, 0, "contact", "METHOD", CLI_TEXT, contact,
       "contacts by events or by time stepping: events, stepping (default: the model's)");
OPTION(formulation, 0, "formulation", "KIND", CLI_TEXT, run.formulation,
       "formulation of the equations of motion (`biela list formulations`)");
OPTION(integrator, 0, "integrator", "KIND", CLI_TEXT, run.integrator, "time integration method (`biela list integrators`)");
OPTION(linsol, 0, "linsol", "KIND", CLI_TEXT, run.linsol, "linear solver (`biela list linsols`)");
OPTION(ordering, 0, "ordering", "KIND", CLI_TEXT, run.ordering, "ordering of sparse matrices (`biela list orderings`)");
OPTION(singular, 0, "singular", "METHOD", CLI_TEXT, run.singular, "at singular configurations: pass, step_over or refuse (default: pass)");
OPTION(tolerance, 0, "tolerance", "NUMBER", CLI_POSITIVE, run.tolerance, "relative tolerance");
OPTION(until, 0, "until", "SECONDS", CLI_POSITIVE, run.until, "end time of the run");
OPTION(every, 0, "every", "SECONDS", CLI_POSITIVE, run.every, "output interval");
OPTION(from, 0, "from", "LOAD", CLI_NUMBER, from, "load parameter (the model's time) of the first equilibrium (default: 0)");
OPTION(increments, 0, "increments", "NUMBER", CLI_COUNT, increments,
       "divide the path into at least this many increments (default: start with 10, which may grow)");
OPTION(any, 0, "any", NULL, CLI_FLAG, any, "accept any equilibrium, stable or not");
OPTION(newton_tolerance, 0, "tolerance", "NUMBER", CLI_POSITIVE, run.tolerance,
       "relative tolerance of forces and displacements (default: 1e-10)");
OPTION(move, 0, "move", "VAR=VALUE", CLI_NAMES, move, "move until A.angle, or P.x of a probe, has this value; may be repeated");

/* ---- values */

/* the first `length` characters of text */
static bool number(const char *text, size_t length, double *value) {
    char copy[64], *end;
    if (length == 0 || length >= sizeof copy || strspn(text, "0123456789+-.eE") < length)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value = strtod(copy, &end);
    return *end == '\0' && isfinite(*value);
}

static void put_mistake(cli_mistake *mistake, const char *advice, const char *format, va_list args) {
    vsnprintf(mistake->what, sizeof mistake->what, format, args);
    snprintf(mistake->advice, sizeof mistake->advice, "%s", advice);
}

bool cli_mistaken(cli_mistake *mistake, const char *advice, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_mistake(mistake, advice, format, args);
    va_end(args);
    return false;
}

int cli_refuse(const cli_args *args, const char *advice, const char *format, ...) {
    cli_mistake mistake;
    va_list list;
    va_start(list, format);
    put_mistake(&mistake, advice, format, list);
    va_end(list);
    return cli_fail_usage(args, &mistake);
}

int cli_read_numbers(const char *text, char separator, int most, double *value) {
    const char ends[2] = {separator, '\0'};
    for (int n = 0; n < most; n++) {
        size_t length = strcspn(text, ends);
        if (!number(text, length, &value[n]))
            return 0;
        if (text[length] == '\0')
            return n + 1;
        text += length + 1;
    }
    return 0;
}

bool cli_read_assignment(const char *text, char separator, int most, cli_assignment *a) {
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof a->name)
        return false;
    snprintf(a->name, sizeof a->name, "%.*s", (int)(equals - text), text);
    a->n = cli_read_numbers(equals + 1, separator, most, a->value);
    return a->n > 0;
}

cli_assignment *cli_read_assignments(const char *option, const char *takes, const char *example, const cli_names *texts, int most,
                                     cli_mistake *mistake) {
    cli_assignment *all = calloc((size_t)texts->n + 1, sizeof *all);
    if (!all)
        cli_mistaken(mistake, "", "out of memory for --%s", option);
    for (bl_index i = 0; all && i < texts->n; i++)
        if (!cli_read_assignment(texts->name[i], ',', most, &all[i])) {
            cli_mistaken(mistake, example, "--%s takes %s, not '%.200s'", option, takes, texts->name[i]);
            free(all);
            return NULL;
        }
    return all;
}

int cli_read_word(const char *option, const char *text, const char *const *words, const char * or, cli_mistake *mistake) {
    char list[200], hint[128] = "";
    size_t n = 0, used = 0;
    for (; words[n]; n++)
        if (strcmp(text, words[n]) == 0)
            return (int)n;
    for (size_t k = 0; k < n && used < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k == 0 ? "" : k + 1 == n && ! or ? " or " : ", ", words[k]);
    const char *nearest = bl_nearest(text, words, n);
    if (nearest)
        snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    cli_mistaken(mistake, hint, "--%s takes %s%s%s, not '%s'", option, list, or ? " or " : "", or ? or : "", text);
    return -1;
}

bool cli_ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), m = strlen(ending);
    return n > m && strcmp(text + n - m, ending) == 0;
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
        return cli_mistaken(mistake, "", "no memory for --at");
    const char *at = text;
    for (bl_index i = 0; i < n; i++) {
        size_t length = strcspn(at, ",");
        if (!number(at, length, &args->at[i]) || args->at[i] < 0)
            return cli_mistaken(mistake, "for example --at 0,0.5,1",
                                "--at takes numbers that are not negative, separated by commas, not '%s'", text);
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
    cli_assignment read;
    if (!cli_read_assignment(text, '\0', 1, &read))
        return cli_mistaken(mistake, "for example --set length=0.5", "--set takes NAME=NUMBER, not '%s'", text);
    size_t n = (size_t)args->nset + 1;
    bl_override *set = realloc(args->set, n * sizeof *set);
    if (set)
        args->set = set;
    char **texts = realloc(args->set_text, n * sizeof *texts);
    if (texts)
        args->set_text = texts;
    char *name = set && texts ? strdup(read.name) : NULL;
    if (!name)
        return cli_mistaken(mistake, "", "out of memory for --set");
    args->set_text[n - 1] = name;
    args->set[n - 1] = (bl_override){name, read.value[0]};
    args->nset++;
    return true;
}

static bool read_name(const char *text, cli_names *names, cli_mistake *mistake) {
    const char **more = realloc((void *)names->name, ((size_t)names->n + 1) * sizeof *more);
    if (!more)
        return cli_mistaken(mistake, "", "out of memory for '%s'", text);
    names->name = more;
    names->name[names->n++] = text;
    return true;
}

static bool read_number(const cli_option *option, const char *text, double *value, cli_mistake *mistake) {
    bool good = number(text, strlen(text), value);
    const char *takes = "a number";
    if (option->type == CLI_COUNT) {
        takes = "an integer from 1 to 1e9";
        good = good && *value >= 1 && *value <= 1e9 && *value == floor(*value);
    } else if (option->type == CLI_POSITIVE) {
        takes = "a positive number";
        good = good && *value > 0;
    } else if (option->type == CLI_NOT_NEGATIVE) {
        takes = "zero or a positive number";
        good = good && *value >= 0;
    }
    return good || cli_mistaken(mistake, "", "--%s takes %s, not '%s'", option->name, takes, text);
}

/* where the value is stored */
static void *field_of(const cli_option *option, cli_args *args) { return (char *)(option->own ? args->own : args) + option->offset; }

static bool read_value(const cli_option *option, const char *text, cli_args *args, cli_mistake *mistake) {
    void *field = field_of(option, args);
    if ((option->type == CLI_TEXT || option->type == CLI_NAMES) && !text[0])
        return cli_mistaken(mistake, "", "--%s needs a value", option->name);
    switch (option->type) {
    case CLI_FLAG: *(bool *)field = true; return true;
    case CLI_TEXT: *(const char **)field = text; return true;
    case CLI_MAYBE: *(const char **)field = text ? text : ""; return true;
    case CLI_TIMES: return read_times(text, args, mistake);
    case CLI_SET: return read_set(text, args, mistake);
    case CLI_NAMES: return read_name(text, field, mistake);
    default: return read_number(option, text, field, mistake);
    }
}

/* ---- the command line */

/* by its name[length], or, if name is NULL, by its letter */
static const cli_option *find_option(const cli_command *command, const char *name, size_t length, char letter, cli_mistake *mistake) {
    enum { MOST = 64 }; /* names searched for the nearest one */
    const char *names[MOST];
    char hint[128];
    size_t n = 0;
    for (const cli_option *const *o = command->options; *o; o++) {
        if (name ? strlen((*o)->name) == length && strncmp((*o)->name, name, length) == 0 : (*o)->letter == letter)
            return *o;
        if (n < MOST)
            names[n++] = (*o)->name;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), name ? name : &letter);
    const char *nearest = name ? bl_nearest(word, names, n) : NULL;
    if (nearest)
        snprintf(hint, sizeof hint, "did you mean '--%s'?", nearest);
    else
        snprintf(hint, sizeof hint, "`biela help %s` shows its options", command->name);
    cli_mistaken(mistake, hint, "biela %s has no option '%s%s'", command->name, name ? "--" : "-", word);
    return NULL;
}

/* --report: a following word that ends in .html is its value; any other is the model */
static bool is_page(const char *word) { return word[0] != '-' && cli_ends_with(word, ".html"); }

/* One option at argv[*i], with its value after '=', directly after the letter, or in the next word. */
static bool read_option(const cli_command *command, int argc, char **argv, int *i, cli_args *args, cli_mistake *mistake) {
    const char *text = argv[*i], *value = NULL;
    const cli_option *option;
    if (text[1] == '-') {
        size_t length = strcspn(text + 2, "=");
        option = find_option(command, text + 2, length, 0, mistake);
        if (text[2 + length] == '=')
            value = text + 3 + length;
    } else {
        option = find_option(command, NULL, 1, text[1], mistake);
        if (text[2])
            value = text + 2;
    }
    if (!option)
        return false;
    if (option->type == CLI_FLAG && value)
        return cli_mistaken(mistake, "", "--%s takes no value, found '%s'", option->name, value);
    if (option->type == CLI_MAYBE && !value && *i + 1 < argc && is_page(argv[*i + 1]))
        value = argv[++*i];
    if (option->type != CLI_FLAG && option->type != CLI_MAYBE && !value) {
        if (*i + 1 >= argc)
            return cli_mistaken(mistake, "", "%s needs a value: %s", text, option->value);
        value = argv[++*i];
    }
    return read_value(option, value, args, mistake);
}

static bool takes_many(const cli_command *command) { return command->word && strstr(command->word, "..."); }

/* conditions between options */
static bool check_together(const cli_command *command, cli_args *args, cli_mistake *mistake) {
    if (command->word && command->word[0] != '[' && !args->word)
        return cli_mistaken(mistake,
                            strncmp(command->word, "RESULT", 6) == 0 ? "RESULT is a file written by `biela run`"
                            : strcmp(command->word, "SHELL") == 0    ? "SHELL is bash, zsh or fish"
                            : strncmp(command->word, "METHOD", 6) == 0
                                ? "`biela list integrators` shows them; parameters follow a colon: bdf:3"
                                : "MODEL is a model file, or - for standard input",
                            "biela %s needs a %s", command->name, command->word);
    args->run.threads = (int)fmin(args->threads, 1e6);
    int outputs = (args->at != NULL) + (args->run.every > 0) + args->run.every_step;
    if (outputs > 1)
        return cli_mistaken(mistake, "give one of --every, --every-step and --at", "%s and %s cannot be used together",
                            args->at ? "--at" : "--every", args->run.every_step ? "--every-step" : "--every");
    if (args->at) {
        double last = args->at[args->run.nat - 1];
        if (args->run.until == 0)
            args->run.until = last; /* 0: the model's own */
        else if (last > args->run.until)
            return cli_mistaken(mistake, "leave out --until: the last time of --at ends the run",
                                "the last time of --at, %g, is after --until %g", last, args->run.until);
    }
    return true;
}

bool cli_parse(const cli_command *command, int argc, char **argv, int first, cli_args *args, cli_mistake *mistake) {
    bool only_words = false;
    if (command->own > 0 && !(args->own = calloc(1, command->own)))
        return cli_mistaken(mistake, "", "out of memory for options");
    for (int i = first; i < argc; i++) {
        const char *text = argv[i];
        if (!only_words && strcmp(text, "--") == 0) {
            only_words = true;
        } else if (!only_words && text[0] == '-' && text[1] != '\0') {
            if (!read_option(command, argc, argv, &i, args, mistake))
                return false;
        } else if (!command->word) {
            return cli_mistaken(mistake, "", "biela %s takes no argument, found '%s'", command->name, text);
        } else if (takes_many(command)) {
            if (!read_name(text, &args->words, mistake))
                return false;
            args->word = args->words.name[0];
        } else if (args->word) {
            return cli_mistaken(mistake, "", "biela %s takes one argument, '%s' is one too many", command->name, text);
        } else {
            args->word = text;
        }
    }
    return args->help || check_together(command, args, mistake);
}

void cli_args_destroy(const cli_command *command, cli_args *args) {
    for (const cli_option *const *o = command ? command->options : NULL; o && *o; o++)
        if ((*o)->type == CLI_NAMES && (args->own || !(*o)->own))
            free((void *)((cli_names *)field_of(*o, args))->name);
    for (bl_index i = 0; i < args->nset; i++)
        free(args->set_text[i]);
    free(args->set_text);
    free(args->set);
    free(args->at);
    free((void *)args->words.name);
    free(args->own);
    *args = (cli_args){0};
}

/* ---- usage text */

static void usage_of_program(FILE *out) {
    fprintf(out, "usage: biela COMMAND [ARGUMENTS] [OPTIONS]\n\n");
    for (const cli_command *const *c = cli_commands; *c; c++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", (*c)->name, (*c)->word ? (*c)->word : "");
        fprintf(out, "  biela %-22s %s\n", left, (*c)->help);
    }
    fprintf(out, "  biela %-22s %s\n", "--version", "print the version and what was built in");
    fprintf(out, "\n`biela help COMMAND` explains a command and its options. Every command takes --json and --help.\n"
                 "Exit codes: 0 done, 2 wrong command line, 3 bad model, 4 numerical failure (results computed so far are\n"
                 "kept), 5 file or system error.\n");
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

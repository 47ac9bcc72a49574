/* cli: the command. It uses the public API only (biela/biela.h). */
#ifndef BIELA_CLI_H
#define BIELA_CLI_H

#include "biela/biela.h"

#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define CLI_PRINTF(fmt, first)
#endif

/* Exit classes. */
enum { EXIT_DONE = 0, EXIT_USAGE = 2, EXIT_MODEL = 3, EXIT_NUMERIC = 4, EXIT_SYSTEM = 5 };

/* ---- options: one table per command makes usage text, parsing and messages */

/* An option that may be repeated. */
typedef struct cli_names {
    const char **name;
    bl_index n;
} cli_names;

/* Values of the options shared by several commands. */
typedef struct cli_args {
    int argc; /* the command line as it was given */
    char **argv;
    bool help, json, quiet, verbose;
    const char *word; /* MODEL, ROOM or COMMAND; the first of METHOD... */
    cli_names words;  /* all of METHOD... */
    const char *output, *csv, *vtk;
    const char *report;              /* "": named after the result */
    const char *table;               /* a file that is read besides the model */
    const char *part_from, *part_to; /* of report, plot, film */
    double from, increments;         /* of equilibrium, modes; 0: the default */
    bool any;
    cli_names move;      /* of assemble and rates */
    double threads;      /* goes to run.threads */
    double closure;      /* 0: the model's */
    const char *contact; /* NULL: the model's */
    bl_run_options run;  /* run.at points to `at` */
    double *at;
    bool confined;
    bl_override *set; /* names live in set_text */
    char **set_text;
    bl_index nset;
    void *own; /* values of the options of one command alone: its struct own, zeroed */
} cli_args;

typedef enum cli_type {
    CLI_FLAG,   /* bool */
    CLI_TEXT,   /* const char * */
    CLI_NUMBER, /* double, as the next three */
    CLI_POSITIVE,
    CLI_NOT_NEGATIVE,
    CLI_COUNT,
    CLI_TIMES, /* at and run.at of cli_args */
    CLI_SET,   /* set of cli_args */
    CLI_MAYBE, /* const char *; "": the option without a value */
    CLI_NAMES  /* cli_names */
} cli_type;

typedef struct cli_option {
    const char *name, *value,
        *help;   /* value: placeholder in the usage text; CLI_MAYBE takes it optionally: after '=', or a word that ends in .html */
    char letter; /* short form, 0: none */
    cli_type type;
    size_t offset; /* in cli_args, or in what cli_args.own points to */
    bool own;
} cli_option;

/* Options of several commands (options.c). */
extern const cli_option cli_opt_help, cli_opt_json, cli_opt_quiet, cli_opt_verbose, cli_opt_set, cli_opt_confined, cli_opt_closure,
    cli_opt_output, cli_opt_optional_output, cli_opt_csv, cli_opt_vtk, cli_opt_fields, cli_opt_report, cli_opt_part_from, cli_opt_part_to,
    cli_opt_at, cli_opt_coordinates, cli_opt_formulation, cli_opt_integrator, cli_opt_linsol, cli_opt_ordering, cli_opt_singular,
    cli_opt_tolerance, cli_opt_newton_tolerance, cli_opt_until, cli_opt_every, cli_opt_from, cli_opt_increments, cli_opt_any, cli_opt_move,
    cli_opt_contact;

/* Groups of options for tables; the last group ends a table. */
#define CLI_MODEL_OPTIONS &cli_opt_set, &cli_opt_confined
#define CLI_METHOD_OPTIONS \
    &cli_opt_coordinates, &cli_opt_closure, &cli_opt_formulation, &cli_opt_integrator, &cli_opt_linsol, &cli_opt_ordering
#define CLI_MESSAGE_OPTIONS &cli_opt_quiet, &cli_opt_verbose, &cli_opt_help, NULL

/* Options of one command, in its table. Their values are in the struct own of its file (CLI_OWN) or in cli_args (CLI_SHARED). */
#define CLI_OWN(field, letter, name, value, type, help) \
    (&(const cli_option){name, value, help, letter, type, offsetof(struct own, field), true})
#define CLI_SHARED(field, letter, name, value, type, help) \
    (&(const cli_option){name, value, help, letter, type, offsetof(cli_args, field), false})

struct own; /* defined in each command's file */
static inline struct own *cli_own(const cli_args *args) { return args->own; }

typedef struct cli_command {
    const char *name, *word, *help;              /* word: "MODEL", "[ROOM]", "METHOD..." or NULL */
    const char *text;                            /* a few lines for its help page */
    const cli_option *const *options;            /* NULL-terminated */
    size_t own;                                  /* sizeof(struct own), 0: no options of its own */
    bool parallel;                               /* may run as several processes (mpirun) */
    int (*run)(bl_context *ctx, cli_args *args); /* exit class */
} cli_command;

#define CLI_COMMAND(name) extern const cli_command cli_##name;
#include "cli/command_list.h"
#undef CLI_COMMAND
extern const cli_command *const cli_commands[]; /* NULL-terminated */

/* What is wrong with the command line, and what to do about it. */
typedef struct cli_mistake {
    char what[512], advice[256];
} cli_mistake;

const cli_command *cli_find_command(const char *name, cli_mistake *mistake); /* NULL: mistake holds the reason */
/* Reads argv[first..argc). false: mistake holds the reason. */
bool cli_parse(const cli_command *command, int argc, char **argv, int first, cli_args *args, cli_mistake *mistake);
void cli_args_destroy(const cli_command *command, cli_args *args); /* command NULL: none was found */
void cli_usage(const cli_command *command, FILE *out);             /* NULL: usage of the program */

/* ---- values of options. Functions with a mistake fill it before they return false. */

/* Fills the mistake with a description and advice ("": none); returns false. */
bool cli_mistaken(cli_mistake *mistake, const char *advice, const char *format, ...) CLI_PRINTF(3, 4);
/* "1,2.5": at most `most` finite numbers; returns their count, 0 when the text is not such a list. */
int cli_read_numbers(const char *text, char separator, int most, double *value);
/* "NAME=1:2": a name and numbers. */
enum { CLI_NAME = 256, CLI_NUMBERS = 3 };
typedef struct cli_assignment {
    char name[CLI_NAME];
    double value[CLI_NUMBERS];
    int n; /* numbers */
} cli_assignment;
bool cli_read_assignment(const char *text, char separator, int most, cli_assignment *assignment);
/* All values of a repeated option; takes: their form, for messages. NULL: a mistake. The caller frees them. */
cli_assignment *cli_read_assignments(const char *option, const char *takes, const char *example, const cli_names *texts, int most,
                                     cli_mistake *mistake);
/* Index of text among the words (NULL-terminated); -1: the mistake lists them. `or`: what else the option takes, or NULL. */
int cli_read_word(const char *option, const char *text, const char *const *words, const char * or, cli_mistake *mistake);
bool cli_ends_with(const char *text, const char *ending); /* and is longer than the ending */

/* ---- messages */

/* printf to standard output and standard error without terminal control characters (bl_text_clean), since names, paths and texts come
 * from models and command lines. All text is printed by these two; JSON and generated files go through cli_write. */
void cli_out(const char *format, ...) CLI_PRINTF(1, 2);
void cli_err(const char *format, ...) CLI_PRINTF(1, 2);

/* Prints the error on standard error, with --json also as one JSON object on standard output. Returns the exit class. */
int cli_fail_usage(const cli_args *args, const cli_mistake *mistake);
int cli_fail_system(const cli_args *args, const cli_mistake *mistake); /* a program or a file is missing */
int cli_fail(bl_context *ctx, const cli_args *args, bl_status status);
/* The same as cli_mistaken and cli_fail_usage. */
int cli_refuse(const cli_args *args, const char *advice, const char *format, ...) CLI_PRINTF(3, 4);

/* The end of a command: with --json one object with the members that `json` writes, else, unless --quiet, what `text` prints; after a
 * failure its message. Returns the exit class. found: the result, passed to both. */
typedef void cli_show_text(const void *found);
typedef void cli_show_json(bl_json *json, const void *found);
int cli_show(bl_context *ctx, const cli_args *args, bl_status status, cli_show_text *text, cli_show_json *json, const void *found);
/* The same for a command whose result is one file: prints its path. */
int cli_show_file(bl_context *ctx, const cli_args *args, bl_status status, const char *what, const char *path);
/* "  name             text": a line of a summary. */
void cli_line(const char *name, const char *format, ...) CLI_PRINTF(2, 3);
/* Prints the finished object and destroys it. */
int cli_print_json(bl_context *ctx, bl_json *json);
/* Writes to standard output, for bl_sink_json and bl_reference. */
void cli_write(void *user, const char *text, size_t length);
/* Plural ending: "s" unless n is 1. */
const char *cli_s(bl_index n);

/* Text in columns as wide as their widest cell. A zeroed table with `columns` set is ready to use. */
enum { CLI_CELL = 200 };
typedef struct cli_table {
    int columns;
    size_t n, room; /* cells */
    char (*cell)[CLI_CELL];
} cli_table;
void cli_cell(cli_table *table, const char *format, ...) CLI_PRINTF(2, 3); /* the next cell, row by row */
void cli_cells(cli_table *table, const char *const *text, int n);          /* several, for headings */
/* "-" for NaN, "unlimited" for infinity */
void cli_cell_number(cli_table *table, const char *format, double value);
void cli_table_print(cli_table *table, int left); /* and frees it; the first `left` columns are left-aligned */
/* Whether cli_write or cli_print_json wrote anything. */
bool cli_wrote(void);

/* ---- terminal */

void cli_log(void *user, bl_log_level level, const char *message);
bl_sink cli_progress_sink(void); /* a bar with the remaining time, if standard error is a terminal */
void cli_progress_clear(void);
/* One line, overwritten by the next one and removed before any message and at the end. */
void cli_progress_line(const char *text);

/* ---- ranks: several processes of one run */

bool cli_ranks_begin(void); /* false: MPI cannot be started; the reason was printed */
/* Refuses what several processes cannot do: false, with the reason in mistake. */
bool cli_ranks_check(const cli_command *command, const cli_args *args, cli_mistake *mistake);
bool cli_first_rank(void); /* only the first rank prints and writes */
int cli_rank_count(void);
/* For a new sink that writes a file: on the other ranks it is replaced by one that takes the same samples and writes nothing. */
void cli_first_alone(bl_sink *sink);
/* Waits for the other ranks; ends them when they do not finish in time or the run was stopped here. Returns the exit class. */
int cli_ranks_end(int code, bool stopped);

/* ---- studies: what run and assemble share */

/* The model of the command line, with --set, --confined and --closure. */
bl_status cli_read_model(bl_context *ctx, const cli_args *args, bl_model **model);

/* Refuses outputs that would replace an input or one another: the result (NULL: none), those of cli_args, and more[nmore]. */
bl_status cli_check_outputs(bl_context *ctx, const cli_args *args, const bl_model *model, const char *result, const char *const *more,
                            bl_index nmore);
/* Lines of a table of positions. */
void cli_print_pose(const char *body, const bl_pose *pose);
void cli_print_bodies(const bl_run_info *info, const bl_pose *pose);
void cli_print_point(const char *name, const double at[3]);
/* Lines of a summary: the files of cli_add_files. */
void cli_print_files(const cli_args *args, const char *result);

/* The outcome of a run, for the summary. */
typedef struct cli_outcome {
    bl_status status;
    bl_run_summary summary;
    bl_kinematics_summary kinematics;
    bl_equilibrium_summary equilibrium;
    bl_inverse_summary inverse; /* to be destroyed */
    bool begun;
    long samples;
    char model[128], combination[256], solver[32], stopped_by[128]; /* solver: of kinematics */
    int integrator_end;                                             /* bytes of the combination up to the end of the integrator */
    double until;
} cli_outcome;

/* The line of a summary with the time reached and why the run ended. */
void cli_print_reached(const cli_outcome *outcome);

/* fills outcome->summary */
typedef bl_status cli_study(bl_context *ctx, const cli_args *args, const bl_model *model, bl_sink *sinks, bl_index nsink,
                            cli_outcome *outcome);

/* Stores the command line in a result file. */
bl_status cli_name_origin(const cli_args *args, bl_sink *sink);
/* For a run made by another command: stores the `biela run` command line that repeats it. */
bl_status cli_name_run(const cli_args *args, const bl_run_options *run, bl_sink *sink);
/* Sinks of the result file (NULL: none), --csv and --vtk; at most three. */
bl_status cli_add_files(bl_context *ctx, const cli_args *args, const char *result, bl_sink *sinks, bl_index *n);
/* "dir/four_bar.yaml" -> "four_bar.h5"; ending: ".h5" */
void cli_default_result(const char *model, const char *ending, char *path, size_t size);
/* Reads the model and runs the study into the requested files (result NULL: no result file), JSON and the sink `extra`. */
void cli_do_study(bl_context *ctx, const cli_args *args, cli_study *study, const char *result, bl_sink extra, cli_outcome *outcome);
/* The same for a study whose result goes to a file (default MODEL.h5); `print` prints the summary. Returns the exit class. */
typedef void cli_print(const bl_context *ctx, const cli_outcome *outcome);
/* steps: runs a deck, which defines its own analysis steps; NULL: decks are treated like other models */
typedef int cli_steps(bl_context *ctx, const cli_args *args, const bl_model *model);
int cli_study_to_file(bl_context *ctx, const cli_args *args, cli_study *study, cli_print *print, cli_steps *steps);
/* Runs the steps of a deck. */
int cli_run_deck(bl_context *ctx, const cli_args *args, const bl_model *model);

/* The page of reports (zlib), built in; bytes 0: built without it. */
const void *cli_page(size_t *bytes);
/* --report of a study: the path of the page; writing it, with a line on standard output, returns the exit class. */
const char *cli_report_path(const cli_args *args, const char *result, char *path, size_t size);
int cli_report_run(const cli_args *args, const char *result);
/* A report with that page. */
struct bl_report_options;
bl_status cli_write_report(bl_context *ctx, const char *const *results, bl_index nresult, const struct bl_report_options *options,
                           const char *path);

/* ---- linearized mechanisms: files of --matrices, --response (--frequencies), --locus, --campbell */

enum { CLI_PATH = 4096, CLI_LINEAR_FILES = 7 };
typedef struct cli_linear {
    const char *matrices, *response, *frequencies, *locus, *campbell;
} cli_linear;
/* Checks the options; has_path: eigenvalues are followed over a parameter. false: mistake holds the reason. */
bool cli_linear_options(const cli_linear *files, bool has_path, cli_mistake *mistake);
bool cli_linear_wanted(const cli_linear *files); /* the matrices are needed */
/* Files that will be written (NULL: none), for cli_check_outputs: path[CLI_LINEAR_FILES]; room[4] holds composed names. Returns the count.
 * */
bl_index cli_linear_files(const cli_linear *files, char (*room)[CLI_PATH], const char **path);
/* Writes them. lin, path: NULL if there is none. */
bl_status cli_linear_outputs(bl_context *ctx, const cli_linear *files, const bl_linear_model *lin, const bl_mode_path *path);
void cli_linear_print(const cli_linear *files); /* their paths, as lines of a summary */

/* ---- assemble --move and rates */

/* Reads "A.angle=1.5", ...; false: mistake holds the reason. The caller frees both arrays; targets point into *read. */
bool cli_read_targets(const cli_names *texts, bl_move_target **target, cli_assignment **read, cli_mistake *mistake);
int cli_move(bl_context *ctx, const cli_args *args);

/* ---- modes over a parameter */

bool cli_modes_path_options(const char *text, cli_assignment *path, bl_modes_path_options *options, cli_mistake *mistake);
void cli_modes_path_print(const bl_modes_path_report *report);
void cli_modes_path_json(bl_json *json, const bl_modes_path_report *report); /* member "path" of the open object */

/* ---- plot and film */

bool cli_read_size(const char *text, int *width, int *height); /* "960x540" */
/* --from and --to; infinite if not given. false: mistake holds the reason. */
bool cli_read_window(const cli_args *args, double *from, double *to, cli_mistake *mistake);

/* ---- stop requests */
/* Ctrl-C and SIGTERM ask the library to stop; a second one kills the process, and so does a timer CLI_PATIENCE after SIGTERM. A growing
 * file then remains as FILE~partial. NULL: restores the default handling. */
#define CLI_PATIENCE 0.5 /* seconds; the command ends within one second even on a busy machine */
void cli_catch_stop(bl_context *ctx);
bool cli_was_stopped(void);

#endif

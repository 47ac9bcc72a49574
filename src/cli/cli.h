/* cli: the command. It uses the public API only (biela/biela.h). */
#ifndef BIELA_CLI_H
#define BIELA_CLI_H

#include "biela/biela.h"

#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF __attribute__((format(printf, 1, 2)))
#else
#define CLI_PRINTF
#endif

/* Exit classes. */
enum { EXIT_DONE = 0, EXIT_USAGE = 2, EXIT_MODEL = 3, EXIT_NUMERIC = 4, EXIT_SYSTEM = 5 };

/* ---- options: one table per command makes usage text, parsing and messages */

/* An option that may be repeated. */
typedef struct cli_names {
    const char **name;
    bl_index n;
} cli_names;

/* Everything any command can be told. */
typedef struct cli_args {
    int argc; /* the command line as it was given */
    char **argv;
    bool help, version, json, quiet, verbose;
    const char *word;   /* MODEL, ROOM or COMMAND; the first of METHOD... */
    const char **words; /* all of METHOD... */
    bl_index nword;
    const char *output, *csv, *vtk;
    const char *show, *body, *moment, *view, *curve; /* of figure */
    const char *part_from, *part_to;                 /* of report, plot, film */
    const char *report;                              /* of run; "": named after the result */
    const char *against, *size, *begin, *finish;     /* of plot, film */
    bool log, degrees, radians, mm, meters, keep;
    const char *theme;
    double fps, speed;
    double factor, levels;
    bool isolines, reference;
    const char *matrix, *figures, *independent; /* of order */
    const char *pairs, *graph, *diagram;        /* of structure */
    bool search, all_inputs;
    double xi; /* of stability */
    bool region;
    double limit; /* of compare */
    bool all;
    double order; /* of series */
    bool c_code;
    const char *solver;                  /* of kinematics */
    double from, increments, iterations; /* of equilibrium, modes; 0: the default */
    const char *criterion;
    bool any, arc_length, branches;
    const char *path, *hold; /* of equilibrium: PARAMETER=FROM:TO; variables */
    double starts;
    double count, load, amplitude, take, alpha, beta; /* of modes */
    const char *where, *normalize, *method, *rayleigh;
    bool anyway, shapes, most, correction, damped, undamped;
    cli_names input, output_of; /* of linearized mechanisms */
    double animate;
    const char *matrices, *response, *frequencies, *locus, *campbell;
    cli_names move, rate_input, wanted; /* of assemble and rates */
    const char *table, *noise;          /* of inverse */
    bool check;
    const char *model;  /* of stability */
    double threads;     /* goes to run.threads */
    double closure;     /* 0: the model's */
    bl_run_options run; /* run.at points to `at` */
    double *at;
    bool confined;
    bl_override *set; /* names live in set_text */
    char **set_text;
    bl_index nset;
} cli_args;

typedef enum cli_type {
    CLI_FLAG,
    CLI_TEXT,
    CLI_NUMBER,
    CLI_POSITIVE,
    CLI_NOT_NEGATIVE,
    CLI_COUNT,
    CLI_TIMES,
    CLI_SET,
    CLI_MAYBE,
    CLI_NAMES
} cli_type;

typedef struct cli_option {
    const char *name, *value,
        *help;   /* value: what follows, for the usage text; of CLI_MAYBE optional: behind '=', or a word that ends in .html */
    char letter; /* short form, 0: none */
    cli_type type;
    size_t offset; /* in cli_args */
} cli_option;

typedef struct cli_command {
    const char *name, *word, *help;              /* word: "MODEL", "[ROOM]", "METHOD..." or NULL */
    const char *text;                            /* a few lines for its help page */
    const cli_option *const *options;            /* NULL-terminated */
    int (*run)(bl_context *ctx, cli_args *args); /* exit class; errors of the library are told by main */
} cli_command;

extern const cli_command cli_run, cli_check, cli_assemble, cli_order, cli_stability, cli_series, cli_compare, cli_structure, cli_kinematics,
    cli_equilibrium, cli_modes, cli_list, cli_reference, cli_help, cli_figure, cli_report, cli_plot, cli_film, cli_rates, cli_inverse;
extern const cli_command *const cli_commands[]; /* NULL-terminated */

extern const cli_option cli_opt_help, cli_opt_json, cli_opt_quiet, cli_opt_verbose, cli_opt_set, cli_opt_output, cli_opt_csv, cli_opt_at,
    cli_opt_coordinates, cli_opt_formulation, cli_opt_integrator, cli_opt_linsol, cli_opt_ordering, cli_opt_singular, cli_opt_tolerance,
    cli_opt_absolute, cli_opt_step, cli_opt_until, cli_opt_every, cli_opt_every_step, cli_opt_threads, cli_opt_matrix, cli_opt_figures,
    cli_opt_independent, cli_opt_figure, cli_opt_ratios, cli_opt_xi, cli_opt_region, cli_opt_limit, cli_opt_all, cli_opt_fixed,
    cli_opt_order, cli_opt_c, cli_opt_series_formulation, cli_opt_adjacency, cli_opt_pairs, cli_opt_search, cli_opt_all_inputs,
    cli_opt_graph, cli_opt_diagram, cli_opt_solver, cli_opt_closure, cli_opt_confined, cli_opt_from, cli_opt_load, cli_opt_increments,
    cli_opt_iterations, cli_opt_criterion, cli_opt_any, cli_opt_arc_length, cli_opt_newton_tolerance, cli_opt_count, cli_opt_all_modes,
    cli_opt_where, cli_opt_anyway, cli_opt_normalize, cli_opt_method, cli_opt_place_load, cli_opt_shapes, cli_opt_amplitude,
    cli_opt_answer_until, cli_opt_answer_every, cli_opt_answer_step, cli_opt_take, cli_opt_most, cli_opt_correction, cli_opt_rayleigh,
    cli_opt_shapes_file, cli_opt_model, cli_opt_model_step, cli_opt_model_count, cli_opt_vtk, cli_opt_fields, cli_opt_output_figure,
    cli_opt_show, cli_opt_body, cli_opt_moment, cli_opt_factor, cli_opt_reference, cli_opt_levels, cli_opt_isolines, cli_opt_view,
    cli_opt_curve, cli_opt_output_report, cli_opt_part_from, cli_opt_part_to, cli_opt_report, cli_opt_report_compare, cli_opt_output_plot,
    cli_opt_against, cli_opt_log, cli_opt_degrees, cli_opt_radians, cli_opt_mm, cli_opt_meters, cli_opt_size, cli_opt_keep, cli_opt_starts,
    cli_opt_load_path, cli_opt_branches, cli_opt_hold, cli_opt_output_film, cli_opt_fps, cli_opt_speed, cli_opt_film_size, cli_opt_theme,
    cli_opt_film_view, cli_opt_matrices, cli_opt_response, cli_opt_frequencies, cli_opt_locus, cli_opt_campbell, cli_opt_input,
    cli_opt_output_of, cli_opt_damped, cli_opt_undamped, cli_opt_modes_path, cli_opt_animate, cli_opt_move, cli_opt_rate_input,
    cli_opt_wanted, cli_opt_table, cli_opt_noise, cli_opt_forward, cli_opt_check_tolerance;

/* What is wrong with the command line. */
typedef struct cli_mistake {
    char what[512], advice[256];
} cli_mistake;

/* Reads argv[first..argc). false: `mistake` says why. */
bool cli_parse(const cli_command *command, int argc, char **argv, int first, cli_args *args, cli_mistake *mistake);
void cli_args_destroy(cli_args *args);
void cli_usage(const cli_command *command, FILE *out); /* NULL: of the whole program */

/* ---- talking */

/* printf to standard output and to standard error, without what a terminal would act on (bl_text_clean): names, paths and texts come from
 * models and command lines. The only ways to print; JSON and generated files go through cli_write. */
void cli_out(const char *format, ...) CLI_PRINTF;
void cli_err(const char *format, ...) CLI_PRINTF;

/* One JSON object that says what failed, or an error on standard error, or both. Returns the exit class. */
int cli_fail_usage(const cli_args *args, const cli_mistake *mistake);
int cli_fail_system(const cli_args *args, const cli_mistake *mistake); /* a program or a file is missing */
int cli_fail(bl_context *ctx, const cli_args *args, bl_status status);
/* Prints the object made and destroys it. */
int cli_print_json(bl_context *ctx, bl_json *json);
/* Says which file was written, in words or as JSON; the exit class. */
int cli_tell_file(bl_context *ctx, const cli_args *args, const char *what, const char *path);
/* Writes to standard output, for bl_sink_json and bl_reference. */
void cli_write(void *user, const char *text, size_t length);
/* Prints rows of texts, cell bytes each, in columns as wide as their widest; the first `left` columns begin at the left. */
void cli_print_table(const char *cells, size_t cell, int columns, bl_index rows, int left);
/* Whether cli_write or cli_print_json wrote anything. */
bool cli_wrote(void);

/* ---- terminal */

void cli_log(void *user, bl_log_level level, const char *message);
bl_sink cli_progress_sink(void); /* a bar with the time left, where standard error is a terminal */
void cli_progress_clear(void);
/* One line that the next one, the end or a message takes away. */
void cli_progress_line(const char *text);

/* ---- ranks: several processes of one run */

bool cli_ranks_begin(void); /* false: it cannot, and has said why */
/* What several processes cannot do; false: the mistake says why. */
bool cli_ranks_check(const cli_command *command, const cli_args *args, cli_mistake *mistake);
bool cli_first_rank(void); /* the one that prints and writes */
int cli_rank_count(void);
/* A sink just made that writes a file: of the other ranks it becomes one that takes the same samples and writes nothing. */
void cli_first_alone(bl_sink *sink);
/* Waits for the others; where they do not come, or the run was stopped here, ends them. The exit class. */
int cli_ranks_end(int code, bool stopped);

/* ---- studies: what run and assemble share */

/* The model of the command line, with --set, --confined and --closure. */
bl_status cli_read_model(bl_context *ctx, const cli_args *args, bl_model **model);

/* Refuses outputs that would replace an input or one another; result may be NULL. */
bl_status cli_check_outputs(bl_context *ctx, const cli_args *args, const bl_model *model, const char *result);

/* What is left of a run for the summary. */
typedef struct cli_outcome {
    bl_status status;
    bl_run_summary summary;
    bl_kinematics_summary kinematics;
    bl_equilibrium_summary equilibrium;
    bl_inverse_summary inverse; /* to be destroyed */
    bool begun;
    long samples;
    char model[128], combination[256], solver[32], stopped_by[128]; /* solver: of kinematics */
    double until;
} cli_outcome;

/* fills outcome->summary */
typedef bl_status cli_study(bl_context *ctx, const cli_args *args, const bl_model *model, bl_sink *sinks, bl_index nsink,
                            cli_outcome *outcome);

/* Tells a sink of a result file the command line. */
bl_status cli_name_origin(const cli_args *args, bl_sink *sink);
/* Of a run that another command made: the command line of `biela run` that makes it. */
bl_status cli_name_run(const cli_args *args, const bl_run_options *run, bl_sink *sink);
/* Sinks of the result file (NULL: none), --csv and --vtk; at most three. */
bl_status cli_add_files(bl_context *ctx, const cli_args *args, const char *result, bl_sink *sinks, bl_index *n);
/* "dir/four_bar.yaml" -> "four_bar.h5"; ending: ".h5" */
void cli_default_result(const char *model, const char *ending, char *path, size_t size);
/* Reads the model, runs the study into the files asked for (result NULL: no result file), JSON and `extra`. */
void cli_do_study(bl_context *ctx, const cli_args *args, cli_study *study, const char *result, bl_sink extra, cli_outcome *outcome);
/* The same for a study whose result goes into a file, MODEL.h5 where none is given, and whose end is told by `print`: the exit class. */
typedef void cli_print(const bl_context *ctx, const cli_outcome *outcome);
/* steps: of decks, which say themselves what is to be done; NULL: they are models like others */
typedef int cli_steps(bl_context *ctx, const cli_args *args, const bl_model *model);
int cli_study_to_file(bl_context *ctx, const cli_args *args, cli_study *study, cli_print *print, cli_steps *steps);
/* A deck, step after step. */
int cli_run_deck(bl_context *ctx, const cli_args *args, const bl_model *model);

/* The page of reports (zlib), built in; bytes 0: it was not. */
const void *cli_page(size_t *bytes);
/* --report of a study: where it goes, and the page itself, with a line on standard output; the exit class. */
const char *cli_report_path(const cli_args *args, const char *result, char *path, size_t size);
int cli_report_run(const cli_args *args, const char *result);
/* A report with that page. */
struct bl_report_options;
bl_status cli_write_report(bl_context *ctx, const char *const *results, bl_index nresult, const struct bl_report_options *options,
                           const char *path);

/* Options of equilibrium; false: the mistake says why. */
enum { CLI_MOST_HELD = 64 };
typedef struct cli_equilibrium_texts { /* what its options point to */
    char parameter[128], hold[2048];
    const char *name[CLI_MOST_HELD];
} cli_equilibrium_texts;
bool cli_equilibrium_options(const cli_args *args, cli_equilibrium_texts *texts, bl_equilibrium_options *options, cli_mistake *mistake);

/* ---- linearized mechanisms: files of --matrices, --response (--frequencies), --locus, --campbell */

enum { CLI_PATH = 4096, CLI_LINEAR_FILES = 7 };
/* Whether the options make sense; has_path: a parameter is followed. false: the mistake says why. */
bool cli_linear_options(const cli_args *args, bool has_path, cli_mistake *mistake);
bool cli_linear_wanted(const cli_args *args); /* the matrices are needed */
/* Files that will be written (NULL: not), for cli_check_outputs: path[CLI_LINEAR_FILES], room[4]. Returns how many. */
bl_index cli_linear_files(const cli_args *args, char (*room)[CLI_PATH], const char **path);
/* Writes them. lin, path: NULL where there is none. */
bl_status cli_linear_outputs(bl_context *ctx, const cli_args *args, const bl_linear_model *lin, const bl_mode_path *path);
void cli_linear_tell(const cli_args *args); /* which they are */

/* ---- assemble --move and rates */

/* "A.angle=1.5" and more of them; false: the mistake says why. The caller frees target[] and name[0]. */
bool cli_read_targets(const cli_names *texts, bl_move_target **target, char **names, cli_mistake *mistake);
int cli_move(bl_context *ctx, const cli_args *args);

/* ---- modes over a parameter */

enum { CLI_PARAMETER = 128 };
bool cli_modes_path_options(const cli_args *args, char parameter[CLI_PARAMETER], bl_modes_path_options *options, cli_mistake *mistake);
void cli_modes_path_tell(const bl_modes_path_report *report);
void cli_modes_path_json(bl_json *json, const bl_modes_path_report *report); /* member "path" of the object that is open */

/* ---- plot and film */

bool cli_read_size(const char *text, int *width, int *height); /* "960x540" */
/* --from and --to; infinite where they are not given. false: the mistake says why. */
bool cli_read_window(const cli_args *args, double *from, double *to, cli_mistake *mistake);

/* ---- stop requests */
/* Ctrl-C and SIGTERM ask the library to stop, the second one kills. What has not ended CLI_PATIENCE after SIGTERM is killed, too:
 * a file that grows stays as FILE~partial. NULL: as if nothing had been caught. */
#define CLI_PATIENCE 0.5 /* seconds: within a second, with room for a machine that is busy */
void cli_catch_stop(bl_context *ctx);
bool cli_was_stopped(void);

#endif

/* Programs compiled with older and newer headers than the library's: every public function that takes or fills a struct with a size is
 * called with structs of version 0.1 at the end of the memory there is, and with larger ones whose additional fields are 0 or not. */
#define _DEFAULT_SOURCE
#include "base/sized.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char model_text[] = "model: crank\n"
                                 "dimension: 2\n"
                                 "gravity: [0, -9.81]\n"
                                 "parameters: {k: 50}\n"
                                 "bodies:\n"
                                 "  - {name: a, rod: {from: [0, 0], to: [0, -1]}, mass: 1}\n"
                                 "  - {name: b, rod: {from: [0, -1], to: [0, -2]}, mass: 1}\n"
                                 "joints:\n"
                                 "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                 "  - {name: B, type: revolute, bodies: [a, b], at: [0, -1]}\n"
                                 "forces: [{type: rotational_spring, variable: B.angle, stiffness: =k}]\n";
static const char driven_text[] = "model: crank\n"
                                  "dimension: 2\n"
                                  "bodies: [{name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                                  "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0, 0]}]\n"
                                  "drivers: [{name: d, variable: A.angle, value: =sin(t)}]\n";

/* a file of this process */
static const char *scratch(const char *ending) {
    static char path[64];
    snprintf(path, sizeof path, "/tmp/biela_struct_versions_%ld.%s", (long)getpid(), ending);
    return path;
}

typedef struct shared {
    bl_context *ctx;
    bl_model *model, *driven;
    bl_modes_report modes;
    long samples;
} shared;

/* ---- memory of a program */

enum { PROGRAMS = 4 };
/* version 0.1 without and with its size; newer without and with an unknown field in use */
typedef enum program { FIRST_PLAIN, FIRST_SIZED, NEWER_ZERO, NEWER_USED } program;
enum { MORE = 40 }; /* bytes that a newer struct has */

typedef struct placed {
    void *at;
    size_t bytes;
} placed;

static placed place(const bl_sized *type, program which, const void *fields) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = which <= FIRST_SIZED ? type->first : type->size + MORE;
    size_t room = (bytes + page - 1) / page * page;
    char *all = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(all != MAP_FAILED);
    assert_int_equal(mprotect(all + room, page, PROT_NONE), 0);
    char *at = all + room - bytes;
    if (fields)
        memcpy(at, fields, which <= FIRST_SIZED ? type->first : type->size);
    size_t size = which == FIRST_PLAIN ? 0 : bytes;
    memcpy(at, &size, sizeof size);
    if (which == NEWER_USED)
        at[type->size + MORE / 2] = 1;
    return (placed){at, bytes};
}

static void unplace(placed p) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (p.bytes + page - 1) / page * page;
    munmap((char *)p.at + p.bytes - room, room + page);
}

/* ---- calls: one struct that is read, one that is filled; the others are complete */

typedef struct function {
    const char *name;
    bl_sized in, out; /* name NULL: none */
    void (*fill)(void *in);
    bl_status (*call)(shared *s, void *in, void *out);
    void (*destroy)(shared *s, void *out);
} function;

static bl_status count_sample(void *user, const bl_sample *sample) {
    (void)sample;
    ((shared *)user)->samples++;
    return BL_OK;
}

static bl_sink counter(shared *s) { return (bl_sink){.user = s, .sample = count_sample}; }

static void fill_run(void *in) { *(bl_run_options *)in = (bl_run_options){.until = 0.1, .every = 0.05, .coordinates = "relative"}; }

static bl_status simulate(shared *s, void *in, void *out) {
    bl_sink sink = counter(s);
    return bl_simulate(s->ctx, s->model, in, &sink, 1, out);
}
static bl_status assemble(shared *s, void *in, void *out) {
    bl_sink sink = counter(s);
    return bl_assemble(s->ctx, s->model, in, &sink, 1, out);
}
static bl_status check(shared *s, void *in, void *out) { return bl_check(s->ctx, s->model, in, out); }
static void check_destroy(shared *s, void *out) { bl_check_report_destroy(s->ctx, out); }

static void fill_sink(void *in) { *(bl_sink *)in = (bl_sink){.sample = count_sample}; }
static bl_status with_sink(shared *s, void *in, void *out) {
    ((bl_sink *)in)->user = s;
    return bl_simulate(s->ctx, s->model, &(bl_run_options){.until = 0.1, .every = 0.05}, in, 1, out);
}

static void ignore(void *user, const char *text, size_t length) { (void)user, (void)text, (void)length; }
static bl_status json_sink(shared *s, void *in, void *out) {
    (void)in;
    return bl_sink_json(s->ctx, ignore, NULL, out);
}
static bl_status csv_sink(shared *s, void *in, void *out) {
    (void)in;
    return bl_sink_csv(s->ctx, "/dev/null", out);
}
static bl_status hdf5_sink(shared *s, void *in, void *out) {
    (void)in;
    return bl_sink_hdf5(s->ctx, scratch("h5"), out);
}
static bl_status vtk_sink(shared *s, void *in, void *out) {
    (void)in;
    return bl_sink_vtk(s->ctx, "/tmp", out);
}
static void sink_destroy(shared *s, void *out) {
    (void)s;
    bl_sink_destroy(out);
}

static void fill_order(void *in) { *(bl_order_options *)in = (bl_order_options){.repetitions = -1}; }
static bl_status order(shared *s, void *in, void *out) { return bl_order_study(s->ctx, s->model, in, out); }
static void order_destroy(shared *s, void *out) { bl_order_report_destroy(s->ctx, out); }
static bl_status order_draw(shared *s, void *in, void *out) {
    (void)out;
    bl_order_report *given = in, made = {0}; /* its arrays belong to a report of its own */
    BL_TRY(bl_order_study(s->ctx, s->model, NULL, &made));
    size_t size = given->size;
    memcpy(given, &made, BL_FIRST_bl_order_report);
    given->size = size;
    bl_status status = bl_order_figure(s->ctx, given, 0, scratch("svg"));
    bl_order_report_destroy(s->ctx, &made);
    return status;
}

static void fill_compare(void *in) {
    static const char *const one[] = {"relative"}, *const form[] = {"direct"}, *const by[] = {"dopri45"};
    *(bl_compare_options *)in = (bl_compare_options){.until = 0.05,
                                                     .coordinates_tried = one,
                                                     .formulations_tried = form,
                                                     .integrators_tried = by,
                                                     .ncoordinates_tried = 1,
                                                     .nformulations_tried = 1,
                                                     .nintegrators_tried = 1};
}
static bl_status compare(shared *s, void *in, void *out) { return bl_compare(s->ctx, s->model, in, out); }
static void compare_destroy(shared *s, void *out) { bl_compare_report_destroy(s->ctx, out); }

static bl_status begin_motion(void *user, bl_context *ctx, const bl_run_options *options, bl_sink *sink) {
    (void)ctx;
    assert_int_equal(options->size, sizeof *options);
    assert_int_equal(sink->size, sizeof *sink);
    *sink = counter(user); /* size 0 */
    return BL_OK;
}
static bl_status motion_done(void *user) {
    (void)user;
    return BL_OK;
}
static bl_status keep_motion(void *user, bl_index entry, const bl_compare_entry *of) {
    (void)user, (void)entry, (void)of;
    return BL_OK;
}
static void fill_motions(void *in) {
    *(bl_compare_motions *)in = (bl_compare_motions){.begin = begin_motion, .done = motion_done, .keep = keep_motion};
}
static bl_status compare_motions(shared *s, void *in, void *out) {
    bl_compare_options options = {0};
    fill_compare(&options);
    ((bl_compare_motions *)in)->user = s;
    options.motions = in;
    return bl_compare(s->ctx, s->model, &options, out);
}

static bl_status equilibrium(shared *s, void *in, void *out) { return bl_equilibrium(s->ctx, s->model, in, NULL, 0, NULL, out); }
static bl_status equilibrium_run(shared *s, void *in, void *out) { return bl_equilibrium(s->ctx, s->model, in, NULL, 0, out, NULL); }

static void fill_inverse(void *in) {
    static const bl_run_options run = {.until = 0.1, .every = 0.05};
    *(bl_inverse_options *)in = (bl_inverse_options){.run = &run};
}
static bl_status inverse(shared *s, void *in, void *out) { return bl_inverse(s->ctx, s->driven, in, NULL, 0, NULL, out); }
static void inverse_destroy(shared *s, void *out) { bl_inverse_summary_destroy(s->ctx, out); }
static bl_status inverse_run(shared *s, void *in, void *out) {
    return bl_inverse(s->ctx, s->driven, &(bl_inverse_options){.run = in}, NULL, 0, out, NULL);
}

static bl_status kinematics(shared *s, void *in, void *out) {
    return bl_kinematics_study(s->ctx, s->driven, in, &(bl_run_options){.until = 0.1}, NULL, 0, NULL, out);
}
static bl_status kinematics_run(shared *s, void *in, void *out) {
    return bl_kinematics_study(s->ctx, s->driven, NULL, in, NULL, 0, out, NULL);
}
static bl_status kinematics_object(shared *s, void *in, void *out) {
    bl_kinematics *k = NULL;
    bl_status status = bl_kinematics_create(s->ctx, s->driven, in, &k);
    if (status == BL_OK)
        bl_kinematics_summarize(k, out);
    bl_kinematics_destroy(k);
    return status;
}

static bl_status modes(shared *s, void *in, void *out) { return bl_modes(s->ctx, s->model, in, NULL, 0, out); }
static bl_status modes_from(shared *s, void *in, void *out) {
    return bl_modes(s->ctx, s->model, &(bl_modes_options){.equilibrium = in}, NULL, 0, out);
}
static void modes_destroy(shared *s, void *out) { bl_modes_report_destroy(s->ctx, out); }
static void fill_path(void *in) {
    *(bl_modes_path_options *)in = (bl_modes_path_options){.parameter = "k", .from = 40, .to = 50, .points = 3};
}
static bl_status modes_path(shared *s, void *in, void *out) { return bl_modes_path(s->ctx, s->model, in, out); }
static bl_status modes_path_modes(shared *s, void *in, void *out) {
    return bl_modes_path(s->ctx, s->model, &(bl_modes_path_options){.modes = in, .parameter = "k", .from = 4, .to = 5, .points = 3}, out);
}
static void modes_path_destroy(shared *s, void *out) { bl_modes_path_report_destroy(s->ctx, out); }

static void fill_move(void *in) {
    static const bl_move_target target = {"A.angle", 0.1};
    *(bl_move_options *)in = (bl_move_options){.target = &target, .ntarget = 1, .samples = 2};
}
static bl_status move(shared *s, void *in, void *out) { return bl_move(s->ctx, s->model, in, NULL, 0, out, NULL); }
static bl_status move_run(shared *s, void *in, void *out) { return bl_move(s->ctx, s->model, in, NULL, 0, NULL, out); }
static void move_destroy(shared *s, void *out) { bl_move_report_destroy(s->ctx, out); }

static void fill_rates(void *in) {
    static const bl_rate_input input[] = {{"A.angle", 1, 0}, {"B.angle", 0, 0}};
    *(bl_rates_options *)in = (bl_rates_options){.input = input, .ninput = 2};
}
static bl_status rates(shared *s, void *in, void *out) { return bl_rates(s->ctx, s->model, in, out); }
static void rates_destroy(shared *s, void *out) { bl_rates_report_destroy(s->ctx, out); }

static void fill_series(void *in) { *(bl_series_options *)in = (bl_series_options){.order = 3}; }
static bl_status series(shared *s, void *in, void *out) { return bl_series_study(s->ctx, s->model, in, out); }
static void series_destroy(shared *s, void *out) { bl_series_report_destroy(s->ctx, out); }

static void fill_stability(void *in) {
    static const char *const method[] = {"rk4"};
    *(bl_stability_options *)in = (bl_stability_options){.method = method, .nmethod = 1};
}
static bl_status stability(shared *s, void *in, void *out) { return bl_stability_study(s->ctx, in, out); }
static void stability_destroy(shared *s, void *out) { bl_stability_report_destroy(s->ctx, out); }

static const bl_chain_pair four_bar[] = {{{0, 1}, {-1, -1, -1, -1}, 1, 1, 0, 0, 'R', NULL, NULL},
                                         {{1, 2}, {-1, -1, -1, -1}, 1, 0, 0, 0, 'R', NULL, NULL},
                                         {{2, 3}, {-1, -1, -1, -1}, 1, 0, 0, 0, 'R', NULL, NULL},
                                         {{3, 0}, {-1, -1, -1, -1}, 1, 0, 0, 0, 'R', NULL, NULL}};
static void fill_chain(void *in) { *(bl_chain *)in = (bl_chain){.dim = 2, .nlink = 4, .npair = 4, .pair = four_bar}; }
static bl_status structure(shared *s, void *in, void *out) { return bl_structure(s->ctx, in, NULL, out); }
static bl_status structure_how(shared *s, void *in, void *out) {
    bl_chain chain = {0};
    fill_chain(&chain);
    return bl_structure(s->ctx, &chain, in, out);
}
static bl_status structure_draw(shared *s, void *in, void *out) {
    BL_TRY(bl_structure(s->ctx, in, NULL, out));
    BL_TRY(bl_structure_graph(s->ctx, in, out, scratch("svg")));
    return bl_structure_diagram(s->ctx, in, out, scratch("svg"));
}
static void structure_destroy(shared *s, void *out) { bl_structure_report_destroy(s->ctx, out); }
static bl_status inputs(shared *s, void *in, void *out) { return bl_structure_inputs(s->ctx, in, out); }
static void inputs_destroy(shared *s, void *out) { bl_structure_choices_destroy(s->ctx, out); }
static bl_status chain_of_model(shared *s, void *in, void *out) {
    (void)in;
    return bl_chain_of_model(s->ctx, s->driven, out);
}
static bl_status chain_of_text(shared *s, void *in, void *out) {
    (void)in;
    return bl_chain_read_text(s->ctx, "text", "0 3\n3 0\n", 8, "matrix", out);
}
static void chain_destroy(shared *s, void *out) { bl_chain_destroy(s->ctx, out); }
static bl_status structure_model(shared *s, void *in, void *out) {
    bl_chain chain = {0};
    bl_structure_report report = {0};
    bl_status status = bl_structure_of_model(s->ctx, s->driven, in, &chain, &report, out);
    bl_structure_report_destroy(s->ctx, &report);
    bl_chain_destroy(s->ctx, &chain);
    return status;
}
static void exceptions_destroy(shared *s, void *out) { bl_structure_exceptions_destroy(s->ctx, out); }

static int decay(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user, (void)t, (void)q, (void)v, (void)Q;
    f[0] = -z[0];
    return 0;
}
static void fill_function(void *in) { *(bl_function *)in = (bl_function){.nz = 1, .force = decay}; }
static bl_status integrate_function(shared *s, void *in, void *out) {
    return bl_integrate(s->ctx, in, &(bl_integrate_options){.until = 1}, NULL, NULL, (double[]){1}, NULL, NULL, out);
}
static void fill_integrate(void *in) { *(bl_integrate_options *)in = (bl_integrate_options){.until = 1}; }
static bl_status integrate(shared *s, void *in, void *out) {
    return bl_integrate(s->ctx, &(bl_function){.nz = 1, .force = decay}, in, NULL, NULL, (double[]){1}, NULL, NULL, out);
}

static bl_status context(shared *s, void *in, void *out) {
    (void)out;
    bl_context *ctx = NULL;
    bl_status status = bl_context_create(in, &ctx);
    bl_context_destroy(ctx);
    return status == BL_OK ? status : bl_fail(s->ctx, status, NULL, "bl_context_options"); /* it has no context for its message */
}
static bl_status read_model(shared *s, void *in, void *out) {
    (void)out;
    bl_model *model = NULL;
    bl_status status = bl_model_open_text(s->ctx, "text", driven_text, strlen(driven_text), in, &model);
    bl_model_destroy(model);
    return status;
}

static bl_index find_name(void *user, const char *name, const char **nearest) {
    (void)user, (void)name, (void)nearest;
    return 0;
}
static void fill_scope(void *in) { *(bl_formula_scope *)in = (bl_formula_scope){.find = find_name}; }
static bl_status formula(shared *s, void *in, void *out) {
    (void)out;
    bl_formula *f;
    bl_status status = bl_formula_create(s->ctx, "2 * x", in, &f);
    bl_formula_destroy(f);
    return status;
}

static const double minus_one[] = {-1}, one[] = {1}, none[] = {0};
static const char *const names[] = {"x"};
static void fill_linear(void *in) {
    *(bl_linear_model *)in = (bl_linear_model){.nstate = 1,
                                               .ninput = 1,
                                               .noutput = 1,
                                               .state = names,
                                               .input = names,
                                               .output = names,
                                               .A = minus_one,
                                               .B = one,
                                               .C = one,
                                               .D = none};
}
static bl_status linear(shared *s, void *in, void *out) {
    (void)out;
    double omega[] = {0.1, 1, 10}, H[6], phase[3];
    bl_frequencies at;
    bl_json json = {.ctx = s->ctx};
    BL_TRY(bl_linear_response(s->ctx, in, 3, omega, H));
    BL_TRY(bl_linear_frequencies(s->ctx, in, 0.1, 10, 5, &at));
    bl_frequencies_destroy(s->ctx, &at);
    BL_TRY(bl_linear_bode(s->ctx, in, 3, omega, H, NULL, 0, scratch("svg")));
    BL_TRY(bl_linear_response_csv(s->ctx, in, 3, omega, H, "/dev/null"));
    BL_TRY(bl_linear_write(s->ctx, in, scratch("m")));
    bl_linear_phase(in, 3, H, 0, 0, phase);
    assert_true(fabs(phase[1] + 45) < 1e-9);
    bl_json_open(&json, NULL, '{');
    bl_linear_json(in, &json);
    bl_json_close(&json, '}');
    bl_status status = json.status;
    bl_json_destroy(&json);
    return status;
}
static const double value[] = {0, 1, 2}, re[] = {-1, -0.5, 0.5}, im[] = {1, 1, 1};
static void fill_mode_path(void *in) {
    *(bl_mode_path *)in = (bl_mode_path){.parameter = "p", .npoint = 3, .nmode = 1, .value = value, .re = re, .im = im};
}
static bl_status mode_path(shared *s, void *in, void *out) {
    (void)out;
    double joined_re[3], joined_im[3];
    bl_mode_crossing crossing;
    BL_TRY(bl_mode_path_join(s->ctx, in, joined_re, joined_im));
    BL_TRY(bl_mode_path_csv(s->ctx, in, "/dev/null"));
    BL_TRY(bl_linear_locus(s->ctx, in, scratch("svg")));
    BL_TRY(bl_linear_campbell(s->ctx, in, scratch("svg")));
    assert_int_equal(bl_mode_path_crossings(in, 1, &crossing), 1);
    return BL_OK;
}

static void fill_answer(void *in) { *(bl_modes_answer_options *)in = (bl_modes_answer_options){.until = 0.1, .every = 0.05}; }
static const char oscillator_text[] = "matrices: {M: [[1]], K: [[4]], initial: {positions: [1]}}\n";
static bl_status answer(shared *s, void *in, void *out) {
    bl_model *model = NULL;
    bl_modes_report report = {0};
    bl_status status = bl_model_read_text(s->ctx, "text", oscillator_text, strlen(oscillator_text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_modes(s->ctx, model, NULL, NULL, 0, &report);
    if (status == BL_OK)
        status = bl_modes_answer(s->ctx, &report, in, NULL, 0, out);
    bl_modes_report_destroy(s->ctx, &report);
    bl_model_destroy(model);
    return status;
}

#define TYPE(type) \
    { #type, BL_FIRST_##type, sizeof(type) }
#define NONE \
    { NULL, 0, 0 }
static const function functions[] = {
    {"bl_context_create", TYPE(bl_context_options), NONE, NULL, context, NULL},
    {"bl_model_open_text", TYPE(bl_read_options), NONE, NULL, read_model, NULL},
    {"bl_simulate", TYPE(bl_run_options), TYPE(bl_run_summary), fill_run, simulate, NULL},
    {"bl_simulate, sink", TYPE(bl_sink), TYPE(bl_run_summary), fill_sink, with_sink, NULL},
    {"bl_assemble", TYPE(bl_run_options), TYPE(bl_run_summary), NULL, assemble, NULL},
    {"bl_check", TYPE(bl_run_options), TYPE(bl_check_report), NULL, check, check_destroy},
    {"bl_sink_json", NONE, TYPE(bl_sink), NULL, json_sink, sink_destroy},
    {"bl_sink_csv", NONE, TYPE(bl_sink), NULL, csv_sink, sink_destroy},
    {"bl_sink_hdf5", NONE, TYPE(bl_sink), NULL, hdf5_sink, sink_destroy},
    {"bl_sink_vtk", NONE, TYPE(bl_sink), NULL, vtk_sink, sink_destroy},
    {"bl_order_study", TYPE(bl_order_options), TYPE(bl_order_report), fill_order, order, order_destroy},
    {"bl_order_figure", TYPE(bl_order_report), NONE, NULL, order_draw, NULL},
    {"bl_compare", TYPE(bl_compare_options), TYPE(bl_compare_report), fill_compare, compare, compare_destroy},
    {"bl_compare, motions", TYPE(bl_compare_motions), TYPE(bl_compare_report), fill_motions, compare_motions, compare_destroy},
    {"bl_equilibrium", TYPE(bl_equilibrium_options), TYPE(bl_equilibrium_summary), NULL, equilibrium, NULL},
    {"bl_equilibrium, run", TYPE(bl_equilibrium_options), TYPE(bl_run_summary), NULL, equilibrium_run, NULL},
    {"bl_inverse", TYPE(bl_inverse_options), TYPE(bl_inverse_summary), fill_inverse, inverse, inverse_destroy},
    {"bl_inverse, run", TYPE(bl_run_options), TYPE(bl_run_summary), fill_run, inverse_run, NULL},
    {"bl_kinematics_study", TYPE(bl_kinematics_options), TYPE(bl_kinematics_summary), NULL, kinematics, NULL},
    {"bl_kinematics_study, run", TYPE(bl_run_options), TYPE(bl_run_summary), fill_run, kinematics_run, NULL},
    {"bl_kinematics_create", TYPE(bl_kinematics_options), TYPE(bl_kinematics_summary), NULL, kinematics_object, NULL},
    {"bl_modes", TYPE(bl_modes_options), TYPE(bl_modes_report), NULL, modes, modes_destroy},
    {"bl_modes, equilibrium", TYPE(bl_equilibrium_options), TYPE(bl_modes_report), NULL, modes_from, modes_destroy},
    {"bl_modes_path", TYPE(bl_modes_path_options), TYPE(bl_modes_path_report), fill_path, modes_path, modes_path_destroy},
    {"bl_modes_path, modes", TYPE(bl_modes_options), TYPE(bl_modes_path_report), NULL, modes_path_modes, modes_path_destroy},
    {"bl_modes_answer", TYPE(bl_modes_answer_options), TYPE(bl_run_summary), fill_answer, answer, NULL},
    {"bl_move", TYPE(bl_move_options), TYPE(bl_move_report), fill_move, move, move_destroy},
    {"bl_move, run", TYPE(bl_move_options), TYPE(bl_run_summary), fill_move, move_run, NULL},
    {"bl_rates", TYPE(bl_rates_options), TYPE(bl_rates_report), fill_rates, rates, rates_destroy},
    {"bl_series_study", TYPE(bl_series_options), TYPE(bl_series_report), fill_series, series, series_destroy},
    {"bl_stability_study", TYPE(bl_stability_options), TYPE(bl_stability_report), fill_stability, stability, stability_destroy},
    {"bl_structure", TYPE(bl_chain), TYPE(bl_structure_report), fill_chain, structure, structure_destroy},
    {"bl_structure, options", TYPE(bl_structure_options), TYPE(bl_structure_report), NULL, structure_how, structure_destroy},
    {"bl_structure_graph", TYPE(bl_chain), TYPE(bl_structure_report), fill_chain, structure_draw, structure_destroy},
    {"bl_structure_inputs", TYPE(bl_chain), TYPE(bl_structure_choices), fill_chain, inputs, inputs_destroy},
    {"bl_structure_of_model", TYPE(bl_structure_options), TYPE(bl_structure_exceptions), NULL, structure_model, exceptions_destroy},
    {"bl_chain_of_model", NONE, TYPE(bl_chain), NULL, chain_of_model, chain_destroy},
    {"bl_chain_read_text", NONE, TYPE(bl_chain), NULL, chain_of_text, chain_destroy},
    {"bl_integrate, function", TYPE(bl_function), TYPE(bl_run_summary), fill_function, integrate_function, NULL},
    {"bl_integrate", TYPE(bl_integrate_options), TYPE(bl_run_summary), fill_integrate, integrate, NULL},
    {"bl_formula_create", TYPE(bl_formula_scope), NONE, fill_scope, formula, NULL},
    {"bl_linear_...", TYPE(bl_linear_model), NONE, fill_linear, linear, NULL},
    {"bl_mode_path_...", TYPE(bl_mode_path), NONE, fill_mode_path, mode_path, NULL},
};
enum { COUNT = sizeof functions / sizeof *functions };

/* one call with structs of these programs; status of the call */
static bl_status call(shared *s, const function *f, program in_of, program out_of) {
    static max_align_t complete[4096 / sizeof(max_align_t)];
    memset(complete, 0, sizeof complete);
    if (f->fill)
        f->fill(complete);
    placed in = {0}, out = {0};
    if (f->in.name)
        in = place(&f->in, in_of, complete);
    if (f->out.name) {
        out = place(&f->out, out_of, NULL);
        if (out_of == NEWER_USED)
            memset((char *)out.at + f->out.size, 1, MORE);
    }
    bl_context_clear_error(s->ctx);
    bl_status status = f->call(s, in.at, out.at);
    if (out.at) {
        size_t size;
        memcpy(&size, out.at, sizeof size);
        if (size != (out_of == FIRST_PLAIN ? 0 : out.bytes))
            fail_msg("%s changed the size of %s", f->name, f->out.name);
        for (size_t i = f->out.size; status == BL_OK && i < out.bytes; i++)
            if (((char *)out.at)[i] != 0)
                fail_msg("%s: a field of %s that the library does not know is not 0", f->name, f->out.name);
        if (f->destroy)
            f->destroy(s, out.at);
        memcpy(&size, out.at, sizeof size);
        if (size != (out_of == FIRST_PLAIN ? 0 : out.bytes))
            fail_msg("%s: destroy changed the size of %s", f->name, f->out.name);
        unplace(out);
    }
    if (in.at)
        unplace(in);
    return status;
}

static void programs_of_other_versions__work(void **state) {
    shared *s = *state;
    for (int k = 0; k < COUNT; k++)
        for (program p = FIRST_PLAIN; p <= NEWER_ZERO; p++) {
            bl_status status = call(s, &functions[k], p, p);
            if (status != BL_OK)
                fail_msg("%s, program %d: %s", functions[k].name, (int)p, bl_context_error(s->ctx)->what);
            assert_int_equal(call(s, &functions[k], p, NEWER_USED), BL_OK); /* what it fills may hold anything before */
        }
}

static void unknown_fields__are_refused_by_name(void **state) {
    shared *s = *state;
    for (int k = 0; k < COUNT; k++) {
        if (!functions[k].in.name)
            continue;
        long samples = s->samples;
        bl_status status = call(s, &functions[k], NEWER_USED, FIRST_PLAIN);
        if (status != BL_E_ARG || !strstr(bl_context_error(s->ctx)->what, functions[k].in.name))
            fail_msg("%s: status %d, %s", functions[k].name, (int)status, bl_context_error(s->ctx)->what);
        assert_int_equal(s->samples, samples); /* before anything is computed */
    }
}

static void structs_that_were_not_initialized__are_refused(void **state) {
    shared *s = *state;
    for (int k = 0; k < COUNT; k++) {
        const function *f = &functions[k];
        static max_align_t in[4096 / sizeof(max_align_t)], out[4096 / sizeof(max_align_t)];
        if (!f->out.name)
            continue;
        memset(in, 0, sizeof in);
        memset(out, 0x5a, sizeof out);
        if (f->fill)
            f->fill(in);
        bl_status status = f->call(s, in, out);
        bool has_status = strcmp(f->name, "bl_kinematics_create") != 0; /* bl_kinematics_summarize has none */
        if (has_status && (status != BL_E_ARG || !strstr(bl_context_error(s->ctx)->what, f->out.name)))
            fail_msg("%s: status %d, %s", f->name, (int)status, bl_context_error(s->ctx)->what);
        for (size_t i = 0; i < sizeof out; i++)
            assert_int_equal(((unsigned char *)out)[i], 0x5a);
    }
}

static int setup(void **state) {
    static shared s;
    s = (shared){.ctx = test_context(NULL)};
    assert_int_equal(bl_model_read_text(s.ctx, "text", model_text, strlen(model_text), NULL, 0, &s.model), BL_OK);
    assert_int_equal(bl_model_read_text(s.ctx, "text", driven_text, strlen(driven_text), NULL, 0, &s.driven), BL_OK);
    *state = &s;
    return 0;
}

static int teardown(void **state) {
    shared *s = *state;
    bl_model_destroy(s->model);
    bl_model_destroy(s->driven);
    test_context_end(s->ctx);
    unlink(scratch("svg"));
    unlink(scratch("m"));
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(programs_of_other_versions__work, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_fields__are_refused_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(structs_that_were_not_initialized__are_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

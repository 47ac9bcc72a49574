/* biela rates: velocities and accelerations at one place for given inputs, ratios, transmission angles, mechanical advantages. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs */

static bool bad_input(const char *text, cli_mistake *mistake) {
    snprintf(mistake->what, sizeof mistake->what, "--input takes VARIABLE=RATE or VARIABLE=RATE,SECOND_RATE, not '%.200s'", text);
    snprintf(mistake->advice, sizeof mistake->advice, "for example --input A.angle=10,2, in rad/s and rad/s^2");
    return false;
}

/* a finite number at *text, which must end at one of `ends` or at the end */
static bool read_number(const char **text, char ends, double *value) {
    char *end = NULL;
    *value = strtod(*text, &end);
    if (end == *text || (*end && *end != ends) || !isfinite(*value))
        return false;
    *text = end;
    return true;
}

static bool read_inputs(const cli_names *texts, bl_rate_input **input, char **names, cli_mistake *mistake) {
    size_t bytes = 1;
    for (bl_index i = 0; i < texts->n; i++)
        bytes += strlen(texts->name[i]) + 1;
    *input = calloc((size_t)texts->n + 1, sizeof **input);
    *names = calloc(bytes, 1);
    if (!*input || !*names) {
        snprintf(mistake->what, sizeof mistake->what, "no memory for --input");
        return false;
    }
    char *next = *names;
    for (bl_index i = 0; i < texts->n; i++) {
        const char *text = texts->name[i], *equals = strchr(text, '='), *at = equals ? equals + 1 : NULL;
        bl_rate_input *in = &(*input)[i];
        if (!at || equals == text || !read_number(&at, ',', &in->rate))
            return bad_input(text, mistake);
        if (*at == ',') {
            at++;
            if (!read_number(&at, 0, &in->acceleration))
                return bad_input(text, mistake);
        }
        memcpy(next, text, (size_t)(equals - text));
        in->name = next;
        next += equals - text + 1;
    }
    return true;
}

/* ---- tables */

enum { CELL = 48 };

static char *cell(char *cells, int columns, bl_index row, int column) {
    return cells + ((size_t)row * (size_t)columns + (size_t)column) * CELL;
}

static void number(char *out, double value) {
    if (isinf(value))
        snprintf(out, CELL, "infinite");
    else
        snprintf(out, CELL, "%.9g", value);
}

static void put_row(char *cells, int columns, bl_index at, const bl_rate_row *row, bl_index ninput) {
    snprintf(cell(cells, columns, at, 0), CELL, "  %s", row->name);
    number(cell(cells, columns, at, 1), row->value);
    number(cell(cells, columns, at, 2), row->rate);
    number(cell(cells, columns, at, 3), row->acceleration);
    for (bl_index i = 0; i < ninput; i++)
        number(cell(cells, columns, at, 4 + (int)i), row->ratio[i]);
}

static bool print_rows(const bl_rates_report *r) {
    bl_index rows = 1 + r->nvariable + r->nprobe * r->dim, at = 1;
    int columns = 4 + (int)r->ninput;
    char *cells = calloc((size_t)rows * (size_t)columns, CELL);
    if (!cells)
        return false;
    static const char *const heads[] = {"", "value", "rate", "second rate"};
    for (int c = 0; c < 4; c++)
        snprintf(cell(cells, columns, 0, c), CELL, "%s", heads[c]);
    for (bl_index i = 0; i < r->ninput; i++)
        snprintf(cell(cells, columns, 0, 4 + (int)i), CELL, "d/d %.40s", r->input[i].name);
    for (bl_index v = 0; v < r->nvariable; v++)
        put_row(cells, columns, at++, &r->variable[v], r->ninput);
    for (bl_index p = 0; p < r->nprobe * r->dim; p++)
        put_row(cells, columns, at++, &r->probe[p], r->ninput);
    cli_print_table(cells, CELL, columns, rows, 1);
    free(cells);
    return true;
}

static void print_vector(const char *what, const double x[3]) { cli_out("%s (%.9g, %.9g, %.9g)", what, x[0], x[1], x[2]); }

static void print_bodies(const bl_rates_report *r) {
    for (bl_index b = 0; b < r->nbody; b++) {
        const bl_body_rates *body = &r->body[b];
        cli_out("  %-16s", body->name);
        print_vector(" velocity", body->pose.velocity);
        print_vector("  acceleration", body->acceleration.acceleration);
        if (r->dim == 2) {
            cli_out("\n  %-16s angular velocity %.9g  angular acceleration %.9g\n", "", body->pose.angular_velocity[2],
                    body->acceleration.angular_acceleration[2]);
            continue;
        }
        cli_out("\n  %-16s", "");
        print_vector(" angular velocity", body->pose.angular_velocity);
        print_vector("  angular acceleration", body->acceleration.angular_acceleration);
        cli_out("\n");
    }
}

static void print_report(const bl_rates_report *r) {
    static const double degrees = 57.295779513082320877;
    cli_out("%s: %d degree%s of freedom", r->model_name, (int)r->mobility, r->mobility == 1 ? "" : "s");
    if (r->passive > 0)
        cli_out(", %d of them turn one body alone and are taken as at rest", (int)r->passive);
    cli_out("\n");
    for (bl_index i = 0; i < r->ninput; i++)
        cli_out("  %-16s %s: rate %.9g, second rate %.9g\n", "input", r->input[i].name, r->input[i].rate, r->input[i].acceleration);
    print_rows(r);
    print_bodies(r);
    for (bl_index i = 0; i < r->ntransmission; i++)
        cli_out("  %-16s %.9g rad (%.6g degrees) at %s, %s and %s (%s)\n", "transmission", r->transmission[i].angle,
                degrees * r->transmission[i].angle, r->transmission[i].joint, r->transmission[i].link[0], r->transmission[i].link[1],
                r->transmission[i].form);
    for (bl_index k = 0; k < r->noutput; k++)
        for (bl_index i = 0; i < r->ninput; i++) {
            char factor[CELL];
            number(factor, r->output[k].factor[i]);
            cli_out("  %-16s %s at %s for 1 at %s\n", "advantage", factor, r->output[k].name, r->input[i].name);
        }
}

/* ---- JSON */

static void json_row(bl_json *json, const bl_rate_row *row, const bl_rates_report *r) {
    bl_json_open(json, row->name, '{');
    bl_json_number(json, "value", row->value);
    bl_json_number(json, "rate", row->rate);
    bl_json_number(json, "acceleration", row->acceleration);
    bl_json_open(json, "ratios", '{');
    for (bl_index i = 0; i < r->ninput; i++)
        bl_json_number(json, r->input[i].name, row->ratio[i]);
    bl_json_close(json, '}');
    bl_json_close(json, '}');
}

static void json_rows(bl_json *json, const char *key, const bl_rate_row *row, bl_index n, const bl_rates_report *r) {
    bl_json_open(json, key, '{');
    for (bl_index i = 0; i < n; i++)
        json_row(json, &row[i], r);
    bl_json_close(json, '}');
}

static void json_bodies(bl_json *json, const bl_rates_report *r) {
    bl_json_open(json, "bodies", '{');
    for (bl_index b = 0; b < r->nbody; b++) {
        const bl_body_rates *body = &r->body[b];
        bl_json_open(json, body->name, '{');
        bl_json_numbers(json, "position", body->pose.position, 3);
        bl_json_numbers(json, "quaternion", body->pose.quaternion, 4);
        bl_json_numbers(json, "velocity", body->pose.velocity, 3);
        bl_json_numbers(json, "angular_velocity", body->pose.angular_velocity, 3);
        bl_json_numbers(json, "acceleration", body->acceleration.acceleration, 3);
        bl_json_numbers(json, "angular_acceleration", body->acceleration.angular_acceleration, 3);
        bl_json_close(json, '}');
    }
    bl_json_close(json, '}');
}

static int print_json(bl_context *ctx, const bl_rates_report *r) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_text(&json, "status", bl_status_text(BL_OK));
    bl_json_integer(&json, "mobility", r->mobility);
    bl_json_integer(&json, "passive", r->passive);
    json_rows(&json, "inputs", r->input, r->ninput, r);
    json_rows(&json, "variables", r->variable, r->nvariable, r);
    json_rows(&json, "probes", r->probe, r->nprobe * r->dim, r);
    json_bodies(&json, r);
    bl_json_open(&json, "transmission", '[');
    for (bl_index i = 0; i < r->ntransmission; i++) {
        const bl_transmission *t = &r->transmission[i];
        bl_json_open(&json, NULL, '{');
        bl_json_text(&json, "joint", t->joint);
        bl_json_open(&json, "links", '[');
        bl_json_text(&json, NULL, t->link[0]);
        bl_json_text(&json, NULL, t->link[1]);
        bl_json_close(&json, ']');
        bl_json_text(&json, "form", t->form);
        bl_json_number(&json, "angle", t->angle);
        bl_json_close(&json, '}');
    }
    bl_json_close(&json, ']');
    bl_json_open(&json, "advantage", '{');
    for (bl_index k = 0; k < r->noutput; k++) {
        bl_json_open(&json, r->output[k].name, '{');
        for (bl_index i = 0; i < r->ninput; i++)
            bl_json_number(&json, r->input[i].name, r->output[k].factor[i]);
        bl_json_close(&json, '}');
    }
    bl_json_close(&json, '}');
    bl_json_close(&json, '}');
    return cli_print_json(ctx, &json);
}

/* ---- CSV */

static void csv_row(FILE *out, const bl_rate_row *row, bl_index ninput) {
    fprintf(out, "%s,%.17g,%.17g,%.17g", row->name, row->value, row->rate, row->acceleration);
    for (bl_index i = 0; i < ninput; i++)
        fprintf(out, ",%.17g", row->ratio[i]);
    fprintf(out, "\n");
}

static void csv_body(FILE *out, const bl_body_rates *body) {
    for (int turns = 0; turns < 2; turns++)
        for (int k = 0; k < 3; k++)
            fprintf(out, "%s.%s%c,%s,%.17g,%.17g\n", body->name, turns ? "turning_" : "", 'x' + k, turns ? "" : "",
                    turns ? body->pose.angular_velocity[k] : body->pose.velocity[k],
                    turns ? body->acceleration.angular_acceleration[k] : body->acceleration.acceleration[k]);
}

static bool write_csv(const char *path, const bl_rates_report *r) {
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fprintf(out, "name,value,rate,acceleration");
    for (bl_index i = 0; i < r->ninput; i++)
        fprintf(out, ",d/d %s", r->input[i].name);
    fprintf(out, "\n");
    for (bl_index v = 0; v < r->nvariable; v++)
        csv_row(out, &r->variable[v], r->ninput);
    for (bl_index p = 0; p < r->nprobe * r->dim; p++)
        csv_row(out, &r->probe[p], r->ninput);
    for (bl_index b = 0; b < r->nbody; b++)
        csv_body(out, &r->body[b]);
    bool good = !ferror(out);
    return fclose(out) == 0 && good;
}

/* ---- the command */

static int show(bl_context *ctx, const cli_args *args, const bl_rates_report *report) {
    if (args->csv && cli_first_rank() && !write_csv(args->csv, report)) {
        cli_mistake mistake = {0};
        snprintf(mistake.what, sizeof mistake.what, "cannot write '%.300s'", args->csv);
        return cli_fail_system(args, &mistake);
    }
    if (args->json)
        return print_json(ctx, report);
    if (!args->quiet)
        print_report(report);
    return EXIT_DONE;
}

static int rates(bl_context *ctx, cli_args *args) {
    cli_mistake mistake = {0};
    bl_move_target *target = NULL;
    bl_rate_input *input = NULL;
    char *target_names = NULL, *input_names = NULL;
    int code;
    if (!cli_read_targets(&args->move, &target, &target_names, &mistake) ||
        !read_inputs(&args->rate_input, &input, &input_names, &mistake)) {
        code = cli_fail_usage(args, &mistake);
    } else {
        bl_rates_options options = {.target = target,
                                    .ntarget = args->move.n,
                                    .input = input,
                                    .ninput = args->rate_input.n,
                                    .output = args->wanted.name,
                                    .noutput = args->wanted.n,
                                    .closure = args->closure};
        bl_rates_report report = {0};
        bl_model *model = NULL;
        bl_status status = cli_read_model(ctx, args, &model);
        if (status == BL_OK)
            status = cli_check_outputs(ctx, args, model, NULL);
        if (status == BL_OK)
            status = bl_rates(ctx, model, &options, &report);
        code = status == BL_OK ? show(ctx, args, &report) : cli_fail(ctx, args, status);
        bl_rates_report_destroy(ctx, &report);
        bl_model_destroy(model);
    }
    free(target);
    free(input);
    free(target_names);
    free(input_names);
    return code;
}

static const cli_option *const options[] = {&cli_opt_move,  &cli_opt_rate_input, &cli_opt_wanted,   &cli_opt_csv,
                                            &cli_opt_json,  &cli_opt_set,        &cli_opt_confined, &cli_opt_closure,
                                            &cli_opt_quiet, &cli_opt_verbose,    &cli_opt_help,     NULL};

const cli_command cli_rates = {
    "rates",
    "MODEL",
    "velocities and accelerations at one place for given inputs",
    "Finds rates and second rates of all variables, bodies and probes for given rates of inputs (default: those of the drivers at\n"
    "t = 0, or the first variable with rate 1), at the start or where --move leads; with the ratio of each to each input,\n"
    "transmission angles of plane dyads, and mechanical advantages. Masses and forces do not count.",
    options,
    rates};

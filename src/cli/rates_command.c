/* biela rates: velocities and accelerations in one configuration for given inputs, ratios, transmission angles, mechanical advantages. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

/* values of the options of this command */
struct own {
    cli_names wanted, rate_input;
};

/* ---- tables */

static void number(cli_table *table, double value) {
    if (isinf(value))
        cli_cell(table, "infinite");
    else
        cli_cell(table, "%.9g", value);
}

static void put_rows(cli_table *table, const bl_rate_row *row, bl_index n, bl_index ninput) {
    for (bl_index k = 0; k < n; k++) {
        cli_cell(table, "  %s", row[k].name);
        number(table, row[k].value);
        number(table, row[k].rate);
        number(table, row[k].acceleration);
        for (bl_index i = 0; i < ninput; i++)
            number(table, row[k].ratio[i]);
    }
}

static void print_rows(const bl_rates_report *r) {
    cli_table table = {.columns = 4 + (int)r->ninput};
    cli_cells(&table, (const char *const[]){"", "value", "rate", "second rate"}, 4);
    for (bl_index i = 0; i < r->ninput; i++)
        cli_cell(&table, "d/d %.40s", r->input[i].name);
    put_rows(&table, r->variable, r->nvariable, r->ninput);
    put_rows(&table, r->probe, r->nprobe * r->dim, r->ninput);
    cli_table_print(&table, 1);
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

static void print_report(const void *found) {
    const bl_rates_report *r = found;
    static const double degrees = 57.295779513082320877;
    cli_out("%s: %d degree%s of freedom", r->model_name, (int)r->mobility, cli_s(r->mobility));
    if (r->passive > 0)
        cli_out(", %d of them idle rotations of single bodies, held at rest", (int)r->passive);
    cli_out("\n");
    for (bl_index i = 0; i < r->ninput; i++)
        cli_line("input", "%s: rate %.9g, second rate %.9g", r->input[i].name, r->input[i].rate, r->input[i].acceleration);
    print_rows(r);
    print_bodies(r);
    for (bl_index i = 0; i < r->ntransmission; i++)
        cli_line("transmission", "%.9g rad (%.6g degrees) at %s, %s and %s (%s)", r->transmission[i].angle,
                 degrees * r->transmission[i].angle, r->transmission[i].joint, r->transmission[i].link[0], r->transmission[i].link[1],
                 r->transmission[i].form);
    for (bl_index k = 0; k < r->noutput; k++)
        for (bl_index i = 0; i < r->ninput; i++) {
            char factor[32] = "infinite";
            if (!isinf(r->output[k].factor[i]))
                snprintf(factor, sizeof factor, "%.9g", r->output[k].factor[i]);
            cli_line("advantage", "%s at %s for 1 at %s", factor, r->output[k].name, r->input[i].name);
        }
}

/* ---- JSON */

static void json_row(bl_json *json, const bl_rate_row *row, const bl_rates_report *r) {
    bl_json_open(json, row->name, '{');
    BL_JSON_NUMBERS(json, {"value", row->value}, {"rate", row->rate}, {"acceleration", row->acceleration});
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

static void json_report(bl_json *json, const void *found) {
    const bl_rates_report *r = found;
    bl_json_text(json, "status", bl_status_text(BL_OK));
    bl_json_integer(json, "mobility", r->mobility);
    bl_json_integer(json, "passive", r->passive);
    json_rows(json, "inputs", r->input, r->ninput, r);
    json_rows(json, "variables", r->variable, r->nvariable, r);
    json_rows(json, "probes", r->probe, r->nprobe * r->dim, r);
    json_bodies(json, r);
    bl_json_open(json, "transmission", '[');
    for (bl_index i = 0; i < r->ntransmission; i++) {
        const bl_transmission *t = &r->transmission[i];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "joint", t->joint);
        bl_json_texts(json, "links", t->link, 2);
        bl_json_text(json, "form", t->form);
        bl_json_number(json, "angle", t->angle);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    bl_json_open(json, "advantage", '{');
    for (bl_index k = 0; k < r->noutput; k++) {
        bl_json_open(json, r->output[k].name, '{');
        for (bl_index i = 0; i < r->ninput; i++)
            bl_json_number(json, r->input[i].name, r->output[k].factor[i]);
        bl_json_close(json, '}');
    }
    bl_json_close(json, '}');
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

static int show(bl_context *ctx, const cli_args *args, const bl_rates_options *options) {
    bl_rates_report report = {.size = sizeof report};
    bl_model *model = NULL;
    cli_mistake mistake;
    bl_status status = cli_read_model(ctx, args, &model);
    if (status == BL_OK)
        status = cli_check_outputs(ctx, args, model, NULL, NULL, 0);
    if (status == BL_OK)
        status = bl_rates(ctx, model, options, &report);
    bool wrote = status != BL_OK || !args->csv || !cli_first_rank() || write_csv(args->csv, &report) ||
                 cli_mistaken(&mistake, "", "cannot write '%.300s'", args->csv);
    int code = wrote ? cli_show(ctx, args, status, print_report, json_report, &report) : cli_fail_system(args, &mistake);
    bl_rates_report_destroy(ctx, &report);
    bl_model_destroy(model);
    return code;
}

static int rates(bl_context *ctx, cli_args *args) {
    cli_mistake mistake = {0};
    bl_move_target *target = NULL;
    cli_assignment *targets = NULL, *inputs = NULL;
    bl_rate_input *input = calloc((size_t)cli_own(args)->rate_input.n + 1, sizeof *input);
    bool good =
        input && cli_read_targets(&args->move, &target, &targets, &mistake) &&
        (inputs = cli_read_assignments("input", "VARIABLE=RATE or VARIABLE=RATE,SECOND_RATE",
                                       "for example --input A.angle=10,2, in rad/s and rad/s^2", &cli_own(args)->rate_input, 2, &mistake));
    for (bl_index i = 0; good && i < cli_own(args)->rate_input.n; i++)
        input[i] = (bl_rate_input){.name = inputs[i].name, .rate = inputs[i].value[0], .acceleration = inputs[i].value[1]};
    bl_rates_options options = {.size = sizeof options,
                                .target = target,
                                .ntarget = args->move.n,
                                .input = input,
                                .ninput = cli_own(args)->rate_input.n,
                                .output = cli_own(args)->wanted.name,
                                .noutput = cli_own(args)->wanted.n,
                                .closure = args->closure};
    int code = good ? show(ctx, args, &options) : cli_fail_usage(args, &mistake);
    free(target);
    free(targets);
    free(input);
    free(inputs);
    return code;
}

static const cli_option *const options[] = {
    &cli_opt_move,
    CLI_OWN(rate_input, 0, "input", "VAR=RATE,ACC", CLI_NAMES, "rate and second rate (default 0) of an input; may be repeated"),
    CLI_OWN(wanted, 0, "output", "VAR", CLI_NAMES, "mechanical advantage at this variable; may be repeated"),
    &cli_opt_csv,
    &cli_opt_json,
    CLI_MODEL_OPTIONS,
    &cli_opt_closure,
    CLI_MESSAGE_OPTIONS};

const cli_command cli_rates = {
    .name = "rates",
    .word = "MODEL",
    .help = "velocities and accelerations in one configuration for given inputs",
    .text = "Computes first and second rates of all variables, bodies and probes for given rates of inputs (default:\n"
            "those of the drivers at t = 0, or the first variable with rate 1), in the start configuration or the one\n"
            "that --move leads to; with the ratio of each rate to each input, transmission angles of plane dyads, and\n"
            "mechanical advantages. Masses and forces are ignored.",
    .options = options,
    .run = rates,
    .own = sizeof(struct own)};

/* Laws made of other laws: a node of a tape, a sum of products. */
#include "model/reader.h"

#include <math.h>
#include <string.h>

/* the same tape without the inputs that its output does not depend on */
static bl_status drop_inputs(bl_reader *r, bl_tape **tape, bl_index ninput, bl_symbol *input, bl_index *nused) {
    bl_tape *full = *tape, *lean = NULL;
    bl_index *node, out = -1;
    BL_TRY(BL_ARENA_NEW(&r->scratch, node, (size_t)ninput + 1));
    BL_TRY(bl_tape_create(r->ctx, &lean));
    *nused = 0;
    for (bl_index i = 0; i < ninput; i++) {
        bool used = i < bl_tape_inputs(full) && bl_tape_depends(full, 0, i);
        node[i] = used ? bl_tape_input(lean, *nused) : bl_tape_const(lean, 0);
        if (used)
            input[(*nused)++] = input[i];
    }
    bl_status status = bl_tape_splice(lean, full, node, &out);
    if (status == BL_OK)
        status = bl_tape_output(lean, out);
    if (status == BL_OK)
        status = bl_tape_finish(lean);
    bl_tape_destroy(full);
    *tape = lean;
    return status;
}

/* finishes a tape with one output as a law; destroys it after a failure */
static bl_status keep(bl_reader *r, bl_tape *tape, bl_status status, bl_index ninput, const bl_symbol *input, const char *text,
                      const bl_place *place, bl_index *which) {
    bl_symbol *own = NULL;
    if (status == BL_OK)
        status = bl_tape_finish(tape);
    if (status == BL_OK)
        status = BL_ARENA_NEW(&r->scratch, own, (size_t)ninput + 1);
    if (status == BL_OK) {
        if (ninput)
            memcpy(own, input, (size_t)ninput * sizeof *own);
        status = drop_inputs(r, &tape, ninput, own, &ninput);
    }
    if (status == BL_OK)
        status = bl_laws_keep(r, ninput, own, text, place, tape, which);
    if (status != BL_OK)
        bl_tape_destroy(tape);
    return status;
}

bl_status bl_laws_record(bl_reader *r, const bl_tape *from, bl_index node, bl_index ninput, const bl_symbol *input, const char *text,
                         const bl_place *place, bl_index *which) {
    bl_tape *tape = NULL;
    bl_index out = -1;
    BL_TRY(bl_tape_status(from));
    BL_TRY(bl_tape_create(r->ctx, &tape));
    bl_status status = bl_tape_extract(tape, from, node, &out);
    if (status == BL_OK)
        status = bl_tape_output(tape, out);
    return keep(r, tape, status, ninput, input, text, place, which);
}

bl_status bl_laws_combine(bl_reader *r, bl_index n, const bl_index *law, const double *factor, const bl_place *place, bl_index *which) {
    const bl_model *model = r->model;
    bl_tape *tape = NULL;
    bl_symbol *input;
    bl_index total = 0, *node, ninput = 0;
    for (bl_index i = 0; i < n; i++)
        total += model->law[law[i]].ninput;
    BL_TRY(BL_ARENA_ARRAYS(&r->scratch, BL_ARRAY(input, total), BL_ARRAY(node, (size_t)total + 1)));
    BL_TRY(bl_tape_create(r->ctx, &tape));
    bl_index sum = bl_tape_const(tape, 0);
    bl_status status = BL_OK;
    for (bl_index i = 0; i < n && status == BL_OK; i++) {
        const bl_law *l = &model->law[law[i]];
        bl_index out = -1;
        for (bl_index k = 0; k < l->ninput; k++) {
            node[k] = bl_tape_input(tape, ninput);
            input[ninput++] = l->input[k];
        }
        status = bl_tape_splice(tape, l->tape, node, &out);
        sum = bl_tape_op2(tape, BL_TAPE_ADD, sum, bl_tape_op2(tape, BL_TAPE_MUL, bl_tape_const(tape, factor[i]), out));
    }
    if (status == BL_OK)
        status = bl_tape_output(tape, sum);
    return keep(r, tape, status, ninput, input, "sum of products", place, which);
}

/* ---- functions with a memory */

/* passes a threshold: sets the signal to `value` */
static bl_status add_threshold(bl_reader *r, const bl_action *like, int direction, bl_index law, bl_index signal, double value) {
    bl_action action = *like, *added;
    action.direction = (int8_t)direction;
    action.law = law;
    BL_TRY(bl_actions_add(r, &action, &added));
    return bl_actions_assign(r, &(bl_assignment){.signal = signal, .law = -1, .value = value, .place = like->place});
}

bl_status bl_signals_hysteresis(bl_reader *r, const bl_tape *tape, const bl_index *argument, bl_index ninput, const bl_symbol *input,
                                const bl_place *place, bl_index *which) {
    bl_model *model = r->model;
    double low, high;
    bool known = bl_tape_known(tape, argument[1], &low) && bl_tape_known(tape, argument[2], &high);
    if (known && !(low < high))
        return bl_fail(r->ctx, BL_E_MODEL, place, "hysteresis(x, low, high) needs low < high, found %g and %g", low, high);
    if (bl_tape_known(tape, argument[0], NULL))
        return bl_fail(r->ctx, BL_E_MODEL, place, "hysteresis(x, low, high) of a constant never changes");
    bl_tape *work = NULL; /* x - high, x - low, x >= high */
    bl_index node[3], part[3], law[3];
    bl_action action = {.place = *place, .when = BL_ACTION_WHEN, .law = -1, .percussion = -1};
    const char *name = bl_arena_printf(&model->arena, "hysteresis %d", (int)++r->nhysteresis);
    action.name = bl_arena_printf(&model->arena, "hysteresis in line %d", place->line);
    if (!name || !action.name)
        return BL_E_MEMORY;
    BL_TRY(bl_tape_create(r->ctx, &work));
    bl_status status = BL_OK;
    for (int k = 0; k < 3 && status == BL_OK; k++)
        status = bl_tape_extract(work, tape, argument[k], &part[k]);
    if (status == BL_OK) {
        node[0] = bl_tape_op2(work, BL_TAPE_SUB, part[0], part[2]);
        node[1] = bl_tape_op2(work, BL_TAPE_SUB, part[0], part[1]);
        node[2] = bl_tape_op2(work, BL_TAPE_LESS_EQUAL, part[2], part[0]);
    }
    for (int k = 0; k < 3 && status == BL_OK; k++)
        status = bl_laws_record(r, work, node[k], ninput, input, action.name, place, &law[k]);
    bl_tape_destroy(work);
    BL_TRY(status);
    BL_TRY(bl_signals_add(r, BL_SIGNAL_HELD, "a function", name, place, which));
    model->signal[*which].hidden = true;
    model->signal[*which].start = law[2];
    BL_TRY(add_threshold(r, &action, 1, law[0], *which, 1));
    return add_threshold(r, &action, -1, law[1], *which, 0);
}

/* the value of a law that depends on parameters only */
static bl_status parameter_value(bl_reader *r, const bl_law *law, const bl_place *place, double *value) {
    double *in;
    for (bl_index i = 0; i < law->ninput; i++)
        if (law->input[i].what != BL_SYM_PARAMETER) {
            bl_fail(r->ctx, BL_E_MODEL, place, "the time of a delay must be constant");
            bl_advise(r->ctx, "it may use numbers and parameters");
            return BL_E_MODEL;
        }
    BL_TRY(BL_NEW(r->ctx, in, (size_t)law->ninput + bl_tape_work(law->tape) + 1));
    for (bl_index i = 0; i < law->ninput; i++) {
        in[i] = r->model->parameter[law->input[i].ref].value;
        r->model->parameter[law->input[i].ref].use |= BL_PARAMETER_IN_NUMBERS;
    }
    bl_tape_eval(law->tape, in, value, in + law->ninput);
    bl_free(r->ctx, in);
    return BL_OK;
}

bl_status bl_signals_delay(bl_reader *r, const bl_tape *tape, const bl_index *argument, bl_index ninput, const bl_symbol *input,
                           const bl_place *place, bl_index *which) {
    bl_model *model = r->model;
    bl_index value, time;
    double delay;
    const char *name = bl_arena_printf(&model->arena, "delay %d", (int)++r->ndelay);
    if (!name)
        return BL_E_MEMORY;
    BL_TRY(bl_laws_record(r, tape, argument[0], ninput, input, name, place, &value));
    BL_TRY(bl_laws_record(r, tape, argument[1], ninput, input, name, place, &time));
    BL_TRY(parameter_value(r, &model->law[time], place, &delay));
    if (!(delay > 0) || !isfinite(delay)) {
        bl_fail(r->ctx, BL_E_MODEL, place, "the time of a delay must be positive, found %g", delay);
        bl_advise(r->ctx, "delay(x, 0.1) is the value of x 0.1 s ago; before the start it is that of the start");
        return BL_E_MODEL;
    }
    BL_TRY(bl_signals_add(r, BL_SIGNAL_DELAY, "a function", name, place, which));
    model->signal[*which].hidden = true;
    model->signal[*which].law = value;
    model->signal[*which].delay = delay;
    return BL_OK;
}

/* Quantities of a model (src/model/named_quantities.c) at samples: evaluated from variables, probes and signals of the sample. */
#include "study/run.h"

#include "series/tape.h"

#include <math.h>
#include <string.h>

static bl_index shown_signals(const bl_run *run) { return run->info.nsignal - run->model->nquantity; }

bl_status bl_quantities_prepare(bl_run *run) {
    const bl_model *model = run->model;
    size_t most = 0;
    for (bl_index i = 0; i < model->nquantity; i++) {
        const bl_law *law = model->quantity[i].law >= 0 ? &model->law[model->quantity[i].law] : NULL;
        size_t need = law ? (size_t)law->ninput + bl_tape_work(law->tape) : 0;
        most = need > most ? need : most;
    }
    if (model->nquantity == 0)
        return BL_OK;
    return BL_ARENA_ARRAYS(&run->arena, BL_ARRAY(run->signal, run->info.nsignal), BL_ARRAY(run->quantity_work, most + 1));
}

/* place of a signal among those shown */
static bl_index shown(const bl_model *model, bl_index signal) {
    bl_index n = 0;
    for (bl_index i = 0; i < signal; i++)
        n += !model->signal[i].hidden;
    return n;
}

static double input_of(const bl_model *model, const bl_symbol *s, const bl_sample *sample) {
    switch (s->what) {
    case BL_SYM_TIME: return sample->t;
    case BL_SYM_PARAMETER: return model->parameter[s->ref].value;
    case BL_SYM_VARIABLE: return sample->variable ? sample->variable[s->ref] : NAN;
    case BL_SYM_RATE: return sample->variable_rate ? sample->variable_rate[s->ref] : NAN;
    case BL_SYM_PROBE: return sample->probe ? sample->probe[3 * s->ref + s->part] : NAN;
    case BL_SYM_PROBE_RATE: return sample->probe_rate ? sample->probe_rate[3 * s->ref + s->part] : NAN;
    case BL_SYM_SIGNAL: return sample->signal ? sample->signal[shown(model, s->ref)] : NAN;
    default: return NAN; /* the reader admits no others */
    }
}

void bl_run_quantities(bl_run *run, bl_sample *sample) {
    const bl_model *model = run->model;
    bl_index n = shown_signals(run);
    if (!run->signal || !(run->want & BL_WANT_SIGNALS))
        return;
    for (bl_index i = 0; i < n; i++)
        run->signal[i] = sample->signal ? sample->signal[i] : NAN;
    for (bl_index i = 0; i < model->nquantity; i++) {
        const bl_quantity_def *q = &model->quantity[i];
        const bl_law *law = q->law >= 0 ? &model->law[q->law] : NULL;
        double *out = &run->signal[n + i];
        *out = q->value;
        for (bl_index k = 0; law && k < law->ninput; k++)
            run->quantity_work[k] = input_of(model, &law->input[k], sample);
        if (law)
            bl_tape_eval(law->tape, run->quantity_work, out, run->quantity_work + law->ninput);
    }
    sample->signal = run->signal;
}

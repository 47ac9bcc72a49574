/* See law_inputs.h. */
#include "model/law_inputs.h"

#include <math.h>
#include <string.h>

double bl_symbol_value(const bl_model *model, const bl_symbol *s, const bl_instant *at) {
    switch (s->what) {
    case BL_SYM_TIME: return at->t;
    case BL_SYM_PARAMETER: return model->parameter[s->ref].value;
    case BL_SYM_VARIABLE: return at->variable ? at->variable[s->ref] : NAN;
    case BL_SYM_RATE: return at->rate ? at->rate[s->ref] : NAN;
    case BL_SYM_PROBE: return at->probe ? at->probe[3 * s->ref + s->part] : NAN;
    case BL_SYM_PROBE_RATE: return at->probe_rate ? at->probe_rate[3 * s->ref + s->part] : NAN;
    case BL_SYM_POSITION: return at->place ? at->place[s->part] : NAN;
    case BL_SYM_FIELD: return at->field;
    case BL_SYM_SIGNAL: return at->signal ? at->signal[s->ref] : model->signal[s->ref].value;
    default: return NAN;
    }
}

void bl_law_read(const bl_model *model, const bl_law *law, const bl_instant *at, double *in) {
    for (bl_index k = 0; k < law->ninput; k++)
        in[k] = bl_symbol_value(model, &law->input[k], at);
}

void bl_law_read_series(const bl_model *model, const bl_law *law, const bl_instant *at, int order, double *in) {
    size_t stride = (size_t)order + 1;
    memset(in, 0, (size_t)law->ninput * stride * sizeof *in);
    for (bl_index k = 0; k < law->ninput; k++, in += stride) {
        const bl_symbol *s = &law->input[k];
        bool input = s->what == BL_SYM_SIGNAL && !at->signal && model->signal[s->ref].what == BL_SIGNAL_INPUT;
        double rate = input ? model->signal[s->ref].rate : s->what == BL_SYM_TIME;
        in[0] = bl_symbol_value(model, s, at) + (input ? rate * at->t : 0);
        if (order > 0)
            in[1] = rate;
    }
}

/* A linear system with contacts: its matrices become equations, M d'' = load(t) - C d' - K d, whose contacts are those of `equations:`. */
#include "model/equation_reader.h"
#include "series/tape.h"

#include <string.h>

static bl_status declare(bl_equation_reader *q, const bl_matrices *m) {
    bl_reader *r = q->r;
    bl_model *model = r->model;
    size_t n = (size_t)m->n;
    q->variables = q->nstate = m->n;
    BL_TRY(BL_ARENA_NEW(&model->arena, q->e->order, n));
    BL_TRY(BL_ARENA_ARRAYS(&r->scratch, BL_ARRAY(q->state, n), BL_ARRAY(q->side, n), BL_ARRAY(q->exact, n)));
    q->e->start = m->position;
    q->e->rate_start = m->velocity;
    q->e->scale = m->scale;
    for (bl_index i = 0; i < m->n; i++) {
        const char *name = model->variable[i].name;
        q->state[i] = (bl_equation_family){.name = name, .place = m->place, .first = i, .count = 1, .order = 2};
        q->e->order[i] = 2;
        BL_TRY(bl_names_add(r, &q->names, "name", name, NWHAT * i + STATE, &m->place));
        BL_TRY(bl_equation_add_rates(q, &q->state[i], i));
    }
    return BL_OK;
}

/* side -= A x, x = inputs from `first` on */
static void subtract(bl_equation_reader *q, const bl_square *A, bl_index first) {
    bl_tape *tape = q->e->tape;
    for (bl_index j = 0; A->ptr && j < q->variables; j++)
        for (bl_index k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
            bl_index term = bl_tape_op2(tape, BL_TAPE_MUL, bl_tape_const(tape, A->value[k]), bl_tape_input(tape, first + j));
            q->side[A->idx[k]] = bl_tape_op2(tape, BL_TAPE_SUB, q->side[A->idx[k]], term);
        }
}

static bl_status add_laws(bl_equation_reader *q, const bl_matrices *m) {
    bl_model *model = q->r->model;
    bl_tape *tape = q->e->tape;
    for (bl_index k = 0; k < m->nlaw; k++) {
        const bl_law *law = &model->law[m->law[k].law];
        bl_index *input, value, row = m->law[k].row;
        BL_TRY(BL_ARENA_NEW(&q->r->scratch, input, law->ninput));
        for (bl_index i = 0; i < law->ninput; i++) {
            bool parameter = law->input[i].what == BL_SYM_PARAMETER;
            input[i] = parameter ? bl_tape_const(tape, model->parameter[law->input[i].ref].value) : bl_tape_input(tape, 0);
            if (parameter)
                model->parameter[law->input[i].ref].use |= BL_PARAMETER_IN_NUMBERS;
        }
        BL_TRY(bl_tape_splice(tape, law->tape, input, &value));
        q->side[row] = bl_tape_op2(tape, BL_TAPE_ADD, q->side[row], value);
    }
    return bl_tape_status(tape);
}

static double entry_of(const bl_square *A, bl_index i, bl_index j) {
    for (bl_index k = A->ptr[j]; k < A->ptr[j + 1]; k++)
        if (A->idx[k] == i)
            return A->value[k];
    return 0;
}

static bl_status add_masses(bl_equation_reader *q, const bl_matrices *m) {
    for (bl_index j = 0; j < m->n; j++)
        for (bl_index k = m->M.ptr[j]; k < m->M.ptr[j + 1]; k++) {
            bl_index i = m->M.idx[k];
            double value = m->M.value[k];
            if (entry_of(&m->M, j, i) != value)
                return bl_fail(q->r->ctx, BL_E_MODEL, &m->place, "contacts need a symmetric M, but M[%d][%d] = %g and M[%d][%d] = %g",
                               (int)i + 1, (int)j + 1, value, (int)j + 1, (int)i + 1, entry_of(&m->M, j, i));
            if (i >= j) /* symmetric pairs are stored once */
                BL_TRY(bl_equation_add_mass(q, i, j, bl_tape_const(q->e->tape, value), &m->place));
        }
    return BL_OK;
}

static bl_status convert(bl_equation_reader *q, const bl_matrices *m) {
    BL_TRY(bl_tape_create(q->r->ctx, &q->e->tape));
    BL_TRY(declare(q, m));
    for (bl_index i = 0; i < m->n; i++)
        q->side[i] = bl_tape_const(q->e->tape, m->load[i]);
    subtract(q, &m->C, 1 + m->n);
    subtract(q, &m->K, 1);
    BL_TRY(add_laws(q, m));
    BL_TRY(add_masses(q, m));
    BL_TRY(bl_equation_contacts(q));
    return bl_equation_keep(q);
}

static bl_status refuse(bl_reader *r, const bl_place *place) {
    const bl_matrices *m = r->model->matrices;
    bl_index most = bl_reader_most(r, BL_EQUATION_ELEMENTS);
    if (m->order != 2) {
        bl_fail(r->ctx, BL_E_MODEL, place, "contacts need a system of order 2: M d'' + C d' + K d = load");
        bl_advise(r->ctx, "give K instead of A");
        return BL_E_MODEL;
    }
    if (m->n > most)
        return bl_fail(r->ctx, BL_E_MODEL, place, "a linear system with contacts may have %d unknowns, this one has %d", (int)most,
                       (int)m->n);
    return BL_OK;
}

bl_status bl_matrix_contacts(bl_reader *r) {
    const bl_item *section = bl_section_last(r, "contacts");
    bl_model *model = r->model;
    bl_equation_reader *q;
    if (!section || bl_item_null(section))
        return BL_OK;
    BL_TRY(refuse(r, &section->place));
    BL_TRY(BL_ARENA_NEW(&r->scratch, q, 1));
    BL_TRY(BL_ARENA_NEW(&model->arena, model->equations, 1));
    *q = (bl_equation_reader){.r = r, .e = model->equations};
    q->e->place = model->matrices->place;
    r->equations = q;
    bl_status status = convert(q, model->matrices);
    bl_equation_end(q);
    model->matrices = NULL;
    return status;
}

/* The matrix that determines partitioned coordinates: the Jacobian G of the constraints without its independent columns, rows and columns
 * scaled. Independent are the requested columns, as far as possible, and others by complete pivoting. Values come from the starting
 * configuration and a few assembled ones around it, reached along admissible motions. */
#include "study/ordering.h"

#include "dense/dense.h"
#include "sparse/elimination.h"
#include "sparse/sparse.h"
#include "study/run.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

enum {
    MOST_SAMPLES = 5,
    MOST_DENSE = 1500,
    MOST_NAMED = 2000
}; /* MOST_DENSE: larger models are sampled in the starting configuration only */

typedef struct jacobian {
    bl_context *ctx;
    const bl_model *model;
    bl_arena arena; /* scratch */
    bl_system *sys;
    bl_state start, nearby;
    bl_eval eval;
    bl_index nsample;
    double *G;                                   /* [MOST_SAMPLES][nnz] scaled */
    double *dense;                               /* [np][nv]; NULL: too large */
    uint8_t *wanted;                             /* preferred independent columns */
    bool named;                                  /* named by the call or the model */
    bl_index *row_order, *col_order, rank, best; /* at sample `best` */
} jacobian;

/* ---- names */

/* the model with other independent variables: a shallow copy that must live as long as its system */
static bl_status with_independent(jacobian *j, const bl_order_options *options, bl_model *copy, bool *any_variable) {
    *copy = *j->model;
    *any_variable = false;
    if (options->nindependent == 0)
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(&j->arena, copy->independent, options->nindependent));
    copy->nindependent = 0;
    copy->independent_place = NULL;
    for (bl_index k = 0; k < options->nindependent; k++)
        if (bl_model_variable(j->model, options->independent[k]) >= 0) { /* mixed coordinates make columns of these */
            copy->independent[copy->nindependent++] = options->independent[k];
            *any_variable = true;
        }
    return BL_OK;
}

static bl_index find_column(const bl_system *sys, const char *wanted) {
    char name[96];
    for (bl_index c = 0; c < sys->nv; c++) {
        bl_system_col_name(sys, c, name, sizeof name);
        if (strcmp(name, wanted) == 0)
            return c;
    }
    return -1;
}

static bl_status no_column(jacobian *j, const char *name) {
    bl_context *ctx = j->ctx;
    bl_fail(ctx, BL_E_ARG, NULL, "the Jacobian has no column '%s'", name);
    if (bl_model_variable(j->model, name) >= 0) {
        bl_advise(ctx, "use --coordinates mixed, where this variable is a column");
        return BL_E_ARG;
    }
    const char **names = bl_arena_alloc(&j->arena, (size_t)j->sys->nv, sizeof *names);
    for (bl_index c = 0; names && c < j->sys->nv; c++) {
        char text[96];
        bl_system_col_name(j->sys, c, text, sizeof text);
        names[c] = bl_arena_text(&j->arena, text, strlen(text));
        if (!names[c])
            names = NULL;
    }
    if (!names)
        return BL_E_MEMORY;
    const char *near = bl_nearest(name, names, (size_t)j->sys->nv);
    if (near)
        bl_advise(ctx, "did you mean '%s'?", near);
    else
        bl_advise(ctx, "columns are variables of joints (j1.angle), or components of points that bodies share (B.x)");
    return BL_E_ARG;
}

static bl_status mark_wanted(jacobian *j, const bl_order_options *options) {
    const bl_system *sys = j->sys;
    for (bl_index k = 0; k < options->nindependent; k++) {
        bl_index c = find_column(sys, options->independent[k]);
        if (c < 0)
            return no_column(j, options->independent[k]);
        j->wanted[c] = 1;
    }
    for (bl_index k = 0; options->nindependent == 0 && k < sys->nindependent; k++)
        j->wanted[sys->independent[k]] = 1;
    j->named = options->nindependent > 0 || sys->nindependent > 0;
    for (bl_index c = 0; !j->named && c < sys->nv; c++) /* like the partition: motions are smoother in these */
        j->wanted[c] = sys->col[c].what == BL_COL_ANGLE || sys->col[c].what == BL_COL_DISTANCE;
    return BL_OK;
}

/* ---- configurations */

static bl_status take_sample(jacobian *j, const bl_state *state) {
    const bl_system *sys = j->sys;
    const bl_pattern *G = &sys->pat_G;
    double *values = j->G + (size_t)j->nsample * (size_t)G->ptr[sys->nv];
    bl_eval_at(&j->eval, state);
    BL_TRY(bl_system_eval(sys, &j->eval, BL_G));
    BL_TRY(bl_check_finite(j->ctx, "constraint Jacobian", *state->t, G->ptr[sys->nv], j->eval.G));
    for (bl_index c = 0; c < sys->nv; c++)
        for (bl_index e = G->ptr[c]; e < G->ptr[c + 1]; e++)
            values[e] = j->eval.G[e] * sys->col[c].scale / sys->row[G->idx[e]].scale;
    j->nsample++;
    return BL_OK;
}

static void spread(jacobian *j, bl_index sample) {
    const bl_pattern *G = &j->sys->pat_G;
    const double *values = j->G + (size_t)sample * (size_t)G->ptr[G->ncol];
    memset(j->dense, 0, (size_t)G->nrow * (size_t)G->ncol * sizeof *j->dense);
    for (bl_index c = 0; c < G->ncol; c++)
        for (bl_index e = G->ptr[c]; e < G->ptr[c + 1]; e++)
            j->dense[(size_t)c * (size_t)G->nrow + (size_t)G->idx[e]] = values[e];
}

/* assembled configurations around the start, each along another combination of the admissible motions */
static bl_status take_samples(jacobian *j) {
    const bl_system *sys = j->sys;
    bl_index n = sys->nv, rank = 0;
    BL_TRY(take_sample(j, &j->start));
    if (n > MOST_DENSE || n == 0)
        return BL_OK;
    double *null, *x;
    BL_TRY(BL_ARENA_ARRAYS(&j->arena, BL_ARRAY(null, (size_t)n * (size_t)n), BL_ARRAY(x, n)));
    spread(j, 0);
    BL_TRY(bl_null_space(j->ctx, sys->np, n, j->dense, bl_rank_tolerance(sys->closure), null, &rank));
    uint64_t seed = 1;
    for (int attempt = 0; rank < n && attempt < 2 * MOST_SAMPLES && j->nsample < MOST_SAMPLES; attempt++) {
        double largest = 0, move = attempt % 2 ? 0.05 : 0.2;
        memset(x, 0, (size_t)n * sizeof *x);
        for (bl_index k = 0; k < n - rank; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            double weight = (double)(seed >> 11) * 0x1p-52 - 1;
            for (bl_index c = 0; c < n; c++)
                x[c] += weight * null[(size_t)k * (size_t)n + (size_t)c];
        }
        for (bl_index c = 0; c < n; c++)
            largest = fmax(largest, fabs(x[c]));
        for (bl_index c = 0; c < n; c++)
            x[c] *= move * sys->col[c].scale / largest;
        bl_state_copy(sys, &j->nearby, &j->start);
        BL_TRY(bl_system_retract(sys, j->nearby.q, x, j->nearby.q));
        bl_status status = bl_assemble_nearby(sys, &j->nearby);
        if (status == BL_OK)
            BL_TRY(take_sample(j, &j->nearby));
        else if (status < 0)
            return status;
        else
            bl_context_clear_error(j->ctx);
    }
    return BL_OK;
}

/* rank of one sample: dense for models small enough for several samples */
static bl_status rank_of(jacobian *j, bl_index sample, bl_index *row, bl_index *col, bl_index *rank) {
    const bl_system *sys = j->sys;
    double tolerance = bl_rank_tolerance(sys->closure);
    if (j->dense) {
        spread(j, sample);
        bl_rank_reveal(sys->np, sys->nv, j->dense, NULL, NULL, j->wanted, tolerance, row, col, rank, NULL);
        return BL_OK;
    }
    bl_elimination e;
    bl_elimination_input in = {.pattern = &sys->pat_G,
                               .value = j->G + (size_t)sample * (size_t)sys->pat_G.ptr[sys->nv],
                               .col_last = j->wanted,
                               .tolerance = tolerance};
    bl_status status = bl_elimination_run(j->ctx, &in, &e);
    if (status == BL_OK) {
        memcpy(row, e.row, (size_t)e.m * sizeof *row);
        memcpy(col, e.col, (size_t)e.n * sizeof *col);
        *rank = e.rank;
    }
    bl_elimination_free(&e);
    return status;
}

/* the sample of largest rank decides; the first one if no constraint is redundant there */
static bl_status find_rank(jacobian *j) {
    const bl_system *sys = j->sys;
    j->rank = -1;
    for (bl_index k = 0; k < j->nsample && j->rank < sys->np; k++) {
        bl_index *row = bl_arena_alloc(&j->arena, (size_t)sys->np, sizeof *row),
                 *col = bl_arena_alloc(&j->arena, (size_t)sys->nv, sizeof *col);
        bl_index rank = 0;
        if (!row || !col)
            return BL_E_MEMORY;
        BL_TRY(rank_of(j, k, row, col, &rank));
        if (rank > j->rank) {
            j->rank = rank;
            j->best = k;
            j->row_order = row;
            j->col_order = col;
        }
    }
    return BL_OK;
}

/* ---- the matrix */

static bl_status name_independent(jacobian *j, bl_order_problem *problem, bl_order_report *report) {
    const bl_system *sys = j->sys;
    bl_index n = sys->nv - j->rank;
    const char **names;
    BL_TRY(BL_ARENA_NEW(problem->arena, names, n));
    for (bl_index k = 0; k < n; k++) {
        char text[96];
        bl_system_col_name(sys, j->col_order[j->rank + k], text, sizeof text);
        names[k] = bl_arena_text(problem->arena, text, strlen(text));
        if (!names[k])
            return BL_E_MEMORY;
    }
    report->independent = names;
    for (bl_index k = 0; k < j->rank; k++)
        if (j->named && j->wanted[j->col_order[k]]) {
            char text[96];
            bl_system_col_name(sys, j->col_order[k], text, sizeof text);
            bl_log(j->ctx, BL_LOG_WARNING,
                   "'%s' was requested as independent, but depends on the others: it stays in the matrix as a dependent column", text);
        }
    return BL_OK;
}

/* names of rows and dependent columns; large models have too many to be read */
static bl_status name_all(const jacobian *j, bl_order_problem *problem, bl_order_report *report) {
    const bl_system *sys = j->sys;
    if (sys->np > MOST_NAMED || j->rank > MOST_NAMED)
        return BL_OK;
    const char **row, **column;
    BL_TRY(BL_ARENA_ARRAYS(problem->arena, BL_ARRAY(row, sys->np), BL_ARRAY(column, j->rank)));
    for (bl_index k = 0; k < sys->np + j->rank; k++) {
        char part[96] = "", equation[128] = "";
        if (k < sys->np)
            bl_system_row_name(sys, k, part, sizeof part, equation, sizeof equation);
        else
            bl_system_col_name(sys, j->col_order[k - sys->np], part, sizeof part);
        const char *name = bl_arena_printf(problem->arena, "%s%s%s", part, part[0] && equation[0] ? ": " : "", equation);
        if (!name)
            return BL_E_MEMORY;
        *(k < sys->np ? &row[k] : &column[k - sys->np]) = name;
    }
    report->row_name = row;
    report->column_name = column;
    return BL_OK;
}

static bl_status extract(jacobian *j, bl_order_problem *problem) {
    const bl_system *sys = j->sys;
    const bl_pattern *G = &sys->pat_G;
    bl_arena *arena = problem->arena;
    bl_index nnz = 0, all = G->ptr[sys->nv];
    for (bl_index k = 0; k < j->rank; k++)
        nnz += G->ptr[j->col_order[k] + 1] - G->ptr[j->col_order[k]];
    bl_index *ptr = bl_arena_alloc(arena, (size_t)j->rank + 1, sizeof *ptr), *idx = bl_arena_alloc(arena, (size_t)nnz, sizeof *idx);
    uint8_t *row_mark = bl_arena_alloc(arena, (size_t)sys->np, 1), *col_mark = bl_arena_alloc(arena, (size_t)j->rank, 1);
    double *sample = bl_arena_alloc(arena, (size_t)j->nsample * (size_t)nnz, sizeof *sample);
    bl_index *bundle = bl_arena_alloc(arena, (size_t)j->rank, sizeof *bundle);
    if (!ptr || !idx || !row_mark || !col_mark || !sample || !bundle)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < sys->np; i++)
        row_mark[i] = sys->row[i].what;
    bl_index used = 0;
    for (bl_index k = 0; k < j->rank; k++) {
        bl_index c = j->col_order[k];
        col_mark[k] = sys->col[c].what;
        bundle[k] = sys->col[c].bundle;
        ptr[k] = used;
        for (bl_index e = G->ptr[c]; e < G->ptr[c + 1]; e++, used++) {
            idx[used] = G->idx[e];
            for (bl_index s = 0; s < j->nsample; s++)
                sample[(size_t)s * (size_t)nnz + (size_t)used] = j->G[(size_t)s * (size_t)all + (size_t)e];
        }
    }
    ptr[j->rank] = used;
    problem->full = (bl_ordered_matrix){.pattern = {sys->np, j->rank, ptr, idx},
                                        .row_mark = row_mark,
                                        .col_mark = col_mark,
                                        .bundle = bundle,
                                        .sample = sample,
                                        .nsample = j->nsample};
    return bl_order_keep_rows(problem, j->rank, j->row_order, sample + (size_t)j->best * (size_t)nnz);
}

static bl_status build(jacobian *j, const bl_order_options *options, const char *coordinates, const bl_model *model,
                       bl_order_problem *problem, bl_order_report *report) {
    BL_TRY(bl_run_prepare(j->ctx, model, coordinates, &j->sys, &j->start));
    const bl_system *sys = j->sys;
    BL_TRY(bl_state_create(sys, 0, &j->nearby));
    BL_TRY(bl_eval_create(sys, BL_G, &j->eval));
    size_t np = (size_t)sys->np, nv = (size_t)sys->nv;
    j->G = bl_arena_alloc(&j->arena, MOST_SAMPLES * (size_t)sys->pat_G.ptr[nv], sizeof *j->G);
    if (nv <= MOST_DENSE && !(j->dense = bl_arena_alloc(&j->arena, np * nv, sizeof *j->dense)))
        return BL_E_MEMORY;
    j->wanted = bl_arena_alloc(&j->arena, nv, sizeof *j->wanted);
    if (!j->G || !j->wanted)
        return BL_E_MEMORY;
    BL_TRY(mark_wanted(j, options));
    BL_TRY(take_samples(j));
    BL_TRY(find_rank(j));
    bl_sort_indices(j->row_order, (size_t)j->rank);
    bl_sort_indices(j->col_order, (size_t)j->rank);
    bl_sort_indices(j->col_order + j->rank, nv - (size_t)j->rank);
    BL_TRY(name_independent(j, problem, report));
    BL_TRY(name_all(j, problem, report));
    BL_TRY(extract(j, problem));
    report->rows = sys->np;
    report->columns = sys->nv;
    report->nonzeros = sys->pat_G.ptr[nv];
    report->rank = j->rank;
    return BL_OK;
}

bl_status bl_order_jacobian(const bl_model *model, const bl_order_options *options, bl_order_problem *problem, bl_order_report *report) {
    jacobian j = {.ctx = problem->ctx, .model = model, .arena = {.ctx = problem->ctx}};
    bl_model copy;
    bool any_variable;
    bl_status status = with_independent(&j, options, &copy, &any_variable);
    const char *coordinates = options->coordinates ? options->coordinates : model->settings.coordinates;
    if (model->equations)
        coordinates = "equations";
    if (!coordinates) /* a requested variable must be a column */
        coordinates = any_variable ? "mixed" : "natural";
    bl_index rows = model->equations ? model->equations->nconstraint : 0;
    if (model->nbody == 0 && rows == 0) {
        bl_fail(problem->ctx, BL_E_MODEL, NULL, "the model has no constraints, so it has no Jacobian to order");
        bl_advise(problem->ctx, "`biela order --matrix FILE` orders any matrix");
        status = BL_E_MODEL;
    }
    if (status == BL_OK && !(report->coordinates = bl_arena_text(problem->arena, coordinates, strlen(coordinates))))
        status = BL_E_MEMORY;
    if (status == BL_OK)
        status = build(&j, options, coordinates, &copy, problem, report);
    if (j.sys)
        bl_state_destroy(j.sys, &j.nearby);
    bl_run_release(j.sys, &j.start, &j.eval);
    bl_arena_destroy(&j.arena);
    return status;
}

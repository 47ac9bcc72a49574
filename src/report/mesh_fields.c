/* Meshes with their nodal fields. A first pass over the frames finds the minimum and the quantization step of every component; a second
 * one writes the integers as second differences in time. The budget limits the number of frames and fields. */
#include "report/surface.h"

#include <math.h>
#include <string.h>

enum { BITS = 20, MOST_FIELDS = 24, LEAST_FRAMES = 20, MOST_COMPONENTS = 6 };

/* Fields in the order in which they are added while the budget lasts; the first DECISIVE ones determine the number of frames. */
static const char *const shown[] = {"displacement", "von_mises",      "value", "temperature", "equivalent_plastic_strain",
                                    "flux_modulus", "velocity",       "flux",  "reaction",    "rate",
                                    "stress",       "dissipated_work"};
enum { SHOWN = sizeof shown / sizeof *shown, DECISIVE = 6 };

typedef struct meshes {
    bl_report_run *run;
    const bl_run_mesh *mesh;
    bl_surface surface;
    const bl_quantity *field[SHOWN]; /* NULL: not in the file, or beyond the budget */
    long frames, stride;
    double *value; /* one frame of one field, all nodes */
    int32_t *number;
} meshes;

/* sample of a frame: equidistant, so that second differences stay small, and the last one */
static long sample_of(const meshes *m, long frame) {
    long sample = frame * m->stride;
    return sample < m->run->n ? sample : m->run->n - 1;
}

/* ---- fields and frames within the budget */

static const char *field_name(const bl_quantity *q) {
    const char *slash = strrchr(q->name, '/');
    return slash ? slash + 1 : q->name;
}

static void find_fields(meshes *m, const bl_quantity *field[SHOWN]) {
    const bl_quantity *list;
    bl_index n = bl_result_quantities(m->run->result, &list);
    memset(field, 0, SHOWN * sizeof *field);
    for (bl_index q = 0; q < n; q++)
        for (int k = 0; k < SHOWN; k++)
            if (list[q].mesh && strcmp(list[q].mesh, m->mesh->name) == 0 && !list[q].on_cells && list[q].components <= MOST_COMPONENTS &&
                strcmp(field_name(&list[q]), shown[k]) == 0)
                field[k] = &list[q];
}

/* budget: bytes for the fields of this mesh */
static void choose_fields(meshes *m, double budget) {
    const bl_quantity *field[SHOWN];
    double each = 4.0 * m->surface.nvertex, decisive = 0, used = 0;
    find_fields(m, field);
    for (int k = 0; k < DECISIVE; k++)
        decisive += field[k] ? each * field[k]->components : 0;
    double most = fmax(LEAST_FRAMES, budget / fmax(decisive, 1));
    m->stride = (long)ceil((double)m->run->n / fmin(most, BL_REPORT_FRAMES));
    m->stride = m->stride > 0 ? m->stride : 1;
    m->frames = (m->run->n + m->stride - 1) / m->stride;
    if (m->run->n > 0 && (m->frames - 1) * m->stride < m->run->n - 1)
        m->frames++;
    for (int k = 0; k < SHOWN; k++) {
        double need = field[k] ? each * field[k]->components * (double)m->frames : 0;
        m->field[k] = k < DECISIVE || used + need <= budget ? field[k] : NULL;
        used += m->field[k] ? need : 0;
    }
}

/* ---- numbers */

/* Between nodes interpolated; within their values, except for displacements, which have to fit the shape. */
static double at_vertex(const meshes *m, const bl_quantity *q, uint32_t vertex, int c) {
    const bl_surface *s = &m->surface;
    double value = bl_surface_value(s, vertex, m->value, q->components, c), low = INFINITY, high = -INFINITY;
    if (vertex < s->nnode || strcmp(field_name(q), "displacement") == 0)
        return value;
    for (int k = 0; k < BL_FACE_MOST; k++) {
        double at = m->value[(size_t)s->middle[vertex - s->nnode][k] * (size_t)q->components + (size_t)c];
        low = fmin(low, at);
        high = fmax(high, at);
    }
    return fmax(low, fmin(high, value));
}

static bl_status read_frame(meshes *m, const bl_quantity *q, long frame) {
    BL_TRY(bl_go_on(m->run->ctx));
    return bl_result_read(m->run->result, q, m->run->first + sample_of(m, frame), 1, 0, q->items, m->value);
}

static bl_status find_limits(meshes *m, const bl_quantity *q, double *low, double *step, bool *zero) {
    double high[MOST_COMPONENTS];
    for (int c = 0; c < q->components; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
    }
    for (long frame = 0; frame < m->frames; frame++) {
        BL_TRY(read_frame(m, q, frame));
        for (uint32_t v = 0; v < m->surface.nvertex; v++)
            for (int c = 0; c < q->components; c++) {
                double value = at_vertex(m, q, v, c);
                if (isfinite(value)) {
                    low[c] = fmin(low[c], value);
                    high[c] = fmax(high[c], value);
                }
            }
    }
    *zero = true;
    for (int c = 0; c < q->components; c++) {
        low[c] = isfinite(low[c]) ? low[c] : 0;
        *zero = *zero && low[c] == 0 && !(high[c] > 0);
        step[c] = high[c] > low[c] ? (high[c] / (1 << BITS) - low[c] / (1 << BITS)) : 1;
        step[c] = isfinite(step[c]) && step[c] > 0 ? step[c] : 1;
    }
    return BL_OK;
}

/* values that are not finite become the minimum */
static int32_t to_integer(double value, double low, double step) {
    double number = (value - low) / step;
    return isfinite(number) ? (int32_t)lround(fmax(0, fmin(number, 1 << BITS))) : 0;
}

static bl_status put_field(meshes *m, const bl_quantity *q) {
    double low[MOST_COMPONENTS], step[MOST_COMPONENTS];
    size_t width = (size_t)q->components, curves = (size_t)m->surface.nvertex * width, frames = (size_t)m->frames;
    char block[BL_BLOCK_ID];
    bool zero;
    BL_TRY(find_limits(m, q, low, step, &zero));
    if (zero && strcmp(field_name(q), "displacement") != 0)
        return BL_OK;
    for (long frame = 0; frame < m->frames; frame++) {
        BL_TRY(read_frame(m, q, frame));
        for (uint32_t v = 0; v < m->surface.nvertex; v++)
            for (int c = 0; c < q->components; c++)
                m->number[((size_t)v * width + (size_t)c) * frames + (size_t)frame] = to_integer(at_vertex(m, q, v, c), low[c], step[c]);
    }
    for (size_t k = 0; k < curves; k++)
        bl_second_differences(m->number + k * frames, m->frames);
    BL_TRY(bl_page_block(m->run->page, m->number, curves * frames, sizeof *m->number, block));
    bl_json *json = m->run->header;
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", field_name(q));
    bl_json_text(json, "unit", q->unit ? q->unit : "");
    bl_json_integer(json, "components", q->components);
    bl_json_text(json, "block", block);
    bl_json_integer(json, "bits", BITS);
    bl_json_integer(json, "order", 2);
    bl_json_numbers(json, "low", low, q->components);
    bl_json_numbers(json, "step", step, q->components);
    bl_json_close(json, '}');
    return json->status;
}

static bl_status put_fields(meshes *m) {
    size_t nodes = 0, numbers = 0;
    for (int k = 0; k < SHOWN; k++)
        if (m->field[k]) {
            size_t all = (size_t)m->field[k]->items * (size_t)m->field[k]->components;
            size_t seen = (size_t)m->surface.nvertex * (size_t)m->field[k]->components * (size_t)m->frames;
            nodes = all > nodes ? all : nodes;
            numbers = seen > numbers ? seen : numbers;
        }
    BL_TRY(BL_NEW(m->run->ctx, m->value, nodes));
    BL_TRY(BL_NEW(m->run->ctx, m->number, numbers));
    bl_json_open(m->run->header, "fields", '[');
    for (int k = 0; k < SHOWN && m->frames > 0; k++)
        if (m->field[k])
            BL_TRY(put_field(m, m->field[k]));
    bl_json_close(m->run->header, ']');
    return m->run->header->status;
}

/* ---- one mesh */

static bl_status put_list(meshes *m, const char *key, const void *data, uint32_t count, size_t each) {
    char block[BL_BLOCK_ID];
    bl_json *json = m->run->header;
    BL_TRY(bl_page_block(m->run->page, data, count * each, 4, block));
    bl_json_open(json, key, '{');
    bl_json_text(json, "block", block);
    bl_json_integer(json, "count", count);
    bl_json_close(json, '}');
    return json->status;
}

static bl_status put_times(meshes *m) {
    bl_report_run *run = m->run;
    char block[BL_BLOCK_ID];
    double *time;
    if (m->frames == run->n && run->times[0]) {
        bl_json_text(run->header, "time", run->times);
    } else {
        BL_TRY(BL_NEW(run->ctx, time, m->frames));
        bl_status status = BL_OK;
        for (long frame = 0; frame < m->frames && status == BL_OK; frame++)
            status = bl_report_times(run, sample_of(m, frame), 1, &time[frame]);
        if (status == BL_OK)
            status = bl_page_block(run->page, time, (size_t)m->frames, sizeof *time, block);
        bl_free(run->ctx, time);
        BL_TRY(status);
        bl_json_text(run->header, "time", block);
    }
    bl_json_integer(run->header, "frames", m->frames);
    return run->header->status;
}

static bl_index body_of(const bl_report_run *run, const char *name) {
    for (bl_index b = 0; b < run->nbody; b++)
        if (strcmp(run->body[b], name) == 0)
            return b;
    return -1;
}

static bl_status put_mesh(meshes *m, double budget) {
    bl_json *json = m->run->header;
    const bl_surface *s = &m->surface;
    choose_fields(m, budget);
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", m->mesh->name);
    bl_json_integer(json, "body", body_of(m->run, m->mesh->name));
    bl_json_integer(json, "dimension", m->mesh->dim);
    BL_TRY(put_list(m, "vertices", s->x, s->nvertex, 3));
    BL_TRY(put_list(m, "triangles", s->triangle, s->ntriangle, 3));
    BL_TRY(put_list(m, "edges", s->edge, s->nedge, 2));
    BL_TRY(put_list(m, "nodes", s->node, s->nnode, 1));
    BL_TRY(put_times(m));
    BL_TRY(put_fields(m));
    bl_json_close(json, '}');
    return json->status;
}

/* a mesh that cannot be drawn is left out, with a remark */
static bl_status try_mesh(bl_report_run *run, bl_index which, double budget) {
    meshes m = {.run = run, .surface.ctx = run->ctx};
    bl_status status = bl_result_mesh(run->result, which, &m.mesh);
    if (status == BL_OK)
        status = bl_surface_make(run->ctx, m.mesh, &m.surface);
    if (status == BL_E_ABILITY) {
        status = bl_report_note(run, bl_context_error(run->ctx)->what, m.mesh->name);
        bl_context_clear_error(run->ctx);
    } else if (status == BL_OK) {
        status = put_mesh(&m, budget);
    }
    bl_surface_destroy(&m.surface);
    bl_free(run->ctx, m.value);
    bl_free(run->ctx, m.number);
    return status;
}

bl_status bl_report_meshes(bl_report_run *run) {
    const char *const *names;
    bl_index n = bl_result_meshes(run->result, &names);
    if (n == 0)
        return BL_OK;
    bl_json_open(run->header, "meshes", '[');
    for (bl_index i = 0; i < n; i++)
        BL_TRY(try_mesh(run, i, (double)BL_REPORT_FIELD_BYTES / n));
    bl_json_close(run->header, ']');
    return run->header->status;
}

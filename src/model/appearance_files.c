/* Triangles of STL files (text and binary) and OBJ files (polygons as fans), for drawing. Equal points of an STL file are merged. Messages
 * give a line or size and never quote the file, which could be any file. */
#include "base/hash.h"
#include "model/reader.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { STL_HEAD = 84, STL_FACET = 50, WORD = 64 };

/* the surface being read */
typedef struct surface {
    bl_reader *r;
    const bl_place *named_at; /* where the model names the file */
    const char *file;
    const bl_appearance_frame *place;
    bl_hash known;
    double (*point)[3];
    bl_index npoint, point_room;
    bl_index (*triangle)[3];
    bl_index ntriangle, triangle_room;
    /* OBJ: all points of the file, and the index of each one in the surface; -1: none yet */
    double (*listed)[3];
    bl_index *as, nlisted, listed_room, as_room;
} surface;

static bl_status damaged(const surface *s, int line, const char *what) {
    if (line > 0)
        bl_fail(s->r->ctx, BL_E_MODEL, &(bl_place){s->file, line, 1}, "%s", what);
    else
        bl_fail(s->r->ctx, BL_E_MODEL, s->named_at, "%s: %s", s->file, what);
    bl_advise(s->r->ctx, "the file is damaged or is not a valid %s file: export it again",
              strlen(s->file) > 3 ? s->file + strlen(s->file) - 3 : "");
    return BL_E_MODEL;
}

static bl_status add_point(surface *s, const double p[3], bl_index *number) {
    double at[3];
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int j = 0; j < 3; j++)
            sum += p[j] * s->place->axes[j][k];
        at[k] = s->place->at[k] + s->place->scale * sum;
    }
    uint64_t key = BL_HASH_START;
    for (int k = 0; k < 3; k++)
        key = bl_hash_number(key, at[k]);
    for (bl_index i = bl_hash_find(&s->known, key); i >= 0; i = bl_hash_next(&s->known, i))
        if (s->point[i][0] == at[0] && s->point[i][1] == at[1] && s->point[i][2] == at[2]) {
            *number = i;
            return BL_OK;
        }
    BL_TRY(BL_RESERVE(s->r->ctx, s->point, s->point_room, s->npoint + 1));
    BL_TRY(bl_hash_put(s->r->ctx, &s->known, key));
    memcpy(s->point[s->npoint], at, sizeof at);
    *number = s->npoint++;
    return BL_OK;
}

static bl_status too_many(const surface *s) {
    int most = (int)bl_reader_most(s->r, BL_SHAPE_TRIANGLES);
    bl_fail(s->r->ctx, BL_E_MODEL, s->named_at, "%s: together the shapes of the model have more than %d triangles", s->file, most);
    bl_advise(s->r->ctx, "export the part with a coarser surface");
    return BL_E_MODEL;
}

/* degenerate triangles with equal points are skipped */
static bl_status add_triangle(surface *s, bl_index a, bl_index b, bl_index c) {
    if (a == b || b == c || c == a)
        return BL_OK;
    if (s->r->triangles >= bl_reader_most(s->r, BL_SHAPE_TRIANGLES))
        return too_many(s);
    BL_TRY(BL_RESERVE(s->r->ctx, s->triangle, s->triangle_room, s->ntriangle + 1));
    const bl_index corner[3] = {a, b, c};
    memcpy(s->triangle[s->ntriangle++], corner, sizeof corner);
    s->r->triangles++;
    return BL_OK;
}

/* ---- binary STL: a header of 80 bytes, the number of facets, and per facet 12 numbers of 4 bytes (normal, corners) and 2 bytes;
 * little-endian */

static uint32_t read_u32(const unsigned char *b) { return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24; }

static double read_f32(const unsigned char *b) {
    uint32_t bits = read_u32(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bl_status read_stl_bytes(surface *s, const unsigned char *bytes) {
    uint32_t count = read_u32(bytes + STL_HEAD - 4);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *facet = bytes + STL_HEAD + (size_t)i * STL_FACET;
        bl_index corner[3];
        for (int k = 0; k < 3; k++) {
            double p[3];
            for (int j = 0; j < 3; j++) {
                p[j] = read_f32(facet + 12 * (k + 1) + 4 * j);
                if (!isfinite(p[j]))
                    return damaged(s, 0, "a coordinate in the file is not finite");
            }
            BL_TRY(add_point(s, p, &corner[k]));
        }
        BL_TRY(add_triangle(s, corner[0], corner[1], corner[2]));
    }
    return BL_OK;
}

/* ---- words of a text */

typedef struct words {
    const char *at, *end;
    int line;
} words;

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* the next word, cut to WORD - 1 characters; false: there is none (in this line) */
static bool next_word(words *w, bool in_line, char word[WORD]) {
    for (; w->at < w->end; w->at++) {
        bool joined = in_line && *w->at == '\\' && w->at + 1 < w->end && (w->at[1] == '\n' || w->at[1] == '\r');
        if (joined) { /* the line goes on */
            w->at += w->at[1] == '\r' && w->at + 2 < w->end && w->at[2] == '\n';
            w->at++;
            w->line++;
            continue;
        }
        if (!blank(*w->at) || (in_line && *w->at == '\n'))
            break;
        w->line += *w->at == '\n';
    }
    size_t n = 0;
    for (; w->at < w->end && !blank(*w->at); w->at++)
        if (n < WORD - 1)
            word[n++] = *w->at;
    word[n] = '\0';
    return n > 0;
}

static void skip_line(words *w) {
    while (w->at < w->end && *w->at != '\n')
        w->at++;
}

/* a finite one */
static bool next_number(words *w, bool in_line, double *value) {
    char word[WORD];
    return next_word(w, in_line, word) && bl_text_number(word, value) && isfinite(*value);
}

/* ---- text STL */

static bool expect(words *w, const char *wanted) {
    char word[WORD];
    return next_word(w, false, word) && strcasecmp(word, wanted) == 0;
}

static bl_status read_facet(surface *s, words *w) {
    double p[3];
    bl_index corner[3];
    char normal[WORD];
    bool good = expect(w, "normal");
    for (int k = 0; k < 3; k++) /* not used; some programs write nan for a triangle without area */
        good = good && next_word(w, false, normal);
    if (!good || !expect(w, "outer") || !expect(w, "loop"))
        return damaged(s, w->line, "expected `facet normal` with three numbers and `outer loop`");
    for (int k = 0; k < 3; k++) {
        if (!expect(w, "vertex") || !next_number(w, false, &p[0]) || !next_number(w, false, &p[1]) || !next_number(w, false, &p[2]))
            return damaged(s, w->line, "expected three lines `vertex` with three finite numbers each");
        BL_TRY(add_point(s, p, &corner[k]));
    }
    if (!expect(w, "endloop") || !expect(w, "endfacet"))
        return damaged(s, w->line, "expected `endloop` and `endfacet`: a facet has three corners");
    return add_triangle(s, corner[0], corner[1], corner[2]);
}

static bl_status read_stl_words(surface *s, const char *text, size_t bytes) {
    words w = {text, text + bytes, 1};
    char word[WORD];
    while (next_word(&w, false, word)) {
        if (strcasecmp(word, "solid") != 0)
            return damaged(s, w.line, "expected `solid`");
        skip_line(&w); /* its name */
        for (;;) {
            if (!next_word(&w, false, word))
                return damaged(s, w.line, "the file ends before `endsolid`");
            if (strcasecmp(word, "endsolid") == 0)
                break;
            if (strcasecmp(word, "facet") != 0)
                return damaged(s, w.line, "expected `facet` or `endsolid`");
            BL_TRY(read_facet(s, &w));
        }
        skip_line(&w);
    }
    return BL_OK;
}

static bl_status read_stl(surface *s, const char *text, size_t bytes) {
    const unsigned char *raw = (const unsigned char *)text;
    uint64_t count = bytes >= STL_HEAD ? read_u32(raw + STL_HEAD - 4) : 0, need = STL_HEAD + count * STL_FACET;
    size_t start = 0;
    while (start < bytes && blank(text[start]))
        start++;
    bool text_stl = bytes - start >= 5 && strncasecmp(text + start, "solid", 5) == 0; /* some binary files begin with it too */
    if (bytes >= STL_HEAD && bytes == need)
        return read_stl_bytes(s, raw);
    if (text_stl)
        return read_stl_words(s, text, bytes);
    if (bytes < STL_HEAD)
        return damaged(s, 0, "the file is shorter than the header of 84 bytes");
    if (bytes < need) {
        bl_fail(s->r->ctx, BL_E_MODEL, s->named_at, "%s should have %lu triangles in %lu bytes, but has only %lu bytes", s->file,
                (unsigned long)count, (unsigned long)need, (unsigned long)bytes);
        bl_advise(s->r->ctx, "the file is truncated or is not an STL file: export it again");
        return BL_E_MODEL;
    }
    return read_stl_bytes(s, raw);
}

/* ---- OBJ: points `v x y z`, faces `f a b c ...` by point numbers from 1, or negative from the last point; the rest is ignored */

static bl_status list_point(surface *s, words *w) {
    double p[3];
    if (!next_number(w, true, &p[0]) || !next_number(w, true, &p[1]) || !next_number(w, true, &p[2]))
        return damaged(s, w->line, "a point (v) must have three finite numbers");
    if (s->nlisted >= bl_reader_most(s->r, BL_SHAPE_POINTS)) {
        bl_fail(s->r->ctx, BL_E_MODEL, s->named_at, "%s has more than %d points", s->file, (int)bl_reader_most(s->r, BL_SHAPE_POINTS));
        bl_advise(s->r->ctx, "export the part with a coarser surface");
        return BL_E_MODEL;
    }
    BL_TRY(BL_RESERVE(s->r->ctx, s->listed, s->listed_room, s->nlisted + 1));
    BL_TRY(BL_RESERVE(s->r->ctx, s->as, s->as_room, s->nlisted + 1));
    memcpy(s->listed[s->nlisted], p, sizeof p);
    s->as[s->nlisted++] = -1;
    return BL_OK;
}

/* "12", "12/7", "12//3", "-1": the number of a point before the first slash */
static bool point_number(const surface *s, const char *word, bl_index *number) {
    bool back = *word == '-';
    long value = 0;
    const char *digit = word + back;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        value = value > BL_SHAPE_POINTS ? value : 10 * value + (*digit - '0');
    if (digit == word + back || (*digit && *digit != '/') || value < 1 || value > s->nlisted)
        return false;
    *number = back ? s->nlisted - (bl_index)value : (bl_index)value - 1;
    return true;
}

static bl_status read_face(surface *s, words *w) {
    char word[WORD];
    bl_index first = -1, last = -1, n = 0;
    for (; next_word(w, true, word); n++) {
        bl_index number;
        if (!point_number(s, word, &number))
            return damaged(s, w->line, "a face (f) refers to a point that is not defined before it");
        if (s->as[number] < 0)
            BL_TRY(add_point(s, s->listed[number], &s->as[number]));
        if (n == 0)
            first = s->as[number];
        else if (n >= 2)
            BL_TRY(add_triangle(s, first, last, s->as[number]));
        last = s->as[number];
    }
    return n >= 3 ? BL_OK : damaged(s, w->line, "a face (f) must have at least three points");
}

static bl_status read_obj(surface *s, const char *text, size_t bytes) {
    words w = {text, text + bytes, 1};
    char word[WORD];
    while (w.at < w.end) {
        if (next_word(&w, true, word)) {
            if (strcmp(word, "v") == 0)
                BL_TRY(list_point(s, &w));
            else if (strcmp(word, "f") == 0)
                BL_TRY(read_face(s, &w));
            skip_line(&w);
        }
        w.line += w.at < w.end;
        w.at += w.at < w.end;
    }
    return BL_OK;
}

/* ---- complete file */

static bl_status keep(surface *s, bl_appearance *appearance) {
    bl_arena *arena = &s->r->model->arena;
    if (s->ntriangle == 0)
        return damaged(s, 0, "the file has no triangles");
    double(*point)[3] = bl_arena_alloc(arena, (size_t)s->npoint, sizeof *point);
    bl_index(*triangle)[3] = bl_arena_alloc(arena, (size_t)s->ntriangle, sizeof *triangle);
    if (!point || !triangle)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < s->npoint; i++)
        if (!isfinite(s->point[i][0]) || !isfinite(s->point[i][1]) || !isfinite(s->point[i][2]))
            return damaged(s, 0, "a point is not finite after applying 'at', 'axes' and 'scale'");
    memcpy(point, s->point, (size_t)s->npoint * sizeof *point);
    memcpy(triangle, s->triangle, (size_t)s->ntriangle * sizeof *triangle);
    appearance->npoint = s->npoint;
    appearance->ntriangle = s->ntriangle;
    appearance->point = (const double(*)[3])point;
    appearance->triangle = (const bl_index(*)[3])triangle;
    return BL_OK;
}

bl_status bl_read_appearance_file(bl_reader *r, const bl_item *item, const bl_appearance_frame *place, bl_appearance *appearance) {
    const char *name, *text;
    size_t bytes;
    uint64_t id[2];
    BL_TRY(bl_item_text(r, item, "file", &name));
    const char *path = bl_source_path(r, item->place.file, name), *dot = strrchr(name, '.');
    if (!path)
        return BL_E_MEMORY;
    bool stl = dot && strcasecmp(dot, ".stl") == 0, obj = dot && strcasecmp(dot, ".obj") == 0;
    if (!stl && !obj) {
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "the file of a shape must be of type .stl or .obj, found '%s'", name);
        bl_advise(r->ctx, "most CAD programs can export STL");
        return BL_E_MODEL;
    }
    bl_arena contents = {.ctx = r->ctx};
    surface s = {.r = r, .named_at = &item->place, .file = path, .place = place};
    bl_status status = bl_source_load(r, &contents, path, &item->place, &text, &bytes, id);
    if (status == BL_OK)
        status = stl ? read_stl(&s, text, bytes) : read_obj(&s, text, bytes);
    if (status == BL_OK)
        status = keep(&s, appearance);
    bl_hash_free(r->ctx, &s.known);
    bl_free(r->ctx, s.point);
    bl_free(r->ctx, s.triangle);
    bl_free(r->ctx, s.listed);
    bl_free(r->ctx, s.as);
    bl_arena_destroy(&contents);
    return status;
}

/* Matrix Market files: coordinate matrices of real, integer or pattern entries, general or symmetric.
 * Boisvert, Pozo, Remington, Barrett and Dongarra, The Matrix Market exchange formats, NISTIR 5935 (1996).
 * Comments and blank lines may be anywhere after the first line; repeated entries are added. */
#include "sparse/sparse.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { LINE_BYTES = 1024, MOST_WORDS = 5, MOST_ORDER = 10000000 };

typedef struct source {
    bl_context *ctx;
    FILE *stream;
    bl_place place;
    char line[LINE_BYTES + 2];
    bl_index nword;
    char *word[MOST_WORDS];
    bool pattern_only, symmetric;
    bl_index nrow, ncol, nentry, npair; /* nentry: as in the file; npair: with mirrored ones */
    bl_index *row, *col, row_room, col_room, value_room;
    double *value;
} source;

/* word: the offending word of the line, or NULL. It is not quoted: a model may name any file as a matrix. */
static bl_status wrong(source *s, const char *what, const char *word) {
    if (word)
        s->place.column = (int)(word - s->line) + 1;
    return bl_fail(s->ctx, BL_E_MODEL, &s->place, "%s", what);
}

/* ---- lines and words */

/* the next line, without its end; *more = false after the last one */
static bl_status next_line(source *s, bool *more) {
    *more = fgets(s->line, sizeof s->line, s->stream) != NULL;
    if (!*more) {
        if (ferror(s->stream))
            return bl_fail(s->ctx, BL_E_FILE, &s->place, "%s cannot be read: %s", s->place.file, strerror(errno));
        return BL_OK;
    }
    s->place.line++;
    s->place.column = 1;
    size_t length = strlen(s->line);
    if (length > LINE_BYTES)
        return bl_fail(s->ctx, BL_E_MODEL, &s->place, "the line is longer than %d characters", LINE_BYTES);
    if (length == 0 || (s->line[length - 1] != '\n' && !feof(s->stream)))
        return wrong(s, "the line contains a zero byte", NULL);
    return BL_OK;
}

static bl_status split(source *s) {
    s->nword = 0;
    for (char *c = s->line; *c;) {
        while (isspace((unsigned char)*c))
            *c++ = '\0';
        if (!*c)
            break;
        if (s->nword == MOST_WORDS)
            return wrong(s, "too many words in this line", c);
        s->word[s->nword++] = c;
        while (*c && !isspace((unsigned char)*c))
            c++;
    }
    return BL_OK;
}

/* the next line that is neither blank nor a comment */
static bl_status next_words(source *s, bool *more) {
    for (;;) {
        BL_TRY(next_line(s, more));
        if (!*more || s->line[strspn(s->line, " \t\r\n")] == '%')
            s->nword = 0;
        else
            BL_TRY(split(s));
        if (!*more || s->nword > 0)
            return BL_OK;
    }
}

static bl_status integer(source *s, const char *word, long *out) {
    char *end;
    errno = 0;
    *out = strtol(word, &end, 10);
    if (end == word || *end)
        return wrong(s, "not an integer", word);
    return errno == ERANGE ? wrong(s, "the number is out of range", word) : BL_OK;
}

static bl_status number(source *s, const char *word, double *out) {
    char local[80], *end;
    if (strlen(word) > 64)
        return wrong(s, "too long for a number", word);
    /* strtod uses the decimal point of the locale, the file does not */
    const char *point = strchr(word, '.');
    snprintf(local, sizeof local, "%.*s%.8s%s", (int)(point ? point - word : 64), word, point ? localeconv()->decimal_point : "",
             point ? point + 1 : "");
    *out = strtod(local, &end);
    if (end == local || *end)
        return wrong(s, "not a number", word);
    return isfinite(*out) ? BL_OK : wrong(s, "the number is not finite", word);
}

/* ---- the parts of a file */

static bl_status one_of(source *s, const char *word, const char *what, const char *const *known, size_t n, const char *all) {
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(word, known[i]) == 0)
            return BL_OK;
    s->place.column = (int)(word - s->line) + 1;
    bl_fail(s->ctx, BL_E_MODEL, &s->place, "'%.40s' is not a readable %s", word, what); /* after %%MatrixMarket */
    bl_advise(s->ctx, "it may be %s", all);
    return BL_E_MODEL;
}

static bl_status read_header(source *s) {
    static const char *const objects[] = {"matrix"}, *const formats[] = {"coordinate"}, *const fields[] = {"real", "integer", "pattern"},
                             *const symmetries[] = {"general", "symmetric"};
    bool more;
    BL_TRY(next_line(s, &more));
    if (!more) {
        s->place.line = s->place.column = 1;
        return wrong(s, "the file is empty", NULL);
    }
    BL_TRY(split(s));
    if (s->nword != 5 || strcasecmp(s->word[0], "%%MatrixMarket") != 0) {
        wrong(s, "this is not a Matrix Market file: the first line must be a header", NULL);
        bl_advise(s->ctx, "for example: %%%%MatrixMarket matrix coordinate real general");
        return BL_E_MODEL;
    }
    BL_TRY(one_of(s, s->word[1], "object", objects, 1, "matrix"));
    BL_TRY(one_of(s, s->word[2], "format", formats, 1, "coordinate"));
    BL_TRY(one_of(s, s->word[3], "field", fields, 3, "real, integer or pattern"));
    BL_TRY(one_of(s, s->word[4], "symmetry", symmetries, 2, "general or symmetric"));
    s->pattern_only = strcasecmp(s->word[3], "pattern") == 0;
    s->symmetric = strcasecmp(s->word[4], "symmetric") == 0;
    return BL_OK;
}

static bl_status read_size(source *s) {
    bool more;
    long size[3];
    BL_TRY(next_words(s, &more));
    if (!more)
        return wrong(s, "the line with rows, columns and entries is missing", NULL);
    if (s->nword != 3)
        return wrong(s, "three numbers are expected here: rows, columns, entries", NULL);
    for (int k = 0; k < 3; k++) {
        BL_TRY(integer(s, s->word[k], &size[k]));
        if (size[k] < 0)
            return wrong(s, "the number is negative", s->word[k]);
        if (size[k] > (k < 2 ? MOST_ORDER : INT32_MAX / 4))
            return wrong(s, "the number is too large", s->word[k]);
    }
    if (s->symmetric && size[0] != size[1])
        return bl_fail(s->ctx, BL_E_MODEL, &s->place, "a symmetric matrix must be square");
    s->nrow = (bl_index)size[0];
    s->ncol = (bl_index)size[1];
    s->nentry = (bl_index)size[2];
    return BL_OK;
}

static bl_status add_pair(source *s, bl_index row, bl_index col, double value) {
    BL_TRY(BL_RESERVE(s->ctx, s->row, s->row_room, s->npair + 1));
    BL_TRY(BL_RESERVE(s->ctx, s->col, s->col_room, s->npair + 1));
    BL_TRY(BL_RESERVE(s->ctx, s->value, s->value_room, s->npair + 1));
    s->row[s->npair] = row;
    s->col[s->npair] = col;
    s->value[s->npair++] = value;
    return BL_OK;
}

static bl_status read_entry(source *s) {
    long row, col;
    double value = 1;
    if (s->nword != (s->pattern_only ? 2 : 3))
        return wrong(
            s, s->pattern_only ? "an entry of a pattern has two numbers: row, column" : "an entry has three numbers: row, column, value",
            NULL);
    BL_TRY(integer(s, s->word[0], &row));
    BL_TRY(integer(s, s->word[1], &col));
    if (row < 1 || row > s->nrow || col < 1 || col > s->ncol)
        return bl_fail(s->ctx, BL_E_MODEL, &s->place, "the entry is outside the matrix of %d x %d", s->nrow, s->ncol);
    if (!s->pattern_only)
        BL_TRY(number(s, s->word[2], &value));
    if (s->symmetric && row < col) {
        bl_fail(s->ctx, BL_E_MODEL, &s->place, "the entry of a symmetric matrix is above the diagonal");
        bl_advise(s->ctx, "files of symmetric matrices contain only the lower triangle");
        return BL_E_MODEL;
    }
    BL_TRY(add_pair(s, (bl_index)row - 1, (bl_index)col - 1, value));
    return s->symmetric && row != col ? add_pair(s, (bl_index)col - 1, (bl_index)row - 1, value) : BL_OK;
}

static bl_status read_entries(source *s) {
    bool more;
    for (bl_index k = 0; k < s->nentry; k++) {
        BL_TRY(next_words(s, &more));
        if (!more)
            return bl_fail(s->ctx, BL_E_MODEL, &s->place, "the file ends after %d of %d entries", k, s->nentry);
        BL_TRY(read_entry(s));
    }
    BL_TRY(next_words(s, &more));
    return more ? bl_fail(s->ctx, BL_E_MODEL, &s->place, "unexpected text after the last of %d entries", s->nentry) : BL_OK;
}

/* pattern and values from the pairs */
static bl_status gather(source *s, bl_matrix *out) {
    bl_index *slot;
    BL_TRY(BL_NEW(s->ctx, slot, s->npair));
    bl_status status = bl_pattern_build(s->ctx, s->nrow, s->ncol, s->npair, s->row, s->col, &out->pattern, slot);
    if (status == BL_OK && !s->pattern_only)
        status = BL_NEW(s->ctx, out->value, out->pattern.ptr[s->ncol]);
    for (bl_index k = 0; status == BL_OK && !s->pattern_only && k < s->npair; k++)
        out->value[slot[k]] += s->value[k];
    bl_free(s->ctx, slot);
    for (bl_index k = 0; status == BL_OK && !s->pattern_only && k < out->pattern.ptr[s->ncol]; k++)
        if (!isfinite(out->value[k]))
            status = bl_fail(s->ctx, BL_E_MODEL, &s->place, "repeated entries sum to a number that is not finite");
    return status;
}

static bl_status open_file(source *s, const char *file) {
    struct stat info;
    s->place.file = file;
    if (strcmp(file, "-") == 0) {
        s->place.file = "standard input";
        s->stream = stdin;
        return BL_OK;
    }
    if (stat(file, &info) == 0 && S_ISDIR(info.st_mode))
        return bl_fail(s->ctx, BL_E_FILE, &s->place, "%s is a directory", file);
    s->stream = fopen(file, "rb");
    return s->stream ? BL_OK : bl_fail(s->ctx, BL_E_FILE, &s->place, "%s cannot be opened: %s", file, strerror(errno));
}

static bl_status read_all(source *s, bl_matrix *out) {
    bl_status status = read_header(s);
    if (status == BL_OK)
        status = read_size(s);
    if (status == BL_OK)
        status = read_entries(s);
    if (status == BL_OK)
        status = gather(s, out);
    bl_free(s->ctx, s->row);
    bl_free(s->ctx, s->col);
    bl_free(s->ctx, s->value);
    if (status != BL_OK)
        bl_matrix_free(s->ctx, out);
    return status;
}

bl_status bl_matrix_market_stream(bl_context *ctx, FILE *stream, const char *name, bl_matrix *out) {
    source s = {.ctx = ctx, .stream = stream, .place = {.file = name}};
    memset(out, 0, sizeof *out);
    return read_all(&s, out);
}

bl_status bl_matrix_market_read(bl_context *ctx, const char *file, bl_matrix *out) {
    source s = {.ctx = ctx};
    memset(out, 0, sizeof *out);
    BL_TRY(open_file(&s, file));
    bl_status status = read_all(&s, out);
    if (s.stream != stdin)
        fclose(s.stream);
    return status;
}

void bl_matrix_free(bl_context *ctx, bl_matrix *matrix) {
    bl_pattern_free(ctx, &matrix->pattern);
    bl_free(ctx, matrix->value);
    matrix->value = NULL;
}

/* output: files written by studies. Each sink is one source file; the public functions are declared in biela/biela.h. */
#ifndef BL_OUTPUT_H
#define BL_OUTPUT_H

#include "base/base.h"
#include "biela/biela.h"

/* ---- numbers: significant digits (17 read back to the same bits) and a decimal point in any locale; "nan", "inf", "-inf" */
enum { BL_NUMBER_BYTES = 40 };
size_t bl_digits_text(double value, int digits, char text[BL_NUMBER_BYTES]); /* returns the length */

/* "done", "event", "stopped", or the text of a failure. */
const char *bl_outcome_text(bl_status status);
/* Whether the run ended without a failure. */
bool bl_outcome_good(bl_status status);

/* For every cell the number, from 1, of the last cell set that contains it, without the set `all`; 0: none. number[ncell] */
void bl_mesh_set_numbers(const bl_run_mesh *mesh, bl_index *number);

/* ---- sinks */

/* What tables and JSON need: no mesh fields, no scene, no forces. */
#define BL_WANT_NUMBERS (BL_WANT_ALL & ~(uint32_t)(BL_WANT_FIELDS | BL_WANT_SCENE | BL_WANT_FORCES))
/* Last call of a sink's constructor: hands the sink made to the caller, or destroys it if status is a failure. Returns status. */
bl_status bl_sink_made(bl_sink *out, bl_sink *made, bl_status status);

/* ---- a file that appears under its name only when it is complete */

typedef struct bl_target {
    bl_context *ctx;
    char *path;           /* as given */
    char *real, *partial; /* symbolic links followed; real~partial, where the file grows */
    int fd;               /* -1: not open */
    int error;            /* errno of the first failed write, after which nothing is written */
    bool direct;          /* path is a pipe or a device: written in place */
    uint64_t length;      /* the file has at least this many bytes; only for files written at offsets */
} bl_target;

bl_status bl_target_create(bl_context *ctx, const char *path, bl_target *target);
/* Opens the partial file, locks it against other runs and truncates it. allow_direct: pipes and devices are accepted. */
bl_status bl_target_open(bl_target *target, bool allow_direct);
void bl_target_append(bl_target *target, const char *bytes, size_t length);
void bl_target_write_at(bl_target *target, uint64_t offset, const void *bytes, size_t length);
void bl_target_extend(bl_target *target, uint64_t length); /* to at least this many bytes, padded with zeros */
bl_status bl_target_check(bl_target *target);              /* BL_OK, or the error of the failed write */
/* Closes. keep: the partial file replaces path (after a failed write it keeps its name); else it is removed. */
bl_status bl_target_close(bl_target *target, bool keep);
void bl_target_destroy(bl_target *target); /* does not touch files */

#endif

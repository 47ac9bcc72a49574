/* What the fuzz targets share. libFuzzer brings its own main (make fuzz); elsewhere replay.c runs a target over files (make test). */
#ifndef FUZZ_H
#define FUZZ_H

#include "biela/biela.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No files, and models that a sanitizer reads in seconds, however much a short text asks for. */
extern const bl_read_options fuzz_options;
/* A context that keeps no more than 512 MB alive, however much a text asks for. */
bl_context *fuzz_context(void);
void fuzz_context_end(bl_context *ctx);
/* A failure has a status, words, and no characters that a terminal acts on. */
void fuzz_check_error(const bl_context *ctx, bl_status status);
void fuzz_require(bool holds, const char *claim, const char *file, int line);
#define fuzz_expect(claim) fuzz_require((claim), #claim, __FILE__, __LINE__)

#endif

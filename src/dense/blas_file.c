/* Where BLAS comes from, as the dynamic linker found it. */
#define _GNU_SOURCE /* dladdr */
#include "dense/dense.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

extern void dgemm_(void); /* only its address is used */

bool bl_dense_blas_file(char *path, size_t size) {
    Dl_info blas, own;
    void (*function)(void) = dgemm_;
    bool (*here)(char *, size_t) = bl_dense_blas_file;
    if (!dladdr(*(void **)(void *)&function, &blas) || !dladdr(*(void **)(void *)&here, &own) || blas.dli_fbase == own.dli_fbase)
        return false;
    char real[PATH_MAX]; /* what the alternatives of the system point to */
    snprintf(path, size, "%s", realpath(blas.dli_fname, real) ? real : blas.dli_fname);
    return true;
}

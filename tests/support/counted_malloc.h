/* counted_malloc: replaces malloc, calloc and realloc of this program by counting ones, below the context and in the libraries. Include in
 * one file of a test program. Off under the address sanitizer, which has its own. */
#ifndef BL_COUNTED_MALLOC_H
#define BL_COUNTED_MALLOC_H

#include <stdlib.h>

static long malloc_calls;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define MALLOC_COUNTED 1

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t bytes);

void *malloc(size_t bytes) {
    malloc_calls++;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size) {
    malloc_calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t bytes) {
    malloc_calls++;
    return __libc_realloc(block, bytes);
}
#else
#define MALLOC_COUNTED 0
#endif

#endif

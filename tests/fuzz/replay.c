/* Runs a fuzz target over files and folders, so that every compiler and `make test` see the corpus. Under a sanitizer as well. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST_SECONDS = 10 }; /* for one text: what takes longer is a finding */

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static long replay_file(const char *path) {
    FILE *stream = fopen(path, "rb");
    fuzz_expect(stream != NULL);
    struct stat facts;
    fuzz_expect(fstat(fileno(stream), &facts) == 0);
    size_t size = (size_t)facts.st_size;
    uint8_t *data = malloc(size ? size : 1); /* exactly as large: a byte read behind the end is seen by a sanitizer */
    fuzz_expect(data && fread(data, 1, size, stream) == size);
    fclose(stream);
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    LLVMFuzzerTestOneInput(data, size);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    free(data);
    if (after.tv_sec - before.tv_sec > MOST_SECONDS) {
        fprintf(stderr, "%s: takes more than %d s\n", path, MOST_SECONDS);
        abort();
    }
    return 1;
}

static long replay(const char *path) {
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode))
        return replay_file(path);
    DIR *folder = opendir(path);
    fuzz_expect(folder != NULL);
    char **names = NULL;
    size_t n = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        names = realloc(names, (n + 1) * sizeof *names);
        fuzz_expect(names != NULL);
        size_t length = strlen(path) + strlen(entry->d_name) + 2;
        names[n] = malloc(length);
        fuzz_expect(names[n] != NULL);
        snprintf(names[n++], length, "%s/%s", path, entry->d_name);
    }
    closedir(folder);
    qsort(names, n, sizeof *names, compare_names);
    long done = 0;
    for (size_t i = 0; i < n; i++) {
        done += replay(names[i]);
        free(names[i]);
    }
    free(names);
    return done;
}

int main(int argc, char **argv) {
    long done = 0;
    for (int i = 1; i < argc; i++)
        done += replay(argv[i]);
    printf("%ld texts\n", done);
    return done > 0 ? 0 : 1;
}

/* The page of reports: the file that scripts/build_page made of viewer/. Empty if Node.js or its packages were missing. */
#include "cli/cli.h"

__asm__(".pushsection .rodata\n"
        ".global cli_page_begin, cli_page_end\n"
        ".balign 16\n"
        "cli_page_begin:\n"
        ".incbin \"" CLI_PAGE_FILE "\"\n"
        "cli_page_end:\n"
        ".byte 0\n"
        ".popsection\n");

extern const unsigned char cli_page_begin[], cli_page_end[];

const void *cli_page(size_t *bytes) {
    *bytes = (size_t)((uintptr_t)cli_page_end - (uintptr_t)cli_page_begin);
    return cli_page_begin;
}

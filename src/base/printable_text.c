/* Printable text: UTF-8 (Unicode 15, table 3-7) without control characters for terminals. */
#include "base/base.h"

#include <string.h>

size_t bl_utf8(const char *text, size_t n, bool *control) {
    const unsigned char *s = (const unsigned char *)text;
    *control = false;
    if (n == 0)
        return 0;
    if (s[0] < 0x80) {
        *control = s[0] < 0x20 || s[0] == 0x7f;
        return 1;
    }
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    bool c1 = s[0] == 0xc2 && s[1] < 0xa0;                                             /* U+0080 to U+009F */
    bool separator = s[0] == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9);   /* U+2028, U+2029 */
    bool direction = (s[0] == 0xe2 && s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) || /* U+202A to U+202E */
                     (s[0] == 0xe2 && s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);   /* U+2066 to U+2069 */
    *control = c1 || separator || direction;
    return length;
}

void bl_text_clean(char *text, const char *keep) {
    size_t n = strlen(text), to = 0;
    for (size_t from = 0; from < n;) {
        bool control;
        size_t length = bl_utf8(text + from, n - from, &control);
        if (length == 0 || (control && !(length == 1 && keep && strchr(keep, text[from])))) {
            text[to++] = '?';
            from += length ? length : 1;
        } else {
            memmove(text + to, text + from, length);
            to += length;
            from += length;
        }
    }
    text[to] = '\0';
}

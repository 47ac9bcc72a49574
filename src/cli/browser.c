/* Chromium driven through a pipe: commands are JSON objects with an id, answers carry the same id; both end with a zero byte. Events of
 * the page are ignored. Every answer has a time limit. */
#include "cli/browser.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 28 }; /* of an answer; a picture of 4000 x 4000 points is smaller */
static const double START_SECONDS = 60, ANSWER_SECONDS = 30, PICTURE_SECONDS = 120;

static bool fail(cli_browser *b, const char *what, const char *more) {
    snprintf(b->problem, sizeof b->problem, "%s%s%.250s", what, more[0] ? ": " : "", more);
    return false;
}

/* ---- JSON of answers */

/* a string or number as plain text, truncated to size; only escaped quotes, backslashes and slashes are decoded */
static void copy_value(const char *value, char *text, size_t size) {
    size_t n = 0;
    text[0] = '\0';
    if (!value)
        return;
    const char *end = bl_json_end(value);
    while (end > value && strchr(" \t\r\n", end[-1]))
        end--;
    bool quoted = *value == '"' && end > value + 1;
    for (const char *at = value + quoted; at < end - quoted && n + 1 < size; at++) {
        if (quoted && *at == '\\' && (at[1] == '"' || at[1] == '\\' || at[1] == '/'))
            at++;
        text[n++] = *at;
    }
    text[n] = '\0';
}

/* ---- messages */

/* waits until b->text begins with a complete message */
static bool receive(cli_browser *b, double until) {
    if (b->taken > 0) {
        memmove(b->text, b->text + b->taken, b->length - b->taken);
        b->length -= b->taken;
        b->taken = 0;
    }
    for (size_t searched = 0;;) {
        const char *end = b->length > searched ? memchr(b->text + searched, '\0', b->length - searched) : NULL;
        if (end) {
            b->taken = (size_t)(end - b->text) + 1;
            return true;
        }
        searched = b->length;
        if (b->capacity - b->length < 1 << 16) {
            size_t capacity = 2 * b->capacity + (1 << 18);
            char *text = capacity > MOST_BYTES ? NULL : realloc(b->text, capacity);
            if (!text)
                return fail(b, "the browser's answer is too long", "");
            b->text = text;
            b->capacity = capacity;
        }
        struct pollfd wait = {.fd = b->program.out, .events = POLLIN};
        int ready = poll(&wait, 1, 50);
        ssize_t n = ready > 0 ? read(b->program.out, b->text + b->length, b->capacity - b->length) : -1;
        if (ready > 0 && (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)))
            return fail(b, "the browser ended unexpectedly", "");
        if (n > 0)
            b->length += (size_t)n;
        if (bl_context_stopped(b->ctx))
            return fail(b, "stopped on request", "");
        if (cli_seconds() > until)
            return fail(b, "the browser does not answer", "");
    }
}

static void begin(cli_browser *b, bl_json *json, const char *method) {
    *json = (bl_json){.ctx = b->ctx};
    bl_json_open(json, NULL, '{');
    bl_json_integer(json, "id", ++b->id);
    bl_json_text(json, "method", method);
    if (b->session[0])
        bl_json_text(json, "sessionId", b->session);
    bl_json_open(json, "params", '{');
}

/* sends the command and waits for its answer: the object `result`, valid until the next call; NULL: failed */
static const char *call(cli_browser *b, bl_json *json, double seconds) {
    double until = cli_seconds() + seconds;
    bl_json_close(json, '}');
    bl_json_close(json, '}');
    bool sent = json->status == BL_OK && cli_program_write(b->ctx, &b->program, json->text, json->length + 1, seconds);
    bl_json_destroy(json);
    if (!sent) {
        fail(b, bl_context_stopped(b->ctx) ? "stopped on request" : "the browser does not accept commands", "");
        return NULL;
    }
    while (receive(b, until)) {
        const char *id = bl_json_member(b->text, "id"), *error = bl_json_member(b->text, "error"),
                   *result = bl_json_member(b->text, "result");
        if (!id || strtol(id, NULL, 10) != b->id)
            continue; /* an event, or an answer that came too late */
        if (result && !error)
            return result;
        char words[200];
        copy_value(bl_json_member(error, "message"), words, sizeof words);
        fail(b, "the browser rejected a command", words);
        return NULL;
    }
    return NULL;
}

/* ---- commands */

static bool attach(cli_browser *b, int width, int height) {
    bl_json json;
    char target[128];
    begin(b, &json, "Target.createTarget");
    bl_json_text(&json, "url", "about:blank");
    const char *answer = call(b, &json, START_SECONDS);
    if (!answer)
        return false;
    copy_value(bl_json_member(answer, "targetId"), target, sizeof target);
    begin(b, &json, "Target.attachToTarget");
    bl_json_text(&json, "targetId", target);
    bl_json_flag(&json, "flatten", true);
    if (!(answer = call(b, &json, ANSWER_SECONDS)))
        return false;
    copy_value(bl_json_member(answer, "sessionId"), b->session, sizeof b->session);
    begin(b, &json, "Emulation.setDeviceMetricsOverride"); /* the page is smaller than the window, which has borders */
    BL_JSON_NUMBERS(&json, {"width", width}, {"height", height}, {"deviceScaleFactor", 1});
    bl_json_flag(&json, "mobile", false);
    return call(b, &json, ANSWER_SECONDS) != NULL;
}

bool cli_browser_open(cli_browser *b, bl_context *ctx, const char *program, const char *folder, int width, int height) {
    char data[PATH_MAX + 64], size[64], log[PATH_MAX + 64], path[PATH_MAX];
    *b = (cli_browser){.ctx = ctx, .program = {.in = -1, .out = -1}};
    snprintf(data, sizeof data, "--user-data-dir=%s/profile", folder);
    snprintf(log, sizeof log, "%s/browser.log", folder);
    snprintf(size, sizeof size, "--window-size=%d,%d", width, height);
    snprintf(path, sizeof path, "%s", program);
    static const char *const flags[] = {"--headless=new",
                                        "--remote-debugging-pipe",
                                        "--no-first-run",
                                        "--no-default-browser-check",
                                        "--disable-extensions",
                                        "--disable-background-networking",
                                        "--disable-component-update",
                                        "--disable-sync",
                                        "--disable-breakpad",
                                        "--disable-dev-shm-usage",
                                        "--disable-background-timer-throttling",
                                        "--disable-renderer-backgrounding",
                                        "--mute-audio",
                                        "--password-store=basic",
                                        "--host-resolver-rules=MAP * ~NOTFOUND", /* a report needs no network and gets none */
                                        "--enable-unsafe-swiftshader",
                                        "--use-angle=swiftshader",
                                        "--hide-scrollbars",
                                        "--force-color-profile=srgb",
                                        "--font-render-hinting=none",
                                        "--disable-lcd-text"};
    enum { NFLAG = sizeof flags / sizeof *flags };
    char *words[NFLAG + 6] = {path, data, size};
    int n = 3;
    for (int i = 0; i < NFLAG; i++)
        words[n++] = (char *)(uintptr_t)flags[i]; /* posix_spawn reads them only */
    if (geteuid() == 0)
        words[n++] = (char *)(uintptr_t) "--no-sandbox"; /* it does not start otherwise */
    words[n] = (char *)(uintptr_t) "about:blank";
    int failed = cli_program_start(&b->program, words, true, log);
    if (failed)
        return fail(b, "cannot start the browser", strerror(failed));
    return attach(b, width, height);
}

bool cli_browser_go(cli_browser *b, const char *url) {
    bl_json json;
    char words[200];
    begin(b, &json, "Page.navigate");
    bl_json_text(&json, "url", url);
    const char *answer = call(b, &json, ANSWER_SECONDS);
    if (!answer)
        return false;
    copy_value(bl_json_member(answer, "errorText"), words, sizeof words);
    return words[0] ? fail(b, "the browser cannot open the page", words) : true;
}

bool cli_browser_evaluate(cli_browser *b, const char *expression, double seconds, char *value, size_t size) {
    bl_json json;
    char words[300];
    begin(b, &json, "Runtime.evaluate");
    bl_json_text(&json, "expression", expression);
    bl_json_flag(&json, "returnByValue", true);
    bl_json_flag(&json, "awaitPromise", true);
    const char *answer = call(b, &json, seconds);
    if (!answer)
        return false;
    const char *thrown = bl_json_member(answer, "exceptionDetails");
    if (thrown) {
        const char *about = bl_json_member(bl_json_member(thrown, "exception"), "description");
        copy_value(about ? about : bl_json_member(thrown, "text"), words, sizeof words);
        return fail(b, "the page failed", words);
    }
    copy_value(bl_json_member(bl_json_member(answer, "result"), "value"), value, size);
    return true;
}

/* in place; returns the bytes made (RFC 4648) */
static size_t decode_base64(const char *from, const char *end, char *to) {
    size_t n = 0;
    unsigned bits = 0;
    int count = 0;
    for (; from < end; from++) {
        int c = (unsigned char)*from;
        int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                    : c >= 'a' && c <= 'z' ? c - 'a' + 26
                    : c >= '0' && c <= '9' ? c - '0' + 52
                    : c == '+'             ? 62
                    : c == '/'             ? 63
                                           : -1;
        if (value < 0)
            continue;
        bits = (bits << 6 | (unsigned)value) & 0xFFFFFFu;
        if (++count % 4 != 1)
            to[n++] = (char)(bits >> (count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0));
    }
    return n;
}

bool cli_browser_picture(cli_browser *b, char **png, size_t *bytes) {
    static const char signature[8] = {'\x89', 'P', 'N', 'G', '\r', '\n', '\x1A', '\n'};
    bl_json json;
    *png = NULL;
    begin(b, &json, "Page.captureScreenshot");
    bl_json_text(&json, "format", "png");
    bl_json_flag(&json, "optimizeForSpeed", true);
    const char *answer = call(b, &json, PICTURE_SECONDS), *data = bl_json_member(answer, "data");
    if (!answer)
        return false;
    const char *end = data && *data == '"' ? strchr(data + 1, '"') : NULL; /* base64 has no quotes */
    if (!end)
        return fail(b, "the browser returned no screenshot", "");
    if (!(*png = malloc((size_t)(end - data) + 4)))
        return fail(b, "out of memory", "");
    *bytes = decode_base64(data + 1, end, *png);
    if (*bytes < 50 || memcmp(*png, signature, sizeof signature) != 0) {
        free(*png);
        *png = NULL;
        return fail(b, "the browser's screenshot is not a PNG", "");
    }
    return true;
}

void cli_browser_close(cli_browser *b) {
    if (b->program.pid > 0 && !bl_context_stopped(b->ctx)) { /* on a normal exit it ends its own processes */
        static const char quit[] = "{\"id\":0,\"method\":\"Browser.close\"}";
        if (cli_program_write(b->ctx, &b->program, quit, sizeof quit, 1))
            cli_program_wait(b->ctx, &b->program, 3);
    }
    cli_program_end(&b->program);
    free(b->text);
    b->text = NULL;
    b->length = b->capacity = b->taken = 0;
}

bool cli_file_url(const char *path, char *url, size_t size) {
    char folder[PATH_MAX] = "";
    if (path[0] != '/' && !getcwd(folder, sizeof folder))
        return false;
    size_t n = (size_t)snprintf(url, size, "file://");
    const char *const pieces[] = {folder, path[0] == '/' ? "" : "/", path};
    for (int i = 0; i < 3; i++)
        for (const char *c = pieces[i]; *c; c++) {
            bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("/-_.~", *c);
            if (n + 4 >= size)
                return false;
            n += (size_t)snprintf(url + n, size - n, plain ? "%c" : "%%%02X", (unsigned char)*c);
        }
    return access(path, R_OK) == 0;
}

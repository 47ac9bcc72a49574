/* biela film: the page of a report, filmed frame by frame. A headless browser shows it, and its screenshots go through a pipe to ffmpeg.
 * The file appears when it is complete; temporary files and programs end with the command, also after a failure or Ctrl-C. */
#include "cli/browser.h"

#include "biela/report.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* values of the options of this command */
struct own {
    double speed, fps;
    const char *view, *size, *theme;
};

enum { MOST_FRAMES = 20000 };
static const double READY_SECONDS = 120, SEEK_SECONDS = 60, ENCODE_SECONDS = 600;

typedef enum kind { WEBM, MP4, GIF } kind;

typedef struct film {
    bl_context *ctx;
    const cli_args *args;
    kind kind;
    const char *path;
    char partial[PATH_MAX], folder[PATH_MAX / 2], browser_path[PATH_MAX], ffmpeg_path[PATH_MAX];
    char page[PATH_MAX]; /* the report */
    int width, height;   /* of the film */
    double fps, from, to, speed;
    long frames;
    cli_browser browser;
    cli_program ffmpeg;
    bool differ; /* not all frames are identical */
    cli_mistake mistake;
} film;

static bool fail(film *f, const char *what, const char *advice) { return cli_mistaken(&f->mistake, advice, "%s", what); }

static bool fail_browser(film *f) { return cli_mistaken(&f->mistake, "", "cannot film '%s': %s", f->args->word, f->browser.problem); }

/* ---- options */

static bool read_options(film *f) {
    const cli_args *args = f->args;
    f->kind = cli_ends_with(f->path, ".webm") ? WEBM : cli_ends_with(f->path, ".mp4") ? MP4 : GIF;
    if (strchr(f->path, '\n') || (f->kind == GIF && !cli_ends_with(f->path, ".gif")))
        return cli_mistaken(&f->mistake, "", "-o takes a file that ends in .webm, .mp4 or .gif, not '%.300s'", f->path);
    f->width = f->kind == GIF ? 480 : 960;
    f->height = f->kind == GIF ? 270 : 540;
    if (cli_own(args)->size && (!cli_read_size(cli_own(args)->size, &f->width, &f->height) || f->width % 2 || f->height % 2 ||
                                f->width < 64 || f->height < 64 || f->width > 4096 || f->height > 4096))
        return cli_mistaken(&f->mistake, "for example --size 960x540",
                            "--size takes width and height in pixels, even numbers from 64 to 4096, not '%.60s'", cli_own(args)->size);
    f->fps = cli_own(args)->fps > 0 ? cli_own(args)->fps : f->kind == GIF ? 20 : 30;
    if (f->fps > 120 || (f->kind == GIF && f->fps > 50))
        return fail(f, f->kind == GIF ? "--fps is at most 50 in a GIF" : "--fps is at most 120", "");
    if (cli_own(args)->theme && strcmp(cli_own(args)->theme, "light") != 0 && strcmp(cli_own(args)->theme, "dark") != 0)
        return fail(f, "--theme takes light or dark", "");
    return cli_read_window(args, &f->from, &f->to, &f->mistake);
}

static bool find_programs(film *f) {
    static const char *const browsers[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", NULL};
    static const char *const encoders[] = {"ffmpeg", NULL};
    bool browser = cli_find_program("BIELA_CHROMIUM", browsers, f->browser_path, sizeof f->browser_path);
    bool encoder = cli_find_program("BIELA_FFMPEG", encoders, f->ffmpeg_path, sizeof f->ffmpeg_path);
    if (browser && encoder)
        return true;
    return fail(f,
                !browser && !encoder ? "biela film needs Chromium and ffmpeg, which are not installed"
                : !browser           ? "biela film needs Chromium, which is not installed"
                                     : "biela film needs ffmpeg, which is not installed",
                "Debian: apt-get install chromium ffmpeg; if they are not in PATH, set BIELA_CHROMIUM and BIELA_FFMPEG to them");
}

/* ---- the page */

static bool is_page(const char *path) {
    char bytes[16] = "";
    if (cli_ends_with(path, ".html") || cli_ends_with(path, ".htm"))
        return true;
    FILE *file = fopen(path, "rb");
    bool found = file && fread(bytes, 1, sizeof bytes - 1, file) > 0 && bytes[0] == '<';
    if (file)
        fclose(file);
    return found;
}

/* the address of the page; its fragment selects film mode, theme and view */
static bool make_url(const film *f, char *url, size_t size) {
    const char *view = cli_own(f->args)->view;
    if (!cli_file_url(f->page, url, size))
        return false;
    size_t n = strlen(url);
    n += (size_t)snprintf(url + n, size - n, "#film&theme=%s", cli_own(f->args)->theme ? cli_own(f->args)->theme : "light");
    if (n < size && view && view[1])
        n += (size_t)snprintf(url + n, size - n, "&%s%s", strchr(view, '=') ? "" : "view=", view);
    return n < size;
}

/* waits until the page can be filmed */
static bool wait_ready(film *f) {
    double until = cli_seconds() + READY_SECONDS;
    char answer[300];
    const struct timespec pause = {.tv_nsec = 50000000};
    do {
        if (!cli_browser_evaluate(&f->browser,
                                  "window.biela && window.biela.error ? 'failed: ' + window.biela.error : "
                                  "window.biela && window.biela.ready ? 'ready' : 'not yet'",
                                  SEEK_SECONDS, answer, sizeof answer))
            return fail_browser(f);
        if (strcmp(answer, "ready") == 0)
            return true;
        if (strncmp(answer, "failed", 6) == 0) {
            snprintf(f->browser.problem, sizeof f->browser.problem, "the page %s", answer);
            return fail_browser(f);
        }
        nanosleep(&pause, NULL);
    } while (cli_seconds() < until);
    snprintf(f->browser.problem, sizeof f->browser.problem, "the page is not ready after %g s; is it a report of `biela report`?",
             READY_SECONDS);
    return fail_browser(f);
}

/* a view by its number: presses that key */
static bool choose_view(film *f) {
    const char *view = cli_own(f->args)->view;
    char text[160], answer[40];
    if (!view || view[1])
        return true;
    snprintf(text, sizeof text, "document.dispatchEvent(new KeyboardEvent('keydown', {key: '%c', bubbles: true})); 1",
             view[0] >= '0' && view[0] <= '9' ? view[0] : '0');
    return cli_browser_evaluate(&f->browser, text, SEEK_SECONDS, answer, sizeof answer) || fail_browser(f);
}

/* first and last time of the motion */
static bool find_times(film *f, double times[2]) {
    char answer[200], *end;
    if (!cli_browser_evaluate(&f->browser,
                              "(() => { const b = window.biela; if (b.times) return b.times().join(' ');"
                              " const runs = JSON.parse(document.getElementById('biela').textContent).runs;"
                              " return '0 ' + Math.max(...runs.map((run) => run.info.reached ?? run.info.until ?? 0)); })()",
                              SEEK_SECONDS, answer, sizeof answer))
        return fail_browser(f);
    times[0] = strtod(answer, &end);
    times[1] = strtod(end, NULL);
    if (isfinite(times[0]) && isfinite(times[1]) && times[1] > times[0])
        return true;
    snprintf(f->browser.problem, sizeof f->browser.problem, "the page has no motion (times '%.60s')", answer);
    return fail_browser(f);
}

/* real time if the complete motion lasts 2 to 60 s; otherwise the film lasts 10 s */
static bool plan(film *f) {
    double times[2] = {0, 0};
    if (!find_times(f, times))
        return false;
    f->from = fmax(f->from, times[0]);
    f->to = fmin(f->to, times[1]);
    double span = f->to - f->from;
    if (!(span > 0))
        return cli_mistaken(&f->mistake, "", "the range from --from to --to is empty: the motion lasts from %g s to %g s", times[0],
                            times[1]);
    double all = times[1] - times[0];
    f->speed = cli_own(f->args)->speed > 0 ? cli_own(f->args)->speed : all >= 2 && all <= 60 ? 1 : all / 10;
    double frames = floor(span / f->speed * f->fps + 1e-9) + 1;
    if (frames < 2 || frames > MOST_FRAMES) {
        return cli_mistaken(&f->mistake, "change --speed or --fps, or film a part with --from and --to",
                            "%g s at speed %g and %g frames per second would be %.0f frames; a film has 2 to %d", span, f->speed, f->fps,
                            frames, MOST_FRAMES);
    }
    f->frames = (long)frames;
    return true;
}

/* ---- ffmpeg */

/* with the last line that ffmpeg printed */
static bool fail_ffmpeg(film *f, const char *what) {
    char log[PATH_MAX], words[300] = "", text[500];
    snprintf(log, sizeof log, "%s/ffmpeg.log", f->folder);
    FILE *file = fopen(log, "r");
    while (file && fgets(words, sizeof words, file)) {
    }
    if (file)
        fclose(file);
    words[strcspn(words, "\n")] = '\0';
    snprintf(text, sizeof text, "%s%s%s", what, words[0] ? ": " : "", words);
    return fail(f, text, "");
}

/* arguments separated by newlines, so that paths may contain spaces */
static bool start_ffmpeg(film *f, char *text) {
    enum { MOST = 60 };
    char *words[MOST] = {f->ffmpeg_path}, log[PATH_MAX];
    for (int n = 1; text && n < MOST - 1; n++) {
        words[n] = text;
        if ((text = strchr(text, '\n')))
            *text++ = '\0';
    }
    snprintf(log, sizeof log, "%s/ffmpeg.log", f->folder);
    int failed = cli_program_start(&f->ffmpeg, words, false, log);
    return !failed || fail_ffmpeg(f, strerror(failed));
}

static bool end_ffmpeg(film *f) {
    close(f->ffmpeg.in);
    f->ffmpeg.in = -1;
    if (!cli_program_wait(f->ctx, &f->ffmpeg, ENCODE_SECONDS))
        return fail_ffmpeg(f, bl_context_stopped(f->ctx) ? "stopped on request" : "ffmpeg did not finish in time");
    return (WIFEXITED(f->ffmpeg.code) && WEXITSTATUS(f->ffmpeg.code) == 0) || fail_ffmpeg(f, "ffmpeg could not write the film");
}

/* the encoder of the frames; for a GIF they are first stored without loss, since making it takes two passes */
static bool start_encoder(film *f) {
    char text[3 * PATH_MAX];
    static const char *const how[] = {
        [WEBM] = "-c:v\nlibvpx-vp9\n-crf\n32\n-b:v\n0\n-row-mt\n1\n-cpu-used\n4\n-pix_fmt\nyuv420p\n-f\nwebm",
        [MP4] = "-c:v\nlibx264\n-crf\n20\n-pix_fmt\nyuv420p\n-movflags\n+faststart\n-f\nmp4",
        [GIF] = "-c:v\ncopy\n-f\nmatroska",
    };
    char kept[PATH_MAX];
    snprintf(kept, sizeof kept, "%s/pictures", f->folder);
    snprintf(text, sizeof text, "-hide_banner\n-loglevel\nerror\n-y\n-f\nimage2pipe\n-framerate\n%.9g\n-c:v\npng\n-i\npipe:0\n%s\nfile:%s",
             f->fps, how[f->kind], f->kind == GIF ? kept : f->partial);
    return start_ffmpeg(f, text);
}

/* first pass: a palette of 96 colors weighted to what moves; second pass: the frames in these colors */
static bool make_gif(film *f) {
    char text[3 * PATH_MAX];
    snprintf(text, sizeof text,
             "-hide_banner\n-loglevel\nerror\n-y\n-i\nfile:%s/pictures\n-vf\n"
             "scale=%d:%d:flags=lanczos,palettegen=max_colors=96:stats_mode=diff\n"
             "-update\n1\nfile:%s/palette.png",
             f->folder, f->width, f->height, f->folder);
    if (!start_ffmpeg(f, text) || !end_ffmpeg(f))
        return false;
    snprintf(text, sizeof text,
             "-hide_banner\n-loglevel\nerror\n-y\n-i\nfile:%s/pictures\n-i\nfile:%s/palette.png\n-lavfi\n"
             "scale=%d:%d:flags=lanczos[x];[x][1:v]paletteuse=dither=none:diff_mode=rectangle\n-f\ngif\nfile:%s",
             f->folder, f->folder, f->width, f->height, f->partial);
    return start_ffmpeg(f, text) && end_ffmpeg(f);
}

/* ---- pictures */

static uint64_t fingerprint(const char *bytes, size_t n) { /* FNV-1a */
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return hash;
}

static bool take_picture(film *f, double t, uint64_t *mark) {
    char text[80], answer[40], *png;
    size_t bytes;
    snprintf(text, sizeof text, "window.biela.seek(%.17g)", t);
    if (!cli_browser_evaluate(&f->browser, text, SEEK_SECONDS, answer, sizeof answer) || !cli_browser_picture(&f->browser, &png, &bytes))
        return fail_browser(f);
    *mark = fingerprint(png, bytes);
    bool taken = cli_program_write(f->ctx, &f->ffmpeg, png, bytes, SEEK_SECONDS);
    free(png);
    return taken || fail_ffmpeg(f, bl_context_stopped(f->ctx) ? "stopped on request" : "ffmpeg does not accept frames");
}

static bool take_pictures(film *f) {
    bl_sink bar = cli_progress_sink();
    double start = cli_seconds();
    uint64_t first = 0, mark = 0;
    for (long i = 0; i < f->frames; i++) {
        double t = fmin(f->from + (double)i * f->speed / f->fps, f->to);
        if (!take_picture(f, t, &mark))
            return false;
        first = i == 0 ? mark : first;
        f->differ = f->differ || mark != first;
        if (bar.progress && !f->args->quiet && !f->args->json)
            bar.progress(bar.user, (double)(i + 1) * (f->to - f->from) / (double)f->frames, f->to - f->from, cli_seconds() - start);
    }
    cli_progress_clear();
    return f->differ || fail(f, "all frames of the film are identical: nothing moves, or the page is empty", "");
}

static bool film_page(film *f) {
    char url[3 * PATH_MAX];
    int scale = f->kind == GIF ? 2 : 1; /* a GIF gets smooth edges by downscaling */
    if (!make_url(f, url, sizeof url)) {
        snprintf(f->browser.problem, sizeof f->browser.problem, "%s", strerror(errno ? errno : ENAMETOOLONG));
        return fail_browser(f);
    }
    if (!cli_browser_open(&f->browser, f->ctx, f->browser_path, f->folder, scale * f->width, scale * f->height) ||
        !cli_browser_go(&f->browser, url))
        return fail_browser(f);
    if (!wait_ready(f) || !choose_view(f) || !plan(f) || !start_encoder(f) || !take_pictures(f))
        return false;
    cli_browser_close(&f->browser);
    if (!end_ffmpeg(f) || (f->kind == GIF && !make_gif(f)))
        return false;
    if (rename(f->partial, f->path) != 0)
        return fail(f, strerror(errno), "");
    return true;
}

/* ---- the command */

static bl_status make_page(film *f) {
    if (is_page(f->args->word)) {
        snprintf(f->page, sizeof f->page, "%s", f->args->word);
        return BL_OK;
    }
    snprintf(f->page, sizeof f->page, "%s/report.html", f->folder);
    const bl_report_options all = {
        .size = sizeof all}; /* the speed follows from the complete motion; thinning poses moves nothing by a pixel */
    return cli_write_report(f->ctx, &f->args->word, 1, &all, f->page);
}

static off_t bytes_of(const film *f) {
    struct stat about = {0};
    stat(f->path, &about);
    return about.st_size;
}

static void json_film(bl_json *json, const void *found) {
    const film *f = found;
    bl_json_text(json, "status", "done");
    bl_json_text(json, "film", f->path);
    BL_JSON_NUMBERS(json, {"pictures", f->frames}, {"fps", f->fps}, {"from", f->from}, {"to", f->to}, {"speed", f->speed},
                    {"width", f->width}, {"height", f->height}, {"bytes", bytes_of(f)});
}

static void print_film(const void *found) {
    const film *f = found;
    cli_line("film", "%s (%ld frames, %.3g s, %.0f kB)", f->path, f->frames, (double)f->frames / f->fps, (double)bytes_of(f) / 1000);
}

static int shoot(film *f) {
    bl_status status = make_page(f);
    if (status != BL_OK) {
        int code = cli_fail(f->ctx, f->args, status);
        return status == BL_E_ABILITY ? EXIT_SYSTEM : code; /* a missing program or library */
    }
    cli_program_adopt();
    void (*was)(int) = signal(SIGPIPE, SIG_IGN); /* write errors report a program that has died */
    bool good = film_page(f);
    cli_progress_clear();
    cli_browser_close(&f->browser);
    cli_program_end(&f->ffmpeg);
    cli_program_reap();
    signal(SIGPIPE, was == SIG_ERR ? SIG_DFL : was);
    if (good)
        return cli_show(f->ctx, f->args, BL_OK, print_film, json_film, f);
    unlink(f->partial);
    return bl_context_stopped(f->ctx) ? cli_fail(f->ctx, f->args, BL_STOPPED) : cli_fail_system(f->args, &f->mistake);
}

static int film_command(bl_context *ctx, cli_args *args) {
    char path[512];
    film f = {.ctx = ctx, .args = args, .browser = {.ctx = ctx, .program = {.in = -1, .out = -1}}, .ffmpeg = {.in = -1, .out = -1}};
    cli_default_result(args->word, ".webm", path, sizeof path);
    f.path = args->output ? args->output : path;
    if ((size_t)snprintf(f.partial, sizeof f.partial, "%s~partial", f.path) >= sizeof f.partial)
        fail(&f, "the path of the film is too long", "");
    if (f.mistake.what[0] || !read_options(&f))
        return cli_fail_usage(args, &f.mistake);
    bl_status status = bl_check_outputs(ctx, NULL, &args->word, 1, &f.path, 1);
    if (status != BL_OK)
        return cli_fail(ctx, args, status);
    if (access(args->word, R_OK) != 0) {
        cli_mistaken(&f.mistake, "", "cannot read '%.400s': %s", args->word, strerror(errno));
        return cli_fail_system(args, &f.mistake);
    }
    if (!find_programs(&f) ||
        (!cli_folder_make(f.folder, sizeof f.folder) && !fail(&f, "cannot create a temporary folder", "set TMPDIR to a writable folder")))
        return cli_fail_system(args, &f.mistake);
    int code = shoot(&f);
    cli_folder_remove(f.folder);
    return code;
}

static const cli_option *const options[] = {
    CLI_SHARED(output, 'o', "output", "FILE", CLI_TEXT, "the film: .webm, .mp4 or .gif (default RESULT.webm in the current folder)"),
    CLI_OWN(fps, 0, "fps", "N", CLI_POSITIVE, "frames per second (default: 30; GIF 20)"),
    &cli_opt_part_from,
    &cli_opt_part_to,
    CLI_OWN(speed, 0, "speed", "F", CLI_POSITIVE, "seconds of motion per second of film (default: 1, or so that the film lasts 10 s)"),
    CLI_OWN(size, 0, "size", "WxH", CLI_TEXT, "size in pixels, even numbers (default 960x540; GIF 480x270)"),
    CLI_OWN(theme, 0, "theme", "NAME", CLI_TEXT, "light or dark (default: light)"),
    CLI_OWN(view, 0, "view", "NAME", CLI_TEXT, "view of the page: 1 to 6 along axes, 7 oblique, 0 the initial one"),
    &cli_opt_json,
    CLI_MESSAGE_OPTIONS};

const cli_command cli_film = {
    .name = "film",
    .word = "RESULT",
    .help = "record the motion of a result as a film (webm, mp4, gif)",
    .text = "Records the motion shown by a report: RESULT is a result file, or a page that `biela report` wrote. Needs\n"
            "Chromium and ffmpeg, in PATH or named by BIELA_CHROMIUM and BIELA_FFMPEG. --view takes the number of a view,\n"
            "or the text after # in the address of a report that shows the desired view.",
    .options = options,
    .run = film_command,
    .own = sizeof(struct own)};

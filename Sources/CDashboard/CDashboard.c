// SPDX-License-Identifier: Apache-2.0
#include "CDashboard.h"

// Of C23; clang has it for older versions, too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_js[] = {
#embed "Pages/api.js"
};
static const unsigned char app_js[] = {
#embed "Pages/app.js"
};
static const unsigned char changes_js[] = {
#embed "Pages/changes.js"
};
static const unsigned char chart_js[] = {
#embed "Pages/chart.js"
};
static const unsigned char diff_js[] = {
#embed "Pages/diff.js"
};
static const unsigned char dom_js[] = {
#embed "Pages/dom.js"
};
static const unsigned char format_js[] = {
#embed "Pages/format.js"
};
static const unsigned char icon_svg[] = {
#embed "Pages/icon.svg"
};
static const unsigned char index_html[] = {
#embed "Pages/index.html"
};
static const unsigned char live_js[] = {
#embed "Pages/live.js"
};
static const unsigned char log_js[] = {
#embed "Pages/log.js"
};
static const unsigned char login_html[] = {
#embed "Pages/login.html"
};
static const unsigned char login_js[] = {
#embed "Pages/login.js"
};
static const unsigned char mode_js[] = {
#embed "Pages/mode.js"
};
static const unsigned char origins_js[] = {
#embed "Pages/origins.js"
};
static const unsigned char overview_js[] = {
#embed "Pages/overview.js"
};
static const unsigned char panels_js[] = {
#embed "Pages/panels.js"
};
static const unsigned char preview_js[] = {
#embed "Pages/preview.js"
};
static const unsigned char resource_js[] = {
#embed "Pages/resource.js"
};
static const unsigned char resources_js[] = {
#embed "Pages/resources.js"
};
static const unsigned char settings_js[] = {
#embed "Pages/settings.js"
};
static const unsigned char sorting_js[] = {
#embed "Pages/sorting.js"
};
static const unsigned char state_js[] = {
#embed "Pages/state.js"
};
static const unsigned char stream_js[] = {
#embed "Pages/stream.js"
};
static const unsigned char style_css[] = {
#embed "Pages/style.css"
};
static const unsigned char timeline_js[] = {
#embed "Pages/timeline.js"
};
static const unsigned char tunnels_js[] = {
#embed "Pages/tunnels.js"
};
static const unsigned char unregister_js[] = {
#embed "Pages/unregister.js"
};

static const struct dashboard_file files[] = {
    {"api.js", api_js, sizeof api_js},
    {"app.js", app_js, sizeof app_js},
    {"changes.js", changes_js, sizeof changes_js},
    {"chart.js", chart_js, sizeof chart_js},
    {"diff.js", diff_js, sizeof diff_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"format.js", format_js, sizeof format_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"live.js", live_js, sizeof live_js},
    {"log.js", log_js, sizeof log_js},
    {"login.html", login_html, sizeof login_html},
    {"login.js", login_js, sizeof login_js},
    {"mode.js", mode_js, sizeof mode_js},
    {"origins.js", origins_js, sizeof origins_js},
    {"overview.js", overview_js, sizeof overview_js},
    {"panels.js", panels_js, sizeof panels_js},
    {"preview.js", preview_js, sizeof preview_js},
    {"resource.js", resource_js, sizeof resource_js},
    {"resources.js", resources_js, sizeof resources_js},
    {"settings.js", settings_js, sizeof settings_js},
    {"sorting.js", sorting_js, sizeof sorting_js},
    {"state.js", state_js, sizeof state_js},
    {"stream.js", stream_js, sizeof stream_js},
    {"style.css", style_css, sizeof style_css},
    {"timeline.js", timeline_js, sizeof timeline_js},
    {"tunnels.js", tunnels_js, sizeof tunnels_js},
    {"unregister.js", unregister_js, sizeof unregister_js},
};

const struct dashboard_file *dashboard_file_at(size_t number) {
    return number < sizeof files / sizeof files[0] ? &files[number] : NULL;
}

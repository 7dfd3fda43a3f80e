/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Axes, ticks and curves as SVG elements; where the numbers come from is left
 * to callers.
 */
#include "write/chart.h"

#include <math.h>
#include <papi.h>
#include <stdint.h>

#include "write/xml.h"

enum {
	WIDTH = 760,
	HEIGHT = 440,
	LEFT = 72,
	RIGHT = 20,
	TOP = 44,
	BOTTOM = 62,
	LEGEND_ROW = 18,
	LEGEND_COLUMNS = 4,
};

/* Okabe and Ito's colours, which people of all colour vision tell apart. */
static const char *const colours[] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7",
	"#e69f00", "#56b4e9", "#000000", "#8a8a00",
};
#define N_COLOURS (sizeof(colours) / sizeof(colours[0]))

static const char *colour_of(const struct chart *c, size_t i)
{
	unsigned same = c->series[i].colour;

	return colours[(same ? same - 1 : i) % N_COLOURS];
}

/* What is shown of the plane; x as its logarithm where the scale is one. */
struct window {
	double x0, x1, y0, y1;
	double height; /* of the picture, with the legend */
};

static double scaled(const struct chart *c, double x)
{
	return c->x_scale == CHART_LINEAR ? x : log2(x);
}

static double step_for(double range, double wanted)
{
	double power = pow(10, floor(log10(range / wanted)));
	double ratio = range / wanted / power;

	return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

static void stretch(const struct chart *c, struct window *w)
{
	for (size_t s = 0; s < c->n; s++)
		for (size_t i = 0; i < c->series[s].n; i++) {
			const struct chart_series *series = &c->series[s];
			double x = scaled(c, series->x[i]), y = series->y[i];
			double e = series->error ? series->error[i] : 0;

			if (!isfinite(x) || !isfinite(y))
				continue;
			w->x0 = fmin(w->x0, x);
			w->x1 = fmax(w->x1, x);
			w->y0 = fmin(w->y0, y - e);
			w->y1 = fmax(w->y1, y + e);
		}
}

static struct window window_of(const struct chart *c)
{
	struct window w = { INFINITY, -INFINITY, INFINITY, -INFINITY, 0 };
	double step;

	stretch(c, &w);
	if (!(w.x1 > w.x0))
		w = (struct window){ 0, 1, 0, 1, 0 };
	if (c->y_min != 0 || c->y_max != 0) {
		w.y0 = c->y_min;
		w.y1 = c->y_max;
	} else {
		w.y0 = fmin(w.y0, 0);
		if (!(w.y1 > w.y0))
			w.y1 = w.y0 + 1;
		step = step_for(w.y1 - w.y0, 6);
		w.y1 = ceil(w.y1 / step - 1e-9) * step;
		w.y0 = floor(w.y0 / step + 1e-9) * step;
	}
	w.height = HEIGHT + LEGEND_ROW * (double)((c->n + LEGEND_COLUMNS - 1) /
						  LEGEND_COLUMNS);
	return w;
}

static double px(const struct window *w, double x)
{
	return LEFT + (x - w->x0) / (w->x1 - w->x0) * (WIDTH - LEFT - RIGHT);
}

static double py(const struct window *w, double y)
{
	double share = (y - w->y0) / (w->y1 - w->y0);

	return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
}

static void put_text(double x, double y, const char *anchor, const char *text,
		     FILE *to)
{
	fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
		anchor);
	xml_put_text(text, to);
	fputs("</text>\n", to);
}

static void put_rule(double x1, double y1, double x2, double y2,
		     const char *kind, FILE *to)
{
	fprintf(to, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", kind,
		x1, y1, x2, y2);
}

/* 4096 as "4K", 1310720 as "1.25M". */
static void name_bytes(double bytes, char *text, size_t capacity)
{
	static const char units[] = " KMGT";
	size_t unit = 0;

	while (bytes >= 1024 && units[unit + 1]) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, capacity, unit ? "%g%c" : "%g", bytes, units[unit]);
}

static void draw_x_axis(const struct chart *c, const struct window *w, FILE *to)
{
	double range = w->x1 - w->x0;
	double step = c->x_scale == CHART_LINEAR ? step_for(range, 8)
						 : ceil(range / 12);
	char label[32];

	for (double x = ceil(w->x0 / step - 1e-9) * step; x <= w->x1 + 1e-9;
	     x += step) {
		if (c->x_scale == CHART_BYTES)
			name_bytes(exp2(x), label, sizeof(label));
		else
			snprintf(label, sizeof(label), "%g",
				 c->x_scale == CHART_LOG2 ? exp2(x) : x);
		put_rule(px(w, x), TOP, px(w, x), HEIGHT - BOTTOM, "grid", to);
		put_text(px(w, x), HEIGHT - BOTTOM + 18, "middle", label, to);
	}
	put_text((LEFT + WIDTH - RIGHT) / 2., HEIGHT - BOTTOM + 40, "middle",
		 c->x_label, to);
}

static void draw_y_axis(const struct chart *c, const struct window *w, FILE *to)
{
	double step = step_for(w->y1 - w->y0, 6);
	double middle = (TOP + HEIGHT - BOTTOM) / 2.;
	char label[32];

	for (double y = ceil(w->y0 / step - 1e-9) * step;
	     y <= w->y1 + step * 1e-6; y += step) {
		snprintf(label, sizeof(label), "%g",
			 fabs(y) < step * 1e-6 ? 0 : y);
		put_rule(LEFT, py(w, y), WIDTH - RIGHT, py(w, y), "grid", to);
		put_text(LEFT - 8, py(w, y) + 4, "end", label, to);
	}
	fprintf(to,
		"<text transform=\"translate(20 %.1f) rotate(-90)\" "
		"text-anchor=\"middle\">",
		middle);
	xml_put_text(c->y_label, to);
	fputs("</text>\n", to);
}

static void draw_marks(const struct chart *c, const struct window *w, FILE *to)
{
	for (size_t i = 0; i < c->n_marks; i++) {
		double x = px(w, scaled(c, c->marks[i]));

		if (x < LEFT || x > WIDTH - RIGHT)
			continue;
		put_rule(x, TOP, x, HEIGHT - BOTTOM, "mark", to);
		put_text(x, TOP - 6, "middle", c->mark_names[i], to);
	}
}

static bool point_of(const struct chart *c, const struct window *w,
		     const struct chart_series *s, size_t i, double *x,
		     double *y)
{
	*x = px(w, scaled(c, s->x[i]));
	*y = py(w, s->y[i]);
	return isfinite(*x) && isfinite(*y);
}

static void draw_line(const struct chart *c, const struct window *w,
		      const struct chart_series *s, const char *colour,
		      FILE *to)
{
	bool pen_down = false;
	double x, y;

	fprintf(to,
		"<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s "
		"d=\"",
		colour,
		s->line == CHART_DASHED ? " stroke-dasharray=\"6 4\"" : "");
	for (size_t i = 0; i < s->n; i++) {
		bool there = point_of(c, w, s, i, &x, &y);

		if (there)
			fprintf(to, "%c%.1f %.1f", pen_down ? 'L' : 'M', x, y);
		pen_down = there;
	}
	fputs("\"/>\n", to);
}

static void draw_points(const struct chart *c, const struct window *w,
			const struct chart_series *s, const char *colour,
			FILE *to)
{
	double x, y;

	fprintf(to, "<g fill=\"%s\" stroke=\"%s\">\n", colour, colour);
	for (size_t i = 0; i < s->n; i++) {
		if (!point_of(c, w, s, i, &x, &y))
			continue;
		if (s->error && isfinite(s->error[i])) {
			double e = py(w, 0) - py(w, s->error[i]);

			fprintf(to, "<path d=\"M%.1f %.1fV%.1f\"/>\n", x, y - e,
				y + e);
		}
		fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n", x,
			y);
	}
	fputs("</g>\n", to);
}

static void draw_legend(const struct chart *c, FILE *to)
{
	double column = (WIDTH - LEFT - RIGHT) / (double)LEGEND_COLUMNS;

	for (size_t i = 0; i < c->n; i++) {
		double x = LEFT + column * (double)(i % LEGEND_COLUMNS);
		double y = HEIGHT + LEGEND_ROW * (double)(i / LEGEND_COLUMNS);

		fprintf(to,
			"<path stroke=\"%s\" stroke-width=\"3\"%s "
			"d=\"M%.1f %.1fh22\"/>\n",
			colour_of(c, i),
			c->series[i].line == CHART_DASHED
				? " stroke-dasharray=\"6 4\""
				: "",
			x, y - 4);
		put_text(x + 28, y, "start", c->series[i].name, to);
	}
}

int chart_write_svg(const struct chart *c, FILE *to)
{
	struct window w = window_of(c);

	fprintf(to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
		"font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n"
		"<style>.grid{stroke:#ddd;fill:none}"
		".mark{stroke:#888;stroke-dasharray:2 3;fill:none}</style>\n"
		"<title>",
		WIDTH, w.height, WIDTH, w.height);
	xml_put_text(c->title, to);
	fputs("</title>\n<rect width=\"100%\" height=\"100%\" "
	      "fill=\"white\"/>\n"
	      "<g font-size=\"15\" font-weight=\"bold\">",
	      to);
	put_text(WIDTH / 2., 20, "middle", c->title, to);
	fputs("</g>\n", to);
	draw_x_axis(c, &w, to);
	draw_y_axis(c, &w, to);
	draw_marks(c, &w, to);
	put_rule(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "mark",
		 to);
	for (size_t i = 0; i < c->n; i++) {
		const struct chart_series *s = &c->series[i];

		if (s->line != CHART_POINTS)
			draw_line(c, &w, s, colour_of(c, i), to);
		if (s->line != CHART_DASHED)
			draw_points(c, &w, s, colour_of(c, i), to);
	}
	draw_legend(c, to);
	fputs("</svg>\n", to);
	return ferror(to) ? PAPI_ESYS : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rooflines drawn, both axes logarithmic to base 2: intensity to the right,
 * operations per second upward.
 */

#include "perfmodel/roofline.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "write/style.h"

double roofline_at(const struct roofline *r, double intensity)
{
	if (r->n_flops == 0 || r->n_bytes == 0)
		return NAN;
	return fmin(r->flops[0].value, intensity * r->bytes[0].value);
}

/* What is shown of the plane: powers of two, of flop/B and of Gflop/s. */
struct window {
	double x0, x1, y0, y1;
};

static bool has_point(const struct roofline *r)
{
	return r->intensity > 0 && r->rate > 0;
}

static struct window window_of(const struct roofline *r)
{
	double ridge = r->flops[0].value / r->bytes[0].value;
	double low = fmin(ridge, 0.25), high = fmax(ridge, 4);
	double least = r->flops[r->n_flops - 1].value;
	struct window w;

	if (has_point(r)) {
		low = fmin(low, r->intensity);
		high = fmax(high, r->intensity);
		least = fmin(least, r->rate);
	}
	w.x0 = floor(log2(low)) - 2;
	w.x1 = ceil(log2(high)) + 2;
	w.y1 = ceil(log2(r->flops[0].value / 1e9)) + 1;
	w.y0 = floor(log2(fmin(least, exp2(w.x0) * r->bytes[0].value) / 1e9));
	if (has_point(r) && log2(r->rate / 1e9) < w.y0 + 1)
		w.y0--; /* room for what is written below the point */
	return w;
}

/* 0 to 1 across the window, from left and from the bottom. */
static double across(const struct window *w, double intensity)
{
	return (log2(intensity) - w->x0) / (w->x1 - w->x0);
}

static double up(const struct window *w, double rate)
{
	return (log2(rate / 1e9) - w->y0) / (w->y1 - w->y0);
}

#define ROWS    18
#define COLUMNS 96

struct canvas {
	char cells[ROWS][COLUMNS + 1];
	unsigned columns;
	struct window window;
};

static double x_of(const struct canvas *c, unsigned column)
{
	double share = (column + 0.5) / c->columns;

	return exp2(c->window.x0 + share * (c->window.x1 - c->window.x0));
}

static void set(struct canvas *c, unsigned column, double rate, char sign)
{
	double row = (1 - up(&c->window, rate)) * ROWS;

	if (row >= 0 && row < ROWS)
		c->cells[(unsigned)row][column] = sign;
}

static void draw(struct canvas *c, const struct roofline *r)
{
	for (unsigned k = 0; k < c->columns; k++) {
		double x = x_of(c, k);
		double roof = roofline_at(r, x);

		for (size_t i = 1; i < r->n_bytes; i++)
			if (x * r->bytes[i].value < roof)
				set(c, k, x * r->bytes[i].value, '.');
		for (size_t i = 1; i < r->n_flops; i++)
			if (r->flops[i].value < roof)
				set(c, k, r->flops[i].value, '.');
		set(c, k, roof, roof < r->flops[0].value ? '/' : '-');
	}
	if (has_point(r)) {
		double at = across(&c->window, r->intensity) * c->columns;

		if (at >= 0 && at < c->columns)
			set(c, (unsigned)at, r->rate, 'O');
	}
}

void roofline_plot_text(const struct roofline *r,
			const struct report_style *style, FILE *to)
{
	struct canvas c = { .window = window_of(r) };

	c.columns = style->width > COLUMNS + 12 ? COLUMNS : style->width - 12;
	if (style->width < 40)
		c.columns = 28;
	for (size_t i = 0; i < ROWS; i++) {
		memset(c.cells[i], ' ', c.columns);
		c.cells[i][c.columns] = '\0';
	}
	draw(&c, r);
	fputs("  Gflop/s\n", to);
	for (unsigned i = 0; i < ROWS; i++) {
		double share = 1 - (i + 0.5) / ROWS;
		double y =
			exp2(c.window.y0 + share * (c.window.y1 - c.window.y0));

		if (i % 4 == 1)
			fprintf(to, "%9.3g |%s\n", y, c.cells[i]);
		else
			fprintf(to, "%9s |%s\n", "", c.cells[i]);
	}
	fprintf(to, "%9s +", "");
	for (unsigned k = 0; k < c.columns; k++)
		putc('-', to);
	fprintf(to, "\n%11s%-*.4g%.4g flop/B\n", "", (int)c.columns - 12,
		exp2(c.window.x0), exp2(c.window.x1));
	(void)style;
}

/* The picture: 760 x 520, the plane from (80, 30) to (730, 450). */
#define LEFT   80.0
#define RIGHT  730.0
#define TOP    30.0
#define BOTTOM 450.0

static double px(const struct window *w, double intensity)
{
	return LEFT + across(w, intensity) * (RIGHT - LEFT);
}

static double py(const struct window *w, double rate)
{
	return BOTTOM - up(w, rate) * (BOTTOM - TOP);
}

static void put_name(const char *name, FILE *to)
{
	for (; *name; name++)
		putc(*name == '_' || *name == '<' || *name == '&' ? ' ' : *name,
		     to);
}

static void svg_axes(const struct window *w, FILE *to)
{
	fprintf(to,
		"<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" "
		"fill=\"none\" stroke=\"#888\"/>\n",
		LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP);
	for (double x = w->x0; x <= w->x1; x += 2)
		fprintf(to,
			"<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">"
			"%.4g</text>\n",
			px(w, exp2(x)), BOTTOM + 20, exp2(x));
	for (double y = w->y0; y <= w->y1; y += 2)
		fprintf(to,
			"<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%.3g"
			"</text>\n",
			LEFT - 8, py(w, exp2(y) * 1e9) + 4, exp2(y));
	fprintf(to,
		"<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">operational "
		"intensity [flop/B]</text>\n"
		"<text x=\"20\" y=\"%g\" text-anchor=\"middle\" "
		"transform=\"rotate(-90 20 %g)\">Gflop/s</text>\n",
		(LEFT + RIGHT) / 2, BOTTOM + 45, (TOP + BOTTOM) / 2,
		(TOP + BOTTOM) / 2);
}

/* A level ceiling begins where the bandwidth's roof meets it. */
static void svg_flops(const struct roofline *r, const struct window *w,
		      size_t i, FILE *to)
{
	double value = r->flops[i].value;
	double from = fmax(value / r->bytes[0].value, exp2(w->x0));

	fprintf(to,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%g\" y2=\"%.1f\" "
		"stroke=\"#06c\" stroke-width=\"%d\"/>\n<text x=\"%g\" "
		"y=\"%.1f\" text-anchor=\"end\" fill=\"#06c\">",
		px(w, from), py(w, value), RIGHT, py(w, value), i ? 1 : 3,
		RIGHT - 6, py(w, value) - 5);
	put_name(r->flops[i].name, to);
	fprintf(to, " %.3g Gflop/s</text>\n", value / 1e9);
}

/* A slanted one ends where it meets the peak; its name goes along with it. */
static void svg_bytes(const struct roofline *r, const struct window *w,
		      size_t i, FILE *to)
{
	double value = r->bytes[i].value;
	double from = fmax(exp2(w->x0), exp2(w->y0) * 1e9 / value);
	double end = fmin(exp2(w->x1), r->flops[0].value / value);
	double x = px(w, from), y = py(w, from * value);
	double rise = y - py(w, end * value), run = px(w, end) - x;

	if (end <= from)
		return;
	fprintf(to,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
		"stroke=\"#c40\" stroke-width=\"%d\"/>\n<text x=\"%.1f\" "
		"y=\"%.1f\" fill=\"#c40\" transform=\"rotate(%.1f %.1f "
		"%.1f)\">",
		x, y, x + run, y - rise, i ? 1 : 3, x + 16, y - 7,
		-atan2(rise, run) * 180 / 3.14159265358979323846, x, y);
	put_name(r->bytes[i].name, to);
	fprintf(to, " %.3g GB/s</text>\n", value / 1e9);
}

void roofline_plot_svg(const struct roofline *r, FILE *to)
{
	struct window w;

	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" "
	      "height=\"520\" viewBox=\"0 0 760 520\" "
	      "font-family=\"sans-serif\" font-size=\"13\">\n"
	      "<title>Roofline</title>\n"
	      "<rect width=\"760\" height=\"520\" fill=\"white\"/>\n",
	      to);
	if (r->n_flops > 0 && r->n_bytes > 0) {
		w = window_of(r);
		svg_axes(&w, to);
		for (size_t i = 0; i < r->n_flops; i++)
			svg_flops(r, &w, i, to);
		for (size_t i = 0; i < r->n_bytes; i++)
			svg_bytes(r, &w, i, to);
	}
	if (r->n_flops > 0 && r->n_bytes > 0 && has_point(r))
		fprintf(to,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" "
			"fill=\"#080\"/>\n<text x=\"%.1f\" y=\"%.1f\" "
			"fill=\"#080\">%.3g flop/B, %.3g Gflop/s</text>\n",
			px(&w, r->intensity), py(&w, r->rate),
			px(&w, r->intensity) + 10, py(&w, r->rate) + 16,
			r->intensity, r->rate / 1e9);
	fputs("</svg>\n", to);
}

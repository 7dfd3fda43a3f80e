/* SPDX-License-Identifier: BSD-3-Clause */
/* Rooflines: what is attainable, and that the plots show it. */
#include "tests/unit/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfmodel/roofline.h"

/* 40 Gflop/s and 10 GB/s: the ridge is at 4 flop/B. */
static struct roofline example(double intensity, double rate)
{
	return (struct roofline){
		.flops = { { "peak", 40e9 }, { "scalar<&", 5e9 } },
		.n_flops = 2,
		.bytes = { { "stream", 10e9 }, { "latency", 1e9 } },
		.n_bytes = 2,
		.intensity = intensity,
		.rate = rate,
	};
}

TEST(test_the_roof)
{
	struct roofline r = example(1, 1e9);

	assert_true(roofline_at(&r, 0.5) == 5e9);
	assert_true(roofline_at(&r, 4) == 40e9);
	assert_true(roofline_at(&r, 100) == 40e9);
	r.n_bytes = 0;
	assert_true(isnan(roofline_at(&r, 1)));
}

static char *plot(const struct roofline *r, unsigned width)
{
	struct report_style style = { .width = width };
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	if (width)
		roofline_plot_text(r, &style, to);
	else
		roofline_plot_svg(r, to);
	fclose(to);
	return text;
}

TEST(test_text_has_roof_and_point)
{
	static const unsigned widths[] = { 1, 20, 40, 80, 300 };
	struct roofline r = example(1, 1e9);

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		char *text = plot(&r, widths[i]);

		assert_non_null(strchr(text, '/'));
		assert_non_null(strstr(text, "----"));
		assert_non_null(strchr(text, 'O'));
		free(text);
	}
}

TEST(test_points_far_away_and_none_at_all)
{
	static const double places[][2] = {
		{ 1e-9, 1 },        { 1e9, 1e15 },    { 0, 0 },
		{ NAN, NAN },       { 1, 0 },         { NAN, 1e9 },
		{ 1e-300, 1e-300 }, { 1e300, 1e300 },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct roofline r = example(places[i][0], places[i][1]);

		free(plot(&r, 80));
		free(plot(&r, 0));
	}
}

TEST(test_picture_has_every_ceiling)
{
	struct roofline r = example(1, 1e9);
	char *svg = plot(&r, 0);

	assert_non_null(strstr(svg, "peak 40 Gflop/s"));
	assert_non_null(strstr(svg, "stream 10 GB/s"));
	assert_non_null(strstr(svg, "latency 1 GB/s"));
	assert_non_null(strstr(svg, "<circle"));
	assert_null(strstr(svg, "scalar<"));
	assert_null(strstr(svg, "nan"));
	free(svg);
}

RUN_ALL_TESTS

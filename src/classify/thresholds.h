/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every number that a verdict of classify depends on, each with where it comes
 * from. "Draws": chosen on blind draws of codes and decoys of the simulated PMU
 * and kept because later draws, not used for it, came out right
 * (docs/blind-test.md). What only shapes a picture stays where it is drawn.
 */
#pragma once

/* How sure a class is. */

/* Certain: the blind test allows no mistake above it. What some kernel did not
 * put to the test, what is a share of cycles and what holds only within errors
 * stays at or below. Convention: the usual 1 % level. */
#define CLASSIFY_CERTAIN 0.99
/* Likely; below it is a guess, which gives way to what fits better. Draws. */
#define CLASSIFY_LIKELY 0.9
/* What is not more likely than all else together is not said. */
#define CLASSIFY_EVEN 0.5

/* The score (candidates.c), in nats: logarithms of odds. */

/* Odds beyond a million to one are as good as certain: models are not that
 * good. */
#define SCORE_ODDS 13.8
/* A name says more than a relation to other events, and both may be true: it
 * comes first, whatever the odds of either. More than SCORE_ODDS. */
#define SCORE_NAME 20.0
/* An objection outweighs that, so a relation comes before it; among those that
 * have one the order stays. Twice SCORE_NAME. */
#define SCORE_OBJECTION 40.0
/* A log-likelihood ratio that leaves no doubt: 22,000 to one, "decisive" in
 * Jeffreys' scale (Kass and Raftery 1995: from 5). */
#define CLASSIFY_CLEARLY 10.0

/* Slopes: counts an iteration. */

/* Less than one count in a hundred iterations is nothing. Convention. */
#define SLOPE_SEEN 0.01
/* What surely counts in a kernel; between the two it is left open. Draws. */
#define SLOPE_PLAIN 0.05
/* Slopes of the same event in two runs may differ by so much. Draws with the
 * model's counters, where sets of events are separate runs. */
#define SLOPE_SAME 1e-3
/* Slopes of exact kernels are the same to so many digits: rounding of fits. */
#define SLOPE_DIGITS 1e-6
/* The same where two expectations or scales are computed, not measured. */
#define SLOPE_ROUNDING 1e-9
/* A sum of other events may be off by so much and is still exact. Draws. */
#define SLOPE_EXACT 0.01
/* Errors beyond which one event is more than another. Statistics: 1 in 10^6 if
 * errors are normal. */
#define SLOPE_ERRORS 5.0
/* Errors within which a kernel does not contradict. Statistics: 1 in 400. */
#define SLOPE_CONTRADICTS 3.0

/* Noise. */

/* Counts that vary by more about their lines are noise. Convention: the usual
 * 5 %. */
#define NOISE_MOST 0.05
/* Points so far off their lines by what makes repeats differ: hardly ever. The
 * same level as POSTERIOR_REFUSED. */
#define NOISE_CURVED 1e-4
/* Fewer counts than this may differ by a start or an end: one of 50 is
 * NOISE_SLIGHT. */
#define NOISE_FEW 50
/* Repeats that differ by less are taken for the same. Draws. */
#define NOISE_SLIGHT 0.02

/* Limits of counters. */

/* A line that has passed the largest count by so much was cut off there: more
 * than any curve of a predictor that learns is off its line. Convention. */
#define LIMIT_BEYOND 1.25
/* So few counts may be missing because the first ones cost something. */
#define LIMIT_FEW 8
/* Lengths of kernels that have to show it: one may end where another does by
 * chance. */
#define LIMIT_BENCHES 3

/* Scope: counts an iteration that another thread's work must add, and the share
 * by which two kernels with the same work of their own may differ. The other
 * does each thing 64 times: an eighth of that, and the paper's 1 %. */
#define SCOPE_MORE  8.0
#define SCOPE_SHARE 0.01

/* What kernels say nothing of. */

/* A concept that speaks of so much of what an event counts is enough. Draws. */
#define SPEAKS_MOSTLY 0.6
/* Half: the least for an alternative and for a near miss. Draws. */
#define SPEAKS_HALF 0.5
/* Next to nothing. Draws. */
#define SPEAKS_LITTLE 0.1
/* An alternative may keep silent where the best one speaks in so many kernels
 * before it has to fit by itself. Draws. */
#define SPEAKS_SAVE 3
/* Below this an alternative is no alternative any more. */
#define ALTERNATIVE_LEAST 1e-6
/* Odds that a concept no kernel contradicts is meant instead: with one kernel
 * that says nothing of it, less with each more (a rate), and if no kernel says
 * anything of it at all. Draws. */
#define RIVAL_ODDS 0.05
#define RIVAL_RATE 0.3
#define RIVAL_DARK 0.02
/* Kernels that whole numbers are worth: 1 in 32 that a factor is one by
 * chance to a thousandth, and simple. */
#define WHOLE_KERNELS 5

/* Relations. */

/* In how many kernels one event is a multiple of another by more than chance:
 * 1 in 256 if each were a toss. */
#define MULTIPLE_KERNELS 8
/* Multiples beyond this, and beyond the bytes of a line, are chance, or the
 * cost of something in cycles. A GPU counts bytes of 32 threads at once, 16
 * each. */
#define MULTIPLE_MOST     64.0
#define MULTIPLE_MOST_GPU 512.0
/* A multiple of another event is at least this: whole, and not 1. */
#define MULTIPLE_LEAST 1.5

/* Near misses: a concept, counted a little more or less often. */

/* Factors beyond these are no near misses but multiples or parts. Convention:
 * half and twice. */
#define NEAR_LEAST 0.5
#define NEAR_MOST  2.0
/* One in every so many of another event: the least part that is looked for. */
#define NEAR_EVENT_LEAST 0.05
/* Kernels in which something must be there to tell it by, if it holds in all.
 */
#define NEAR_KERNELS 2
/* A first guess of a factor, by one kernel, may be so much farther off. */
#define NEAR_GUESS 20.0
/* A factor that is the same in all kernels, to so much, is no accident. */
#define NEAR_STEADY SLOPE_SAME
/* Counts of a kernel that cutting to whole numbers may move its slope by. */
#define NEAR_CUT 4.0
/* The same of two events: each may be moved by one at either end of a line. */
#define NEAR_ENDS 2.0
/* Digits of a factor beyond this are rounding of counts and of lines. */
#define NEAR_DIGITS 1e-5
/* What cannot be told from 1: slopes of two runs differ by half of it. */
#define NEAR_SAME (2 * SLOPE_SAME)
/* A factor that is known worse than this says nothing: the paper's 1 %. */
#define NEAR_ERROR 0.01

/* Shares of cycles. */

/* Fewer cycles an iteration are too few to tell shares of them. Draws. */
#define SHARE_CYCLES 1.5
/* How far a share may be off what is said of it. Draws. */
#define SHARE_OFF 0.02
/* Few cycles, or none, are spent on it. */
#define SHARE_SPARED 0.5
/* A class that is as good as this, beside the best, is one of several. */
#define SHARE_AS_GOOD 0.02

/* Curves over footprints. */

/* Points this near to the size of a cache, as a factor, are between levels.
 * Convention. */
#define STEP_MARGIN 1.1
/* A jump is more than this, in counts an iteration. Twice SLOPE_SEEN. */
#define STEP_JUMP 0.02

/* Presets. */

/* Of the kernels in which a formula counts so many must speak of what it is to
 * count. Draws: SPEAKS_LITTLE. */
#define PRESET_SPEAKS SPEAKS_LITTLE
/* A concept is out of reach if all events together leave more of it. */
#define PRESET_REACH 1e-3

/* What is shown; these decide nothing. Convention, all of them. */

/* A curve is drawn if a point of it is above this. */
#define SHOWN_CURVE 0.005
/* Slopes are drawn from this on, and from the steepest divided by that. */
#define SHOWN_STEEP 0.01
#define SHOWN_FLAT  50
/* r2 is told where it is less. */
#define SHOWN_FIT 0.999

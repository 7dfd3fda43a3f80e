/* SPDX-License-Identifier: BSD-3-Clause */
/* What marks a symbol as part of the public interface. */
#ifndef ASSAY_API_H
#define ASSAY_API_H

#define ASSAY_API __attribute__((visibility("default")))

#endif /* ASSAY_API_H */

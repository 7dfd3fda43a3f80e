/* SPDX-License-Identifier: BSD-3-Clause */
/* clang-format off */
/*
 * Every preset, once; the numbers, names and texts are made from it. A row is
 * the name without "PAPI_", the short text (up to 63 bytes), the long one, and
 * the groups it is in (PAPI_PRESET_BIT_*).
 *
 * The order is PAPI's and part of its ABI: a row's position is its event code,
 * which programs store. Rows are never moved or removed.
 */
#pragma once

#define PRESETS(X) \
	X(L1_DCM, "L1 data cache misses", \
	  "Misses in the level 1 cache by data loads and stores", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L1_ICM, "L1 instruction cache misses", \
	  "Misses in the level 1 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_DCM, "L2 data cache misses", \
	  "Misses in the level 2 cache by data loads and stores", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L2_ICM, "L2 instruction cache misses", \
	  "Misses in the level 2 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_DCM, "L3 data cache misses", \
	  "Misses in the level 3 cache by data loads and stores", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L3_ICM, "L3 instruction cache misses", \
	  "Misses in the level 3 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_TCM, "L1 cache misses, data and instructions", \
	  "Misses in the level 1 cache by data accesses and instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_TCM, "L2 cache misses, data and instructions", \
	  "Misses in the level 2 cache by data accesses and instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_TCM, "L3 cache misses, data and instructions", \
	  "Misses in the level 3 cache by data accesses and instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(CA_SNP, "Snoops", \
	  "Requests by other caches to look up a line in this one", \
	  PAPI_PRESET_BIT_CACH) \
	X(CA_SHR, "Exclusive requests for shared lines", \
	  "Requests to own a line that other caches hold as shared", \
	  PAPI_PRESET_BIT_CACH) \
	X(CA_CLN, "Exclusive requests for clean lines", \
	  "Requests to own a line that is unchanged in another cache", \
	  PAPI_PRESET_BIT_CACH) \
	X(CA_INV, "Invalidations", \
	  "Requests to invalidate a line because another cache will write it", \
	  PAPI_PRESET_BIT_CACH) \
	X(CA_ITV, "Interventions", \
	  "Requests to a cache to supply a line that it has modified", \
	  PAPI_PRESET_BIT_CACH) \
	X(L3_LDM, "L3 load misses", \
	  "Loads that missed in the level 3 cache", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3 | PAPI_PRESET_BIT_MEM) \
	X(L3_STM, "L3 store misses", \
	  "Stores that missed in the level 3 cache", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3 | PAPI_PRESET_BIT_MEM) \
	X(BRU_IDL, "Branch units idle", \
	  "Cycles in which no branch unit had work", \
	  PAPI_PRESET_BIT_IDL | PAPI_PRESET_BIT_BR) \
	X(FXU_IDL, "Integer units idle", \
	  "Cycles in which no integer unit had work", \
	  PAPI_PRESET_BIT_IDL) \
	X(FPU_IDL, "Floating-point units idle", \
	  "Cycles in which no floating-point unit had work", \
	  PAPI_PRESET_BIT_IDL | PAPI_PRESET_BIT_FP) \
	X(LSU_IDL, "Load/store units idle", \
	  "Cycles in which no load/store unit had work", \
	  PAPI_PRESET_BIT_IDL | PAPI_PRESET_BIT_MEM) \
	X(TLB_DM, "Data TLB misses", \
	  "Data addresses whose translation was not in the TLB", \
	  PAPI_PRESET_BIT_TLB) \
	X(TLB_IM, "Instruction TLB misses", \
	  "Instruction addresses whose translation was not in the TLB", \
	  PAPI_PRESET_BIT_TLB) \
	X(TLB_TL, "TLB misses, data and instructions", \
	  "Addresses whose translation was not in the TLB, for data and for instructions", \
	  PAPI_PRESET_BIT_TLB) \
	X(L1_LDM, "L1 load misses", \
	  "Loads that missed in the level 1 cache", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1 | PAPI_PRESET_BIT_MEM) \
	X(L1_STM, "L1 store misses", \
	  "Stores that missed in the level 1 cache", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1 | PAPI_PRESET_BIT_MEM) \
	X(L2_LDM, "L2 load misses", \
	  "Loads that missed in the level 2 cache", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2 | PAPI_PRESET_BIT_MEM) \
	X(L2_STM, "L2 store misses", \
	  "Stores that missed in the level 2 cache", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2 | PAPI_PRESET_BIT_MEM) \
	X(BTAC_M, "Branch target cache misses", \
	  "Branches whose target was not in the branch target cache", \
	  PAPI_PRESET_BIT_BR) \
	X(PRF_DM, "Prefetch misses", \
	  "Data prefetches that missed in the cache", \
	  PAPI_PRESET_BIT_CACH) \
	X(L3_DCH, "L3 data cache hits", \
	  "Hits in the level 3 cache by data loads and stores", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(TLB_SD, "TLB shootdowns", \
	  "Translations invalidated because another processor changed the page table", \
	  PAPI_PRESET_BIT_TLB) \
	X(CSR_FAL, "Failed store conditionals", \
	  "Store-conditional instructions that lost their reservation", \
	  PAPI_PRESET_BIT_CND | PAPI_PRESET_BIT_MEM) \
	X(CSR_SUC, "Successful store conditionals", \
	  "Store-conditional instructions that stored", \
	  PAPI_PRESET_BIT_CND | PAPI_PRESET_BIT_MEM) \
	X(CSR_TOT, "Store conditionals", \
	  "Store-conditional instructions, whether they stored or not", \
	  PAPI_PRESET_BIT_CND | PAPI_PRESET_BIT_MEM) \
	X(MEM_SCY, "Cycles waiting for memory", \
	  "Cycles stalled while waiting for memory", \
	  PAPI_PRESET_BIT_IDL | PAPI_PRESET_BIT_MEM) \
	X(MEM_RCY, "Cycles waiting for memory reads", \
	  "Cycles stalled while waiting for a memory read", \
	  PAPI_PRESET_BIT_IDL | PAPI_PRESET_BIT_MEM) \
	X(MEM_WCY, "Cycles waiting for memory writes", \
	  "Cycles stalled because memory writes could not be accepted", \
	  PAPI_PRESET_BIT_IDL | PAPI_PRESET_BIT_MEM) \
	X(STL_ICY, "Cycles without issue", \
	  "Cycles in which no instruction was issued", \
	  PAPI_PRESET_BIT_IDL) \
	X(FUL_ICY, "Cycles with maximum issue", \
	  "Cycles in which the maximum number of instructions was issued", \
	  PAPI_PRESET_BIT_INS) \
	X(STL_CCY, "Cycles without completion", \
	  "Cycles in which no instruction completed", \
	  PAPI_PRESET_BIT_IDL) \
	X(FUL_CCY, "Cycles with maximum completion", \
	  "Cycles in which the maximum number of instructions completed", \
	  PAPI_PRESET_BIT_INS) \
	X(HW_INT, "Hardware interrupts", \
	  "Device interrupts taken by the processor", \
	  PAPI_PRESET_BIT_MSC) \
	X(BR_UCN, "Unconditional branches", \
	  "Unconditional branches that completed, including calls and returns", \
	  PAPI_PRESET_BIT_BR) \
	X(BR_CN, "Conditional branches", \
	  "Conditional branches that completed", \
	  PAPI_PRESET_BIT_BR | PAPI_PRESET_BIT_CND) \
	X(BR_TKN, "Conditional branches taken", \
	  "Conditional branches that completed and were taken", \
	  PAPI_PRESET_BIT_BR | PAPI_PRESET_BIT_CND) \
	X(BR_NTK, "Conditional branches not taken", \
	  "Conditional branches that completed and were not taken", \
	  PAPI_PRESET_BIT_BR | PAPI_PRESET_BIT_CND) \
	X(BR_MSP, "Conditional branches mispredicted", \
	  "Conditional branches that completed and were mispredicted", \
	  PAPI_PRESET_BIT_BR | PAPI_PRESET_BIT_CND) \
	X(BR_PRC, "Conditional branches predicted", \
	  "Conditional branches that completed and were predicted correctly", \
	  PAPI_PRESET_BIT_BR | PAPI_PRESET_BIT_CND) \
	X(FMA_INS, "FMA instructions", \
	  "Fused multiply-add instructions that completed", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_FP) \
	X(TOT_IIS, "Instructions issued", \
	  "Instructions issued, including those that never complete", \
	  PAPI_PRESET_BIT_INS) \
	X(TOT_INS, "Instructions completed", \
	  "Instructions that completed", \
	  PAPI_PRESET_BIT_INS) \
	X(INT_INS, "Integer instructions", \
	  "Integer instructions that completed", \
	  PAPI_PRESET_BIT_INS) \
	X(FP_INS, "Floating-point instructions", \
	  "Floating-point instructions that completed; a vector instruction is one", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_FP) \
	X(LD_INS, "Load instructions", \
	  "Instructions that completed and read memory", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_MEM) \
	X(SR_INS, "Store instructions", \
	  "Instructions that completed and wrote memory", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_MEM) \
	X(BR_INS, "Branch instructions", \
	  "Branches of every kind that completed", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_BR) \
	X(VEC_INS, "Vector instructions", \
	  "Vector (SIMD) instructions that completed", \
	  PAPI_PRESET_BIT_INS) \
	X(RES_STL, "Cycles stalled for a resource", \
	  "Cycles in which nothing could be issued because a buffer or queue was full", \
	  PAPI_PRESET_BIT_IDL) \
	X(FP_STAL, "Cycles the FP units stalled", \
	  "Cycles in which a floating-point unit was stalled", \
	  PAPI_PRESET_BIT_IDL | PAPI_PRESET_BIT_FP) \
	X(TOT_CYC, "Cycles", \
	  "Cycles of the processor's clock, at whatever frequency", \
	  PAPI_PRESET_BIT_MSC) \
	X(LST_INS, "Load and store instructions", \
	  "Instructions that completed and read or wrote memory", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_MEM) \
	X(SYC_INS, "Synchronisation instructions", \
	  "Instructions that completed and order or lock memory accesses", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_MEM) \
	X(L1_DCH, "L1 data cache hits", \
	  "Hits in the level 1 cache by data loads and stores", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_DCH, "L2 data cache hits", \
	  "Hits in the level 2 cache by data loads and stores", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L1_DCA, "L1 data cache accesses", \
	  "Accesses to the level 1 cache by data loads and stores", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_DCA, "L2 data cache accesses", \
	  "Accesses to the level 2 cache by data loads and stores", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_DCA, "L3 data cache accesses", \
	  "Accesses to the level 3 cache by data loads and stores", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_DCR, "L1 data cache reads", \
	  "Reads from the level 1 cache for data", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_DCR, "L2 data cache reads", \
	  "Reads from the level 2 cache for data", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_DCR, "L3 data cache reads", \
	  "Reads from the level 3 cache for data", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_DCW, "L1 data cache writes", \
	  "Writes to the level 1 cache for data", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_DCW, "L2 data cache writes", \
	  "Writes to the level 2 cache for data", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_DCW, "L3 data cache writes", \
	  "Writes to the level 3 cache for data", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_ICH, "L1 instruction cache hits", \
	  "Hits in the level 1 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_ICH, "L2 instruction cache hits", \
	  "Hits in the level 2 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_ICH, "L3 instruction cache hits", \
	  "Hits in the level 3 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_ICA, "L1 instruction cache accesses", \
	  "Accesses to the level 1 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_ICA, "L2 instruction cache accesses", \
	  "Accesses to the level 2 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_ICA, "L3 instruction cache accesses", \
	  "Accesses to the level 3 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_ICR, "L1 instruction cache reads", \
	  "Reads from the level 1 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_ICR, "L2 instruction cache reads", \
	  "Reads from the level 2 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_ICR, "L3 instruction cache reads", \
	  "Reads from the level 3 cache by instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_ICW, "L1 instruction cache writes", \
	  "Writes to the level 1 cache for instructions", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_ICW, "L2 instruction cache writes", \
	  "Writes to the level 2 cache for instructions", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_ICW, "L3 instruction cache writes", \
	  "Writes to the level 3 cache for instructions", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_TCH, "L1 cache hits, data and instructions", \
	  "Hits in the level 1 cache by data accesses and instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_TCH, "L2 cache hits, data and instructions", \
	  "Hits in the level 2 cache by data accesses and instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_TCH, "L3 cache hits, data and instructions", \
	  "Hits in the level 3 cache by data accesses and instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_TCA, "L1 cache accesses, data and instructions", \
	  "Accesses to the level 1 cache by data accesses and instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_TCA, "L2 cache accesses, data and instructions", \
	  "Accesses to the level 2 cache by data accesses and instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_TCA, "L3 cache accesses, data and instructions", \
	  "Accesses to the level 3 cache by data accesses and instruction fetches", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_TCR, "L1 cache reads, data and instructions", \
	  "Reads from the level 1 cache for data and instructions", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_TCR, "L2 cache reads, data and instructions", \
	  "Reads from the level 2 cache for data and instructions", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_TCR, "L3 cache reads, data and instructions", \
	  "Reads from the level 3 cache for data and instructions", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(L1_TCW, "L1 cache writes, data and instructions", \
	  "Writes to the level 1 cache for data and instructions", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L1) \
	X(L2_TCW, "L2 cache writes, data and instructions", \
	  "Writes to the level 2 cache for data and instructions", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2) \
	X(L3_TCW, "L3 cache writes, data and instructions", \
	  "Writes to the level 3 cache for data and instructions", \
	  PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L3) \
	X(FML_INS, "FP multiply instructions", \
	  "Floating-point multiplications that completed", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_FP) \
	X(FAD_INS, "FP add instructions", \
	  "Floating-point additions and subtractions that completed", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_FP) \
	X(FDV_INS, "FP divide instructions", \
	  "Floating-point divisions that completed", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_FP) \
	X(FSQ_INS, "FP square root instructions", \
	  "Floating-point square roots that completed", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_FP) \
	X(FNV_INS, "FP inverse instructions", \
	  "Floating-point reciprocals that completed", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_FP) \
	X(FP_OPS, "Floating-point operations", \
	  "Floating-point operations done; each element of a vector is one", \
	  PAPI_PRESET_BIT_FP) \
	X(SP_OPS, "Single-precision operations", \
	  "Floating-point operations in single precision; each element of a vector is one", \
	  PAPI_PRESET_BIT_FP) \
	X(DP_OPS, "Double-precision operations", \
	  "Floating-point operations in double precision; each element of a vector is one", \
	  PAPI_PRESET_BIT_FP) \
	X(VEC_SP, "Single-precision vector instructions", \
	  "Vector instructions in single precision that completed", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_FP) \
	X(VEC_DP, "Double-precision vector instructions", \
	  "Vector instructions in double precision that completed", \
	  PAPI_PRESET_BIT_INS | PAPI_PRESET_BIT_FP) \
	X(REF_CYC, "Reference cycles", \
	  "Cycles of a clock with a constant rate, independent of the frequency", \
	  PAPI_PRESET_BIT_MSC)

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI's preset events: names that mean the same on every machine, each a
 * native event or a formula over several of them.
 *
 * A preset's code is its index with the top bit set. Not every machine can
 * count every one: PAPI_query_event() tells. Indices are those of PAPI 7.0.
 */
#ifndef PAPI_STD_EVENT_DEFS_H
#define PAPI_STD_EVENT_DEFS_H

/* The two top bits of a code: 10 a preset, 01 a native, 11 a user's event. */
#define PAPI_PRESET_MASK ((int)0x80000000)
#define PAPI_NATIVE_MASK ((int)0x40000000)
#define PAPI_UE_MASK     ((int)0xC0000000)
/* What clears them. */
#define PAPI_PRESET_AND_MASK 0x7FFFFFFF
#define PAPI_NATIVE_AND_MASK 0xBFFFFFFF
#define PAPI_UE_AND_MASK     0x3FFFFFFF

/* Room that PAPI has; assay itself does not limit user events. */
#define PAPI_MAX_PRESET_EVENTS   128
#define PAPI_MAX_USER_EVENTS     50
#define USER_EVENT_OPERATION_LEN 512

enum {
	PAPI_L1_DCM_idx = 0, /* data cache misses, level 1 */
	PAPI_L1_ICM_idx,     /* instruction cache misses, level 1 */
	PAPI_L2_DCM_idx,     /* data cache misses, level 2 */
	PAPI_L2_ICM_idx,     /* instruction cache misses, level 2 */
	PAPI_L3_DCM_idx,     /* data cache misses, level 3 */
	PAPI_L3_ICM_idx,     /* instruction cache misses, level 3 */
	PAPI_L1_TCM_idx,     /* all cache misses, level 1 */
	PAPI_L2_TCM_idx,     /* all cache misses, level 2 */
	PAPI_L3_TCM_idx,     /* all cache misses, level 3 */
	PAPI_CA_SNP_idx,     /* snoops asked for */
	PAPI_CA_SHR_idx,     /* a shared line wanted for writing */
	PAPI_CA_CLN_idx,     /* a clean line wanted for writing */
	PAPI_CA_INV_idx,     /* invalidations asked for */
	PAPI_CA_ITV_idx,     /* interventions asked for */
	PAPI_L3_LDM_idx,     /* loads that missed level 3 */
	PAPI_L3_STM_idx,     /* stores that missed level 3 */
	PAPI_BRU_IDL_idx,    /* cycles in which no branch unit worked */
	PAPI_FXU_IDL_idx,    /* cycles in which no integer unit worked */
	PAPI_FPU_IDL_idx,    /* cycles in which no floating-point unit worked */
	PAPI_LSU_IDL_idx,    /* cycles in which no load/store unit worked */
	PAPI_TLB_DM_idx,     /* data TLB misses */
	PAPI_TLB_IM_idx,     /* instruction TLB misses */
	PAPI_TLB_TL_idx,     /* all TLB misses */
	PAPI_L1_LDM_idx,     /* loads that missed level 1 */
	PAPI_L1_STM_idx,     /* stores that missed level 1 */
	PAPI_L2_LDM_idx,     /* loads that missed level 2 */
	PAPI_L2_STM_idx,     /* stores that missed level 2 */
	PAPI_BTAC_M_idx,     /* branch target cache misses */
	PAPI_PRF_DM_idx,     /* prefetches that missed the data cache */
	PAPI_L3_DCH_idx,     /* data cache hits, level 3 */
	PAPI_TLB_SD_idx,     /* TLB shootdowns */
	PAPI_CSR_FAL_idx,    /* store-conditionals that failed */
	PAPI_CSR_SUC_idx,    /* store-conditionals that succeeded */
	PAPI_CSR_TOT_idx,    /* all store-conditionals */
	PAPI_MEM_SCY_idx,    /* cycles stalled on any memory access */
	PAPI_MEM_RCY_idx,    /* cycles stalled on reads */
	PAPI_MEM_WCY_idx,    /* cycles stalled on writes */
	PAPI_STL_ICY_idx,    /* cycles that issued nothing */
	PAPI_FUL_ICY_idx,    /* cycles that issued as much as can be */
	PAPI_STL_CCY_idx,    /* cycles that completed nothing */
	PAPI_FUL_CCY_idx,    /* cycles that completed as much as can be */
	PAPI_HW_INT_idx,     /* hardware interrupts */
	PAPI_BR_UCN_idx,     /* unconditional branches */
	PAPI_BR_CN_idx,      /* conditional branches */
	PAPI_BR_TKN_idx,     /* conditional branches taken */
	PAPI_BR_NTK_idx,     /* conditional branches not taken */
	PAPI_BR_MSP_idx,     /* conditional branches mispredicted */
	PAPI_BR_PRC_idx,     /* conditional branches predicted right */
	PAPI_FMA_INS_idx,    /* fused multiply-add instructions */
	PAPI_TOT_IIS_idx,    /* instructions issued */
	PAPI_TOT_INS_idx,    /* instructions completed */
	PAPI_INT_INS_idx,    /* integer instructions */
	PAPI_FP_INS_idx,     /* floating-point instructions */
	PAPI_LD_INS_idx,     /* load instructions */
	PAPI_SR_INS_idx,     /* store instructions */
	PAPI_BR_INS_idx,     /* branch instructions */
	PAPI_VEC_INS_idx,    /* vector instructions */
	PAPI_RES_STL_idx,    /* cycles stalled on any resource */
	PAPI_FP_STAL_idx,    /* cycles stalled in a floating-point unit */
	PAPI_TOT_CYC_idx,    /* cycles */
	PAPI_LST_INS_idx,    /* load and store instructions */
	PAPI_SYC_INS_idx,    /* synchronisation instructions */
	PAPI_L1_DCH_idx,     /* data cache hits, level 1 */
	PAPI_L2_DCH_idx,     /* data cache hits, level 2 */
	PAPI_L1_DCA_idx,     /* data cache accesses, level 1 */
	PAPI_L2_DCA_idx,     /* data cache accesses, level 2 */
	PAPI_L3_DCA_idx,     /* data cache accesses, level 3 */
	PAPI_L1_DCR_idx,     /* data cache reads, level 1 */
	PAPI_L2_DCR_idx,     /* data cache reads, level 2 */
	PAPI_L3_DCR_idx,     /* data cache reads, level 3 */
	PAPI_L1_DCW_idx,     /* data cache writes, level 1 */
	PAPI_L2_DCW_idx,     /* data cache writes, level 2 */
	PAPI_L3_DCW_idx,     /* data cache writes, level 3 */
	PAPI_L1_ICH_idx,     /* instruction cache hits, level 1 */
	PAPI_L2_ICH_idx,     /* instruction cache hits, level 2 */
	PAPI_L3_ICH_idx,     /* instruction cache hits, level 3 */
	PAPI_L1_ICA_idx,     /* instruction cache accesses, level 1 */
	PAPI_L2_ICA_idx,     /* instruction cache accesses, level 2 */
	PAPI_L3_ICA_idx,     /* instruction cache accesses, level 3 */
	PAPI_L1_ICR_idx,     /* instruction cache reads, level 1 */
	PAPI_L2_ICR_idx,     /* instruction cache reads, level 2 */
	PAPI_L3_ICR_idx,     /* instruction cache reads, level 3 */
	PAPI_L1_ICW_idx,     /* instruction cache writes, level 1 */
	PAPI_L2_ICW_idx,     /* instruction cache writes, level 2 */
	PAPI_L3_ICW_idx,     /* instruction cache writes, level 3 */
	PAPI_L1_TCH_idx,     /* all cache hits, level 1 */
	PAPI_L2_TCH_idx,     /* all cache hits, level 2 */
	PAPI_L3_TCH_idx,     /* all cache hits, level 3 */
	PAPI_L1_TCA_idx,     /* all cache accesses, level 1 */
	PAPI_L2_TCA_idx,     /* all cache accesses, level 2 */
	PAPI_L3_TCA_idx,     /* all cache accesses, level 3 */
	PAPI_L1_TCR_idx,     /* all cache reads, level 1 */
	PAPI_L2_TCR_idx,     /* all cache reads, level 2 */
	PAPI_L3_TCR_idx,     /* all cache reads, level 3 */
	PAPI_L1_TCW_idx,     /* all cache writes, level 1 */
	PAPI_L2_TCW_idx,     /* all cache writes, level 2 */
	PAPI_L3_TCW_idx,     /* all cache writes, level 3 */
	PAPI_FML_INS_idx,    /* floating-point multiplications */
	PAPI_FAD_INS_idx,    /* floating-point additions */
	PAPI_FDV_INS_idx,    /* floating-point divisions */
	PAPI_FSQ_INS_idx,    /* floating-point square roots */
	PAPI_FNV_INS_idx,    /* floating-point inversions */
	PAPI_FP_OPS_idx,     /* floating-point operations */
	PAPI_SP_OPS_idx,  /* single-precision operations, vectors by their width
			   */
	PAPI_DP_OPS_idx,  /* double-precision operations, vectors by their width
			   */
	PAPI_VEC_SP_idx,  /* single-precision vector instructions */
	PAPI_VEC_DP_idx,  /* double-precision vector instructions */
	PAPI_REF_CYC_idx, /* cycles of the reference clock */
	PAPI_END_idx      /* how many there are */
};

#define PAPI_L1_DCM  (PAPI_L1_DCM_idx | PAPI_PRESET_MASK)
#define PAPI_L1_ICM  (PAPI_L1_ICM_idx | PAPI_PRESET_MASK)
#define PAPI_L2_DCM  (PAPI_L2_DCM_idx | PAPI_PRESET_MASK)
#define PAPI_L2_ICM  (PAPI_L2_ICM_idx | PAPI_PRESET_MASK)
#define PAPI_L3_DCM  (PAPI_L3_DCM_idx | PAPI_PRESET_MASK)
#define PAPI_L3_ICM  (PAPI_L3_ICM_idx | PAPI_PRESET_MASK)
#define PAPI_L1_TCM  (PAPI_L1_TCM_idx | PAPI_PRESET_MASK)
#define PAPI_L2_TCM  (PAPI_L2_TCM_idx | PAPI_PRESET_MASK)
#define PAPI_L3_TCM  (PAPI_L3_TCM_idx | PAPI_PRESET_MASK)
#define PAPI_CA_SNP  (PAPI_CA_SNP_idx | PAPI_PRESET_MASK)
#define PAPI_CA_SHR  (PAPI_CA_SHR_idx | PAPI_PRESET_MASK)
#define PAPI_CA_CLN  (PAPI_CA_CLN_idx | PAPI_PRESET_MASK)
#define PAPI_CA_INV  (PAPI_CA_INV_idx | PAPI_PRESET_MASK)
#define PAPI_CA_ITV  (PAPI_CA_ITV_idx | PAPI_PRESET_MASK)
#define PAPI_L3_LDM  (PAPI_L3_LDM_idx | PAPI_PRESET_MASK)
#define PAPI_L3_STM  (PAPI_L3_STM_idx | PAPI_PRESET_MASK)
#define PAPI_BRU_IDL (PAPI_BRU_IDL_idx | PAPI_PRESET_MASK)
#define PAPI_FXU_IDL (PAPI_FXU_IDL_idx | PAPI_PRESET_MASK)
#define PAPI_FPU_IDL (PAPI_FPU_IDL_idx | PAPI_PRESET_MASK)
#define PAPI_LSU_IDL (PAPI_LSU_IDL_idx | PAPI_PRESET_MASK)
#define PAPI_TLB_DM  (PAPI_TLB_DM_idx | PAPI_PRESET_MASK)
#define PAPI_TLB_IM  (PAPI_TLB_IM_idx | PAPI_PRESET_MASK)
#define PAPI_TLB_TL  (PAPI_TLB_TL_idx | PAPI_PRESET_MASK)
#define PAPI_L1_LDM  (PAPI_L1_LDM_idx | PAPI_PRESET_MASK)
#define PAPI_L1_STM  (PAPI_L1_STM_idx | PAPI_PRESET_MASK)
#define PAPI_L2_LDM  (PAPI_L2_LDM_idx | PAPI_PRESET_MASK)
#define PAPI_L2_STM  (PAPI_L2_STM_idx | PAPI_PRESET_MASK)
#define PAPI_BTAC_M  (PAPI_BTAC_M_idx | PAPI_PRESET_MASK)
#define PAPI_PRF_DM  (PAPI_PRF_DM_idx | PAPI_PRESET_MASK)
#define PAPI_L3_DCH  (PAPI_L3_DCH_idx | PAPI_PRESET_MASK)
#define PAPI_TLB_SD  (PAPI_TLB_SD_idx | PAPI_PRESET_MASK)
#define PAPI_CSR_FAL (PAPI_CSR_FAL_idx | PAPI_PRESET_MASK)
#define PAPI_CSR_SUC (PAPI_CSR_SUC_idx | PAPI_PRESET_MASK)
#define PAPI_CSR_TOT (PAPI_CSR_TOT_idx | PAPI_PRESET_MASK)
#define PAPI_MEM_SCY (PAPI_MEM_SCY_idx | PAPI_PRESET_MASK)
#define PAPI_MEM_RCY (PAPI_MEM_RCY_idx | PAPI_PRESET_MASK)
#define PAPI_MEM_WCY (PAPI_MEM_WCY_idx | PAPI_PRESET_MASK)
#define PAPI_STL_ICY (PAPI_STL_ICY_idx | PAPI_PRESET_MASK)
#define PAPI_FUL_ICY (PAPI_FUL_ICY_idx | PAPI_PRESET_MASK)
#define PAPI_STL_CCY (PAPI_STL_CCY_idx | PAPI_PRESET_MASK)
#define PAPI_FUL_CCY (PAPI_FUL_CCY_idx | PAPI_PRESET_MASK)
#define PAPI_HW_INT  (PAPI_HW_INT_idx | PAPI_PRESET_MASK)
#define PAPI_BR_UCN  (PAPI_BR_UCN_idx | PAPI_PRESET_MASK)
#define PAPI_BR_CN   (PAPI_BR_CN_idx | PAPI_PRESET_MASK)
#define PAPI_BR_TKN  (PAPI_BR_TKN_idx | PAPI_PRESET_MASK)
#define PAPI_BR_NTK  (PAPI_BR_NTK_idx | PAPI_PRESET_MASK)
#define PAPI_BR_MSP  (PAPI_BR_MSP_idx | PAPI_PRESET_MASK)
#define PAPI_BR_PRC  (PAPI_BR_PRC_idx | PAPI_PRESET_MASK)
#define PAPI_FMA_INS (PAPI_FMA_INS_idx | PAPI_PRESET_MASK)
#define PAPI_TOT_IIS (PAPI_TOT_IIS_idx | PAPI_PRESET_MASK)
#define PAPI_TOT_INS (PAPI_TOT_INS_idx | PAPI_PRESET_MASK)
#define PAPI_INT_INS (PAPI_INT_INS_idx | PAPI_PRESET_MASK)
#define PAPI_FP_INS  (PAPI_FP_INS_idx | PAPI_PRESET_MASK)
#define PAPI_LD_INS  (PAPI_LD_INS_idx | PAPI_PRESET_MASK)
#define PAPI_SR_INS  (PAPI_SR_INS_idx | PAPI_PRESET_MASK)
#define PAPI_BR_INS  (PAPI_BR_INS_idx | PAPI_PRESET_MASK)
#define PAPI_VEC_INS (PAPI_VEC_INS_idx | PAPI_PRESET_MASK)
#define PAPI_RES_STL (PAPI_RES_STL_idx | PAPI_PRESET_MASK)
#define PAPI_FP_STAL (PAPI_FP_STAL_idx | PAPI_PRESET_MASK)
#define PAPI_TOT_CYC (PAPI_TOT_CYC_idx | PAPI_PRESET_MASK)
#define PAPI_LST_INS (PAPI_LST_INS_idx | PAPI_PRESET_MASK)
#define PAPI_SYC_INS (PAPI_SYC_INS_idx | PAPI_PRESET_MASK)
#define PAPI_L1_DCH  (PAPI_L1_DCH_idx | PAPI_PRESET_MASK)
#define PAPI_L2_DCH  (PAPI_L2_DCH_idx | PAPI_PRESET_MASK)
#define PAPI_L1_DCA  (PAPI_L1_DCA_idx | PAPI_PRESET_MASK)
#define PAPI_L2_DCA  (PAPI_L2_DCA_idx | PAPI_PRESET_MASK)
#define PAPI_L3_DCA  (PAPI_L3_DCA_idx | PAPI_PRESET_MASK)
#define PAPI_L1_DCR  (PAPI_L1_DCR_idx | PAPI_PRESET_MASK)
#define PAPI_L2_DCR  (PAPI_L2_DCR_idx | PAPI_PRESET_MASK)
#define PAPI_L3_DCR  (PAPI_L3_DCR_idx | PAPI_PRESET_MASK)
#define PAPI_L1_DCW  (PAPI_L1_DCW_idx | PAPI_PRESET_MASK)
#define PAPI_L2_DCW  (PAPI_L2_DCW_idx | PAPI_PRESET_MASK)
#define PAPI_L3_DCW  (PAPI_L3_DCW_idx | PAPI_PRESET_MASK)
#define PAPI_L1_ICH  (PAPI_L1_ICH_idx | PAPI_PRESET_MASK)
#define PAPI_L2_ICH  (PAPI_L2_ICH_idx | PAPI_PRESET_MASK)
#define PAPI_L3_ICH  (PAPI_L3_ICH_idx | PAPI_PRESET_MASK)
#define PAPI_L1_ICA  (PAPI_L1_ICA_idx | PAPI_PRESET_MASK)
#define PAPI_L2_ICA  (PAPI_L2_ICA_idx | PAPI_PRESET_MASK)
#define PAPI_L3_ICA  (PAPI_L3_ICA_idx | PAPI_PRESET_MASK)
#define PAPI_L1_ICR  (PAPI_L1_ICR_idx | PAPI_PRESET_MASK)
#define PAPI_L2_ICR  (PAPI_L2_ICR_idx | PAPI_PRESET_MASK)
#define PAPI_L3_ICR  (PAPI_L3_ICR_idx | PAPI_PRESET_MASK)
#define PAPI_L1_ICW  (PAPI_L1_ICW_idx | PAPI_PRESET_MASK)
#define PAPI_L2_ICW  (PAPI_L2_ICW_idx | PAPI_PRESET_MASK)
#define PAPI_L3_ICW  (PAPI_L3_ICW_idx | PAPI_PRESET_MASK)
#define PAPI_L1_TCH  (PAPI_L1_TCH_idx | PAPI_PRESET_MASK)
#define PAPI_L2_TCH  (PAPI_L2_TCH_idx | PAPI_PRESET_MASK)
#define PAPI_L3_TCH  (PAPI_L3_TCH_idx | PAPI_PRESET_MASK)
#define PAPI_L1_TCA  (PAPI_L1_TCA_idx | PAPI_PRESET_MASK)
#define PAPI_L2_TCA  (PAPI_L2_TCA_idx | PAPI_PRESET_MASK)
#define PAPI_L3_TCA  (PAPI_L3_TCA_idx | PAPI_PRESET_MASK)
#define PAPI_L1_TCR  (PAPI_L1_TCR_idx | PAPI_PRESET_MASK)
#define PAPI_L2_TCR  (PAPI_L2_TCR_idx | PAPI_PRESET_MASK)
#define PAPI_L3_TCR  (PAPI_L3_TCR_idx | PAPI_PRESET_MASK)
#define PAPI_L1_TCW  (PAPI_L1_TCW_idx | PAPI_PRESET_MASK)
#define PAPI_L2_TCW  (PAPI_L2_TCW_idx | PAPI_PRESET_MASK)
#define PAPI_L3_TCW  (PAPI_L3_TCW_idx | PAPI_PRESET_MASK)
#define PAPI_FML_INS (PAPI_FML_INS_idx | PAPI_PRESET_MASK)
#define PAPI_FAD_INS (PAPI_FAD_INS_idx | PAPI_PRESET_MASK)
#define PAPI_FDV_INS (PAPI_FDV_INS_idx | PAPI_PRESET_MASK)
#define PAPI_FSQ_INS (PAPI_FSQ_INS_idx | PAPI_PRESET_MASK)
#define PAPI_FNV_INS (PAPI_FNV_INS_idx | PAPI_PRESET_MASK)
#define PAPI_FP_OPS  (PAPI_FP_OPS_idx | PAPI_PRESET_MASK)
#define PAPI_SP_OPS  (PAPI_SP_OPS_idx | PAPI_PRESET_MASK)
#define PAPI_DP_OPS  (PAPI_DP_OPS_idx | PAPI_PRESET_MASK)
#define PAPI_VEC_SP  (PAPI_VEC_SP_idx | PAPI_PRESET_MASK)
#define PAPI_VEC_DP  (PAPI_VEC_DP_idx | PAPI_PRESET_MASK)
#define PAPI_REF_CYC (PAPI_REF_CYC_idx | PAPI_PRESET_MASK)
#define PAPI_END     (PAPI_END_idx | PAPI_PRESET_MASK)

#endif /* PAPI_STD_EVENT_DEFS_H */

	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx906"
	.protected	axpy                    ; -- Begin function axpy
	.globl	axpy
	.p2align	8
	.type	axpy,@function
axpy:                                   ; @axpy
; %bb.0:
	s_load_dword s2, s[4:5], 0x4
	s_load_dword s3, s[4:5], 0xc
	s_load_dwordx2 s[0:1], s[6:7], 0x10
	s_waitcnt lgkmcnt(0)
	s_and_b32 s2, s2, 0xffff
	s_mul_i32 s4, s8, s2
	s_sub_i32 s3, s3, s4
	s_min_u32 s2, s3, s2
	s_mul_i32 s2, s2, s8
	v_add_u32_e32 v0, s2, v0
	v_cmp_gt_i32_e32 vcc, s1, v0
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB0_2
; %bb.1:
	s_load_dwordx4 s[4:7], s[6:7], 0x0
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s7
	v_add_co_u32_e32 v2, vcc, s6, v0
	v_addc_co_u32_e32 v3, vcc, v3, v1, vcc
	global_load_dword v2, v[2:3], off
	v_mov_b32_e32 v3, s5
	v_add_co_u32_e32 v0, vcc, s4, v0
	v_addc_co_u32_e32 v1, vcc, v3, v1, vcc
	global_load_dword v3, v[0:1], off
	s_waitcnt vmcnt(0)
	v_fmac_f32_e32 v3, s0, v2
	global_store_dword v[0:1], v3, off
.LBB0_2:
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6
	.amdhsa_kernel axpy
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 8
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 9
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	axpy, .Lfunc_end0-axpy
                                        ; -- End function
	.section	.AMDGPU.csdata
; Kernel info:
; codeLenInByte = 152
; NumSgprs: 11
; NumVgprs: 4
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 0
; NumSGPRsForWavesPerEU: 11
; NumVGPRsForWavesPerEU: 4
; Occupancy: 10
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 8
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	staged                  ; -- Begin function staged
	.globl	staged
	.p2align	8
	.type	staged,@function
staged:                                 ; @staged
; %bb.0:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dword s7, s[4:5], 0x24
	s_load_dword s6, s[4:5], 0x28
	v_lshlrev_b32_e32 v2, 4, v1
	v_add_lshl_u32 v2, v2, v0, 2
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v2, s[2:3]
	s_movk_i32 s2, 0x44
	v_lshlrev_b32_e32 v3, 2, v0
	v_lshlrev_b32_e32 v4, 2, v1
	v_mad_u32_u24 v3, v1, s2, v3
	v_mad_u32_u24 v4, v0, s2, v4
	s_bfe_i64 s[2:3], s[6:7], 0x100000
	s_lshl_b64 s[2:3], s[2:3], 2
	s_add_u32 s2, s4, s2
	s_addc_u32 s3, s5, s3
	s_sext_i32_i8 s6, s7
	s_load_dword s2, s[2:3], 0x10
	v_lshlrev_b32_e32 v0, 4, v0
	v_add_lshl_u32 v0, v0, v1, 2
	s_waitcnt vmcnt(0)
	ds_write_b32 v3, v2
	s_waitcnt lgkmcnt(0)
	s_barrier 
	s_waitcnt lgkmcnt(0)
	ds_read_b32 v2, v4
	v_cvt_f32_i32_e32 v3, s6
	s_waitcnt lgkmcnt(0)
	v_fmac_f32_e32 v3, s2, v2
	global_store_dword v0, v3, s[0:1]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6
	.amdhsa_kernel staged
		.amdhsa_group_segment_fixed_size 1088
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 44
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 8
		.amdhsa_reserve_vcc 0
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end1:
	.size	staged, .Lfunc_end1-staged
                                        ; -- End function
	.section	.AMDGPU.csdata
; Kernel info:
; codeLenInByte = 188
; NumSgprs: 8
; NumVgprs: 5
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 1088 bytes/workgroup (compile time only)
; SGPRBlocks: 0
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 8
; NumVGPRsForWavesPerEU: 5
; Occupancy: 10
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 1
	.text
	.protected	spilled                 ; -- Begin function spilled
	.globl	spilled
	.p2align	8
	.type	spilled,@function
spilled:                                ; @spilled
; %bb.0:
	s_mov_b64 s[90:91], s[2:3]
	s_mov_b64 s[88:89], s[0:1]
	s_load_dword s6, s[4:5], 0x10
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_add_u32 s88, s88, s7
	s_addc_u32 s89, s89, 0
	s_waitcnt lgkmcnt(0)
	s_ashr_i32 s7, s6, 31
	s_lshl_b64 s[4:5], s[6:7], 2
	s_add_u32 s8, s0, s4
	s_addc_u32 s9, s1, s5
	s_add_u32 s12, s8, s4
	s_addc_u32 s13, s9, s5
	s_add_u32 s16, s12, s4
	s_addc_u32 s17, s13, s5
	s_add_u32 s18, s16, s4
	s_addc_u32 s19, s17, s5
	s_add_u32 s22, s18, s4
	s_addc_u32 s23, s19, s5
	s_add_u32 s26, s22, s4
	s_addc_u32 s27, s23, s5
	s_load_dword s24, s[8:9], 0x0
	s_load_dword s11, s[12:13], 0x0
	s_load_dword s15, s[16:17], 0x0
	s_load_dword s21, s[18:19], 0x0
	s_load_dword s10, s[22:23], 0x0
	s_load_dword s14, s[26:27], 0x0
	s_add_u32 s8, s26, s4
	s_addc_u32 s9, s27, s5
	s_load_dword s20, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s29, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s12, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s19, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s28, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s13, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s18, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s27, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s37, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s16, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s26, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s36, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s17, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s25, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s35, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s45, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s23, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s34, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s44, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s22, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s33, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s43, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s53, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s31, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s42, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s52, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s30, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s41, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s51, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s61, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s40, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s50, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s60, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s38, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s49, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s59, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s39, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s47, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s58, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s68, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s46, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_load_dword s57, s[8:9], 0x0
	s_add_u32 s8, s8, s4
	s_addc_u32 s9, s9, s5
	s_add_u32 s54, s8, s4
	s_addc_u32 s55, s9, s5
	s_load_dword s67, s[8:9], 0x0
	s_add_u32 s8, s54, s4
	s_addc_u32 s9, s55, s5
	s_load_dword s48, s[54:55], 0x0
	s_add_u32 s54, s8, s4
	s_addc_u32 s55, s9, s5
	s_load_dword s56, s[8:9], 0x0
	s_add_u32 s8, s54, s4
	s_addc_u32 s9, s55, s5
	s_load_dword s66, s[54:55], 0x0
	s_add_u32 s54, s8, s4
	s_addc_u32 s55, s9, s5
	s_load_dword s75, s[8:9], 0x0
	s_add_u32 s8, s54, s4
	s_addc_u32 s9, s55, s5
	s_add_u32 s62, s8, s4
	s_addc_u32 s63, s9, s5
	s_load_dword s65, s[8:9], 0x0
	s_add_u32 s8, s62, s4
	s_addc_u32 s9, s63, s5
	s_load_dword s74, s[62:63], 0x0
	s_add_u32 s62, s8, s4
	s_addc_u32 s63, s9, s5
	s_load_dword s54, s[54:55], 0x0
	s_nop 0
	s_load_dword s55, s[8:9], 0x0
	s_add_u32 s8, s62, s4
	s_addc_u32 s9, s63, s5
	s_load_dword s64, s[62:63], 0x0
	s_add_u32 s62, s8, s4
	s_addc_u32 s63, s9, s5
	s_load_dword s73, s[8:9], 0x0
	s_add_u32 s8, s62, s4
	s_addc_u32 s9, s63, s5
	s_add_u32 s70, s8, s4
	s_addc_u32 s71, s9, s5
	s_load_dword s80, s[62:63], 0x0
	s_load_dword s72, s[70:71], 0x0
	s_nop 0
	s_load_dword s63, s[8:9], 0x0
	s_add_u32 s8, s70, s4
	s_addc_u32 s9, s71, s5
	s_add_u32 s70, s8, s4
	s_addc_u32 s71, s9, s5
	s_load_dword s78, s[8:9], 0x0
	s_add_u32 s8, s70, s4
	s_addc_u32 s9, s71, s5
	s_add_u32 s76, s8, s4
	s_addc_u32 s77, s9, s5
	s_load_dword s62, s[70:71], 0x0
	s_nop 0
	s_load_dword s71, s[8:9], 0x0
	s_add_u32 s8, s76, s4
	s_addc_u32 s9, s77, s5
	s_add_u32 s84, s8, s4
	s_addc_u32 s85, s9, s5
	s_load_dword s82, s[8:9], 0x0
	s_add_u32 s8, s84, s4
	s_addc_u32 s9, s85, s5
	s_load_dword s70, s[84:85], 0x0
	s_add_u32 s84, s8, s4
	s_addc_u32 s85, s9, s5
	s_load_dword s77, s[76:77], 0x0
	s_nop 0
	s_load_dword s76, s[8:9], 0x0
	s_add_u32 s8, s84, s4
	s_addc_u32 s9, s85, s5
	s_load_dword s81, s[84:85], 0x0
	s_load_dword s79, s[0:1], 0x0
	s_load_dword s69, s[8:9], 0x0
	v_cmp_lt_i64_e64 s[84:85], s[6:7], 1
	s_waitcnt lgkmcnt(0)
	s_and_b64 vcc, exec, s[84:85]
	s_barrier 
	s_waitcnt lgkmcnt(0)
	s_cbranch_vccnz .LBB2_4
; %bb.1:
	v_mov_b32_e32 v0, s82
	buffer_store_dword v0, off, s[88:91], 0 offset:4 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s45
	buffer_store_dword v0, off, s[88:91], 0 offset:28 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s80
	buffer_store_dword v0, off, s[88:91], 0 offset:16 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s37
	buffer_store_dword v0, off, s[88:91], 0 offset:32 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s75
	buffer_store_dword v0, off, s[88:91], 0 offset:36 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s29
	buffer_store_dword v0, off, s[88:91], 0 offset:20 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s24
	v_cvt_f32_f64_e32 v8, s[2:3]
	buffer_store_dword v0, off, s[88:91], 0 offset:8 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s81
	buffer_store_dword v0, off, s[88:91], 0 offset:12 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s78
	buffer_store_dword v0, off, s[88:91], 0 offset:24 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s21
	v_mov_b32_e32 v9, s61
	v_mov_b32_e32 v10, s53
	v_mov_b32_e32 v16, s68
	v_mov_b32_e32 v11, s60
	v_mov_b32_e32 v12, s52
	v_mov_b32_e32 v18, s44
	v_mov_b32_e32 v26, s36
	v_mov_b32_e32 v30, s74
	v_mov_b32_e32 v47, s28
	v_mov_b32_e32 v24, s67
	buffer_store_dword v0, off, s[88:91], 0 offset:40 ; 4-byte Folded Spill
	v_mov_b32_e32 v15, s59
	v_mov_b32_e32 v13, s51
	v_mov_b32_e32 v19, s43
	v_mov_b32_e32 v60, s77
	v_mov_b32_e32 v29, s35
	v_mov_b32_e32 v51, s73
	v_mov_b32_e32 v37, s27
	v_mov_b32_e32 v32, s66
	v_mov_b32_e32 v61, s20
	v_mov_b32_e32 v28, s58
	v_mov_b32_e32 v2, s79
	v_mov_b32_e32 v14, s50
	v_mov_b32_e32 v20, s42
	v_mov_b32_e32 v6, s76
	v_mov_b32_e32 v31, s34
	v_mov_b32_e32 v1, s72
	v_mov_b32_e32 v41, s26
	v_mov_b32_e32 v42, s65
	v_mov_b32_e32 v0, s19
	v_mov_b32_e32 v36, s57
	v_mov_b32_e32 v63, s15
	v_mov_b32_e32 v27, s49
	v_mov_b32_e32 v21, s41
	v_mov_b32_e32 v34, s33
	v_mov_b32_e32 v5, s71
	v_mov_b32_e32 v43, s25
	v_mov_b32_e32 v52, s64
	v_mov_b32_e32 v55, s18
	v_mov_b32_e32 v44, s56
	v_mov_b32_e32 v54, s14
	v_mov_b32_e32 v40, s47
	v_mov_b32_e32 v25, s40
	v_mov_b32_e32 v35, s31
	v_mov_b32_e32 v45, s70
	v_mov_b32_e32 v46, s23
	v_mov_b32_e32 v4, s63
	v_mov_b32_e32 v57, s16
	v_mov_b32_e32 v56, s54
	v_mov_b32_e32 v3, s12
	v_mov_b32_e32 v48, s46
	v_mov_b32_e32 v17, s11
	v_mov_b32_e32 v38, s38
	v_mov_b32_e32 v33, s30
	v_mov_b32_e32 v23, s69
	v_mov_b32_e32 v49, s22
	v_mov_b32_e32 v39, s62
	v_mov_b32_e32 v59, s17
	v_mov_b32_e32 v62, s55
	v_mov_b32_e32 v7, s13
	v_mov_b32_e32 v58, s48
	v_mov_b32_e32 v53, s10
	v_mov_b32_e32 v50, s39
	s_mov_b32 s2, s6
.LBB2_2:                                ; =>This Inner Loop Header: Depth=1
	buffer_load_dword v22, off, s[88:91], 0 offset:8 ; 4-byte Folded Reload
	s_add_i32 s2, s2, -1
	s_cmp_lg_u32 s2, 0
	s_waitcnt vmcnt(0)
	v_fma_f32 v2, v2, v22, v8
	v_fma_f32 v22, v22, v17, v8
	buffer_store_dword v22, off, s[88:91], 0 offset:8 ; 4-byte Folded Spill
	buffer_load_dword v22, off, s[88:91], 0 offset:40 ; 4-byte Folded Reload
	v_fma_f32 v17, v17, v63, v8
	s_waitcnt vmcnt(0)
	v_fma_f32 v63, v63, v22, v8
	v_fma_f32 v22, v22, v53, v8
	buffer_store_dword v22, off, s[88:91], 0 offset:40 ; 4-byte Folded Spill
	buffer_load_dword v22, off, s[88:91], 0 offset:20 ; 4-byte Folded Reload
	v_fma_f32 v53, v53, v54, v8
	v_fma_f32 v54, v54, v61, v8
	s_waitcnt vmcnt(0)
	v_fma_f32 v61, v61, v22, v8
	v_fma_f32 v22, v22, v3, v8
	buffer_store_dword v22, off, s[88:91], 0 offset:20 ; 4-byte Folded Spill
	buffer_load_dword v22, off, s[88:91], 0 offset:32 ; 4-byte Folded Reload
	v_fma_f32 v3, v3, v0, v8
	v_fma_f32 v0, v0, v47, v8
	v_fma_f32 v47, v47, v7, v8
	v_fma_f32 v7, v7, v55, v8
	v_fma_f32 v55, v55, v37, v8
	s_waitcnt vmcnt(0)
	v_fma_f32 v37, v37, v22, v8
	v_fma_f32 v22, v22, v57, v8
	buffer_store_dword v22, off, s[88:91], 0 offset:32 ; 4-byte Folded Spill
	buffer_load_dword v22, off, s[88:91], 0 offset:28 ; 4-byte Folded Reload
	v_fma_f32 v57, v57, v41, v8
	v_fma_f32 v41, v41, v26, v8
	v_fma_f32 v26, v26, v59, v8
	v_fma_f32 v59, v59, v43, v8
	v_fma_f32 v43, v43, v29, v8
	s_waitcnt vmcnt(0)
	v_fma_f32 v29, v29, v22, v8
	v_fma_f32 v22, v22, v46, v8
	buffer_store_dword v22, off, s[88:91], 0 offset:28 ; 4-byte Folded Spill
	buffer_load_dword v22, off, s[88:91], 0 offset:36 ; 4-byte Folded Reload
	v_fma_f32 v46, v46, v31, v8
	v_fma_f32 v31, v31, v18, v8
	v_fma_f32 v18, v18, v49, v8
	v_fma_f32 v49, v49, v34, v8
	v_fma_f32 v34, v34, v19, v8
	v_fma_f32 v19, v19, v10, v8
	v_fma_f32 v10, v10, v35, v8
	v_fma_f32 v35, v35, v20, v8
	v_fma_f32 v20, v20, v12, v8
	v_fma_f32 v12, v12, v33, v8
	v_fma_f32 v33, v33, v21, v8
	v_fma_f32 v21, v21, v13, v8
	v_fma_f32 v13, v13, v9, v8
	v_fma_f32 v9, v9, v25, v8
	v_fma_f32 v25, v25, v14, v8
	v_fma_f32 v14, v14, v11, v8
	v_fma_f32 v11, v11, v38, v8
	v_fma_f32 v38, v38, v27, v8
	v_fma_f32 v27, v27, v15, v8
	v_fma_f32 v15, v15, v50, v8
	v_fma_f32 v50, v50, v40, v8
	v_fma_f32 v40, v40, v28, v8
	v_fma_f32 v28, v28, v16, v8
	v_fma_f32 v16, v16, v48, v8
	v_fma_f32 v48, v48, v36, v8
	v_fma_f32 v36, v36, v24, v8
	v_fma_f32 v24, v24, v58, v8
	v_fma_f32 v58, v58, v44, v8
	v_fma_f32 v44, v44, v32, v8
	s_waitcnt vmcnt(0)
	v_fma_f32 v32, v32, v22, v8
	v_fma_f32 v22, v22, v56, v8
	buffer_store_dword v22, off, s[88:91], 0 offset:36 ; 4-byte Folded Spill
	buffer_load_dword v22, off, s[88:91], 0 offset:16 ; 4-byte Folded Reload
	v_fma_f32 v56, v56, v42, v8
	v_fma_f32 v42, v42, v30, v8
	v_fma_f32 v30, v30, v62, v8
	v_fma_f32 v62, v62, v52, v8
	v_fma_f32 v52, v52, v51, v8
	s_waitcnt vmcnt(0)
	v_fma_f32 v51, v51, v22, v8
	v_fma_f32 v22, v22, v4, v8
	buffer_store_dword v22, off, s[88:91], 0 offset:16 ; 4-byte Folded Spill
	buffer_load_dword v22, off, s[88:91], 0 offset:24 ; 4-byte Folded Reload
	v_fma_f32 v4, v4, v1, v8
	s_waitcnt vmcnt(0)
	v_fma_f32 v1, v1, v22, v8
	v_fma_f32 v22, v22, v39, v8
	buffer_store_dword v22, off, s[88:91], 0 offset:24 ; 4-byte Folded Spill
	buffer_load_dword v22, off, s[88:91], 0 offset:4 ; 4-byte Folded Reload
	v_fma_f32 v39, v39, v5, v8
	v_fma_f32 v5, v5, v60, v8
	s_waitcnt vmcnt(0)
	v_fma_f32 v60, v60, v22, v8
	v_fma_f32 v22, v22, v45, v8
	buffer_store_dword v22, off, s[88:91], 0 offset:4 ; 4-byte Folded Spill
	buffer_load_dword v22, off, s[88:91], 0 offset:12 ; 4-byte Folded Reload
	v_fma_f32 v45, v45, v6, v8
	s_waitcnt vmcnt(0)
	v_fma_f32 v6, v6, v22, v8
	v_fma_f32 v22, v22, v23, v8
	v_fma_f32 v23, v23, v2, v8
	buffer_store_dword v22, off, s[88:91], 0 offset:12 ; 4-byte Folded Spill
	s_cbranch_scc1 .LBB2_2
; %bb.3:
	buffer_store_dword v33, off, s[88:91], 0 offset:76 ; 4-byte Folded Spill
	buffer_store_dword v31, off, s[88:91], 0 offset:80 ; 4-byte Folded Spill
	buffer_store_dword v25, off, s[88:91], 0 offset:72 ; 4-byte Folded Spill
	buffer_store_dword v21, off, s[88:91], 0 offset:68 ; 4-byte Folded Spill
	buffer_store_dword v14, off, s[88:91], 0 offset:64 ; 4-byte Folded Spill
	buffer_store_dword v13, off, s[88:91], 0 offset:60 ; 4-byte Folded Spill
	buffer_store_dword v12, off, s[88:91], 0 offset:56 ; 4-byte Folded Spill
	buffer_store_dword v11, off, s[88:91], 0 offset:52 ; 4-byte Folded Spill
	buffer_store_dword v10, off, s[88:91], 0 offset:48 ; 4-byte Folded Spill
	buffer_store_dword v9, off, s[88:91], 0 offset:44 ; 4-byte Folded Spill
	buffer_store_dword v15, off, s[88:91], 0 offset:84 ; 4-byte Folded Spill
	buffer_load_dword v11, off, s[88:91], 0 offset:28 ; 4-byte Folded Reload
	s_nop 0
	buffer_store_dword v19, off, s[88:91], 0 offset:88 ; 4-byte Folded Spill
	buffer_store_dword v20, off, s[88:91], 0 offset:92 ; 4-byte Folded Spill
	buffer_load_dword v10, off, s[88:91], 0 offset:36 ; 4-byte Folded Reload
	buffer_load_dword v12, off, s[88:91], 0 offset:32 ; 4-byte Folded Reload
	v_mov_b32_e32 v13, v37
	buffer_load_dword v8, off, s[88:91], 0 offset:16 ; 4-byte Folded Reload
	v_mov_b32_e32 v20, v43
	buffer_load_dword v43, off, s[88:91], 0 offset:20 ; 4-byte Folded Reload
	v_mov_b32_e32 v14, v52
	buffer_load_dword v52, off, s[88:91], 0 offset:24 ; 4-byte Folded Reload
	buffer_load_dword v37, off, s[88:91], 0 offset:4 ; 4-byte Folded Reload
	buffer_load_dword v22, off, s[88:91], 0 offset:40 ; 4-byte Folded Reload
	v_mov_b32_e32 v15, v32
	buffer_load_dword v31, off, s[88:91], 0 offset:8 ; 4-byte Folded Reload
	buffer_load_dword v32, off, s[88:91], 0 offset:12 ; 4-byte Folded Reload
	v_mov_b32_e32 v25, v28
	v_mov_b32_e32 v9, v29
	v_mov_b32_e32 v19, v42
	v_mov_b32_e32 v28, v0
	v_mov_b32_e32 v29, v1
	v_mov_b32_e32 v33, v4
	v_mov_b32_e32 v1, v5
	v_mov_b32_e32 v42, v7
	v_mov_b32_e32 v4, v2
	v_mov_b32_e32 v2, v3
	v_mov_b32_e32 v0, v63
	v_mov_b32_e32 v5, v45
	s_branch .LBB2_5
.LBB2_4:
	v_mov_b32_e32 v0, s61
	buffer_store_dword v0, off, s[88:91], 0 offset:44 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s53
	buffer_store_dword v0, off, s[88:91], 0 offset:48 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s60
	buffer_store_dword v0, off, s[88:91], 0 offset:52 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s52
	buffer_store_dword v0, off, s[88:91], 0 offset:56 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s59
	buffer_store_dword v0, off, s[88:91], 0 offset:84 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s51
	buffer_store_dword v0, off, s[88:91], 0 offset:60 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s43
	buffer_store_dword v0, off, s[88:91], 0 offset:88 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s50
	buffer_store_dword v0, off, s[88:91], 0 offset:64 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s42
	buffer_store_dword v0, off, s[88:91], 0 offset:92 ; 4-byte Folded Spill
	v_mov_b32_e32 v0, s34
	v_mov_b32_e32 v1, s41
	v_mov_b32_e32 v2, s40
	v_mov_b32_e32 v3, s30
	v_mov_b32_e32 v37, s82
	v_mov_b32_e32 v11, s45
	v_mov_b32_e32 v8, s80
	v_mov_b32_e32 v12, s37
	v_mov_b32_e32 v10, s75
	v_mov_b32_e32 v43, s29
	v_mov_b32_e32 v16, s68
	v_mov_b32_e32 v31, s24
	v_mov_b32_e32 v32, s81
	v_mov_b32_e32 v18, s44
	v_mov_b32_e32 v52, s78
	v_mov_b32_e32 v26, s36
	v_mov_b32_e32 v30, s74
	v_mov_b32_e32 v47, s28
	v_mov_b32_e32 v24, s67
	v_mov_b32_e32 v22, s21
	v_mov_b32_e32 v60, s77
	v_mov_b32_e32 v9, s35
	v_mov_b32_e32 v51, s73
	v_mov_b32_e32 v13, s27
	v_mov_b32_e32 v15, s66
	v_mov_b32_e32 v61, s20
	v_mov_b32_e32 v25, s58
	v_mov_b32_e32 v4, s79
	v_mov_b32_e32 v6, s76
	buffer_store_dword v0, off, s[88:91], 0 offset:80 ; 4-byte Folded Spill
	v_mov_b32_e32 v29, s72
	v_mov_b32_e32 v41, s26
	v_mov_b32_e32 v19, s65
	v_mov_b32_e32 v28, s19
	v_mov_b32_e32 v36, s57
	v_mov_b32_e32 v0, s15
	v_mov_b32_e32 v27, s49
	buffer_store_dword v1, off, s[88:91], 0 offset:68 ; 4-byte Folded Spill
	v_mov_b32_e32 v34, s33
	v_mov_b32_e32 v1, s71
	v_mov_b32_e32 v20, s25
	v_mov_b32_e32 v14, s64
	v_mov_b32_e32 v55, s18
	v_mov_b32_e32 v44, s56
	v_mov_b32_e32 v54, s14
	v_mov_b32_e32 v40, s47
	buffer_store_dword v2, off, s[88:91], 0 offset:72 ; 4-byte Folded Spill
	v_mov_b32_e32 v35, s31
	v_mov_b32_e32 v5, s70
	v_mov_b32_e32 v46, s23
	v_mov_b32_e32 v33, s63
	v_mov_b32_e32 v57, s16
	v_mov_b32_e32 v56, s54
	v_mov_b32_e32 v2, s12
	v_mov_b32_e32 v48, s46
	v_mov_b32_e32 v17, s11
	v_mov_b32_e32 v38, s38
	buffer_store_dword v3, off, s[88:91], 0 offset:76 ; 4-byte Folded Spill
	v_mov_b32_e32 v23, s69
	v_mov_b32_e32 v49, s22
	v_mov_b32_e32 v39, s62
	v_mov_b32_e32 v59, s17
	v_mov_b32_e32 v62, s55
	v_mov_b32_e32 v42, s13
	v_mov_b32_e32 v58, s48
	v_mov_b32_e32 v53, s10
	v_mov_b32_e32 v50, s39
.LBB2_5:
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v45, v31, v32
	v_mul_f32_e32 v31, v47, v8
	buffer_load_dword v8, off, s[88:91], 0 offset:80 ; 4-byte Folded Reload
	v_mul_f32_e32 v7, v4, v23
	v_mul_f32_e32 v4, v22, v37
	v_mov_b32_e32 v63, 0
	global_store_dword v63, v7, s[0:1] offset:4
	s_mul_i32 s0, s6, 0xfffffee8
	s_mul_hi_i32 s1, s6, 0xfffffee8
	s_add_u32 s0, s8, s0
	s_addc_u32 s1, s9, s1
	global_store_dword v63, v45, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v6, v17, v6
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v6, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v0, v0, v5
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v0, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v4, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v5, v53, v60
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v5, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v1, v54, v1
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v1, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v3, v61, v39
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v3, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v43, v43, v52
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v43, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v2, v2, v29
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v2, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v37, v28, v33
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v37, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v31, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v39, v42, v51
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v39, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v42, v55, v14
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v42, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v29, v13, v62
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v29, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v14, v12, v30
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v14, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v21, v57, v19
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v21, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v32, v41, v56
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v32, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v13, v26, v10
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v13, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v19, v59, v15
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v19, s[0:1] offset:4
	s_waitcnt vmcnt(20)
	v_mul_f32_e32 v22, v8, v48
	buffer_load_dword v8, off, s[88:91], 0 offset:88 ; 4-byte Folded Reload
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v26, v20, v44
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v26, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v20, v9, v58
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v20, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v15, v11, v24
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v15, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v28, v46, v36
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v28, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v22, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v9, v18, v16
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v9, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v18, v49, v25
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v18, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	v_mul_f32_e32 v24, v34, v40
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v24, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	v_mul_f32_e32 v17, v35, v27
	s_waitcnt vmcnt(8)
	v_mul_f32_e32 v10, v8, v50
	global_store_dword v63, v10, s[0:1] offset:4
	buffer_load_dword v30, off, s[88:91], 0 offset:48 ; 4-byte Folded Reload
	buffer_load_dword v8, off, s[88:91], 0 offset:84 ; 4-byte Folded Reload
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v30, v30, v8
	buffer_load_dword v8, off, s[88:91], 0 offset:92 ; 4-byte Folded Reload
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v11, v8, v38
	global_store_dword v63, v30, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v17, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v11, s[0:1] offset:4
	buffer_load_dword v25, off, s[88:91], 0 offset:52 ; 4-byte Folded Reload
	buffer_load_dword v12, off, s[88:91], 0 offset:56 ; 4-byte Folded Reload
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v25, v12, v25
	global_store_dword v63, v25, s[0:1] offset:4
	buffer_load_dword v12, off, s[88:91], 0 offset:64 ; 4-byte Folded Reload
	buffer_load_dword v8, off, s[88:91], 0 offset:76 ; 4-byte Folded Reload
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v23, v8, v12
	global_store_dword v63, v23, s[0:1] offset:4
	buffer_load_dword v12, off, s[88:91], 0 offset:68 ; 4-byte Folded Reload
	buffer_load_dword v16, off, s[88:91], 0 offset:72 ; 4-byte Folded Reload
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v12, v12, v16
	global_store_dword v63, v12, s[0:1] offset:4
	buffer_load_dword v16, off, s[88:91], 0 offset:44 ; 4-byte Folded Reload
	buffer_load_dword v27, off, s[88:91], 0 offset:60 ; 4-byte Folded Reload
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v16, v27, v16
	global_store_dword v63, v16, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v16, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v12, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v23, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v25, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v11, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v17, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v30, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v10, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v24, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v18, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v9, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v22, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v28, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v15, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v20, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v26, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v19, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v13, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v32, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v21, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v14, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v29, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v42, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v39, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v31, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v37, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v2, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v43, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v3, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v1, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v5, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v4, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v0, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v6, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v45, s[0:1] offset:4
	s_add_u32 s0, s0, s4
	s_addc_u32 s1, s1, s5
	global_store_dword v63, v7, s[0:1] offset:4
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6
	.amdhsa_kernel spilled
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 96
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 64
		.amdhsa_next_free_sgpr 92
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end2:
	.size	spilled, .Lfunc_end2-spilled
                                        ; -- End function
	.section	.AMDGPU.csdata
; Kernel info:
; codeLenInByte = 4784
; NumSgprs: 94
; NumVgprs: 64
; ScratchSize: 96
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 11
; VGPRBlocks: 15
; NumSGPRsForWavesPerEU: 94
; NumVGPRsForWavesPerEU: 64
; Occupancy: 4
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 1
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.protected	_ZN17__HIP_CoordinatesI14__HIP_BlockIdxE1xE ; @_ZN17__HIP_CoordinatesI14__HIP_BlockIdxE1xE
	.type	_ZN17__HIP_CoordinatesI14__HIP_BlockIdxE1xE,@object
	.section	.rodata._ZN17__HIP_CoordinatesI14__HIP_BlockIdxE1xE,#alloc
	.weak	_ZN17__HIP_CoordinatesI14__HIP_BlockIdxE1xE
_ZN17__HIP_CoordinatesI14__HIP_BlockIdxE1xE:
	.zero	1
	.size	_ZN17__HIP_CoordinatesI14__HIP_BlockIdxE1xE, 1

	.protected	_ZN17__HIP_CoordinatesI14__HIP_BlockDimE1xE ; @_ZN17__HIP_CoordinatesI14__HIP_BlockDimE1xE
	.type	_ZN17__HIP_CoordinatesI14__HIP_BlockDimE1xE,@object
	.section	.rodata._ZN17__HIP_CoordinatesI14__HIP_BlockDimE1xE,#alloc
	.weak	_ZN17__HIP_CoordinatesI14__HIP_BlockDimE1xE
_ZN17__HIP_CoordinatesI14__HIP_BlockDimE1xE:
	.zero	1
	.size	_ZN17__HIP_CoordinatesI14__HIP_BlockDimE1xE, 1

	.protected	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE ; @_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE
	.type	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE,@object
	.section	.rodata._ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE,#alloc
	.weak	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE
_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE:
	.zero	1
	.size	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE, 1

	.protected	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1yE ; @_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1yE
	.type	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1yE,@object
	.section	.rodata._ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1yE,#alloc
	.weak	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1yE
_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1yE:
	.zero	1
	.size	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1yE, 1

	.ident	"Debian clang version 15.0.6"
	.ident	"Debian clang version 15.0.5"
	.section	".note.GNU-stack"
	.addrsig
	.addrsig_sym _ZN17__HIP_CoordinatesI14__HIP_BlockIdxE1xE
	.addrsig_sym _ZN17__HIP_CoordinatesI14__HIP_BlockDimE1xE
	.addrsig_sym _ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE
	.addrsig_sym _ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1yE
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
      - .offset:         20
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           axpy
    .private_segment_fixed_size: 0
    .sgpr_count:     11
    .sgpr_spill_count: 0
    .symbol:         axpy.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           24
        .value_kind:     by_value
      - .offset:         40
        .size:           2
        .value_kind:     by_value
    .group_segment_fixed_size: 1088
    .kernarg_segment_align: 8
    .kernarg_segment_size: 44
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           staged
    .private_segment_fixed_size: 0
    .sgpr_count:     8
    .sgpr_spill_count: 0
    .symbol:         staged.kd
    .uses_dynamic_stack: false
    .vgpr_count:     5
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           8
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           spilled
    .private_segment_fixed_size: 96
    .sgpr_count:     94
    .sgpr_spill_count: 0
    .symbol:         spilled.kd
    .uses_dynamic_stack: false
    .vgpr_count:     64
    .vgpr_spill_count: 46
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx906
amdhsa.version:
  - 1
  - 1
...

	.end_amdgpu_metadata

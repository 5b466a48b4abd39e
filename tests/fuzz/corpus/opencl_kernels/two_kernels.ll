target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

%struct.P = type { float, i32 }
%struct.Q = type { float, float }

; Function Attrs: convergent norecurse nounwind
define dso_local spir_kernel void @saxpy(float noundef %0, ptr addrspace(1) nocapture noundef readonly align 4 %1, ptr addrspace(1) noalias nocapture noundef writeonly align 16 %2, i32 noundef %3, ptr addrspace(2) nocapture noundef readonly align 4 %4, ptr addrspace(3) nocapture noundef align 4 %5, target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %6, ptr nocapture noundef readonly byval(%struct.P) align 4 %7, ptr nocapture noundef readonly byval(%struct.Q) align 4 %8, ptr addrspace(1) nocapture noundef readonly align 4 %9, ptr addrspace(1) noundef align 4 %10) local_unnamed_addr #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !7 !kernel_arg_type_qual !8 !kernel_arg_name !9 !reqd_work_group_size !10 {
  %12 = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %13 = and i64 %12, 4294967295
  %14 = getelementptr inbounds <4 x float>, ptr addrspace(1) %2, i64 %13
  %15 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %13
  %16 = load float, ptr addrspace(1) %15, align 4, !tbaa !11
  %17 = load i32, ptr addrspace(2) %4, align 4, !tbaa !15
  %18 = sitofp i32 %17 to float
  %19 = tail call float @llvm.fmuladd.f32(float %0, float %16, float %18)
  %20 = getelementptr inbounds i8, ptr %7, i64 4
  %21 = load i32, ptr %20, align 4, !tbaa !17
  %22 = sitofp i32 %21 to float
  %23 = fadd float %19, %22
  %24 = load float, ptr %8, align 4, !tbaa !19
  %25 = fadd float %24, %23
  %26 = load float, ptr addrspace(1) %9, align 4, !tbaa !21
  %27 = fadd float %26, %25
  store float %27, ptr addrspace(1) %14, align 16, !tbaa !11
  store float 1.000000e+00, ptr addrspace(3) %5, align 4, !tbaa !11
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #5
  %28 = addrspacecast ptr addrspace(1) %10 to ptr addrspace(4)
  %29 = tail call spir_func i32 @_Z16atomic_fetch_addPU3AS4VU7_Atomicii(ptr addrspace(4) noundef %28, i32 noundef 1) #5
  %30 = icmp ugt i32 %3, 3
  br i1 %30, label %31, label %36

31:                                               ; preds = %11
  %32 = getelementptr inbounds float, ptr addrspace(3) %5, i64 %13
  %33 = load float, ptr addrspace(3) %32, align 4, !tbaa !11
  %34 = insertelement <4 x float> poison, float %33, i64 0
  %35 = shufflevector <4 x float> %34, <4 x float> poison, <4 x i32> zeroinitializer
  store <4 x float> %35, ptr addrspace(1) %2, align 16, !tbaa !22
  br label %36

36:                                               ; preds = %31, %11
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

; Function Attrs: convergent nounwind

; Function Attrs: convergent nounwind

; Function Attrs: convergent norecurse nounwind
define dso_local spir_kernel void @two(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, i32 noundef %2) local_unnamed_addr #0 !kernel_arg_addr_space !23 !kernel_arg_access_qual !24 !kernel_arg_type !25 !kernel_arg_base_type !25 !kernel_arg_type_qual !26 !kernel_arg_name !27 {
  %4 = icmp eq i32 %2, 0
  %5 = select i1 %4, ptr addrspace(1) %1, ptr addrspace(1) %0
  store i32 3, ptr addrspace(1) %5, align 4, !tbaa !15
  %6 = sext i32 %2 to i64
  %7 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 %6
  %8 = tail call spir_func i32 @_Z10atomic_incPU3AS1Vi(ptr addrspace(1) noundef %7) #5
  %9 = addrspacecast ptr addrspace(1) %0 to ptr addrspace(4)
  tail call spir_func void @_Z7vstore4Dv4_imPU3AS4i(<4 x i32> noundef <i32 1, i32 1, i32 1, i32 1>, i64 noundef 0, ptr addrspace(4) noundef %9) #5
  ret void
}

; Function Attrs: convergent nounwind

; Function Attrs: convergent nounwind


!opencl.ocl.version = !{!2}
!opencl.spir.version = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 2, i32 0}
!3 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!4 = !{i32 0, i32 1, i32 1, i32 0, i32 2, i32 3, i32 1, i32 0, i32 0, i32 1, i32 1}
!5 = !{!"none", !"none", !"none", !"none", !"none", !"none", !"read_only", !"none", !"none", !"none", !"none"}
!6 = !{!"real", !"real*", !"float4*", !"uint", !"int*", !"float*", !"image2d_t", !"struct P", !"Q", !"struct P*", !"atomic_int*"}
!7 = !{!"float", !"float*", !"float __attribute__((ext_vector_type(4)))*", !"uint", !"int*", !"float*", !"image2d_t", !"struct P", !"Q", !"struct P*", !"_Atomic(int)*"}
!8 = !{!"", !"const", !"restrict", !"", !"const", !"", !"", !"", !"", !"", !""}
!9 = !{!"a", !"x", !"y", !"n", !"c", !"tile", !"im", !"s", !"q", !"ps", !"at"}
!10 = !{i32 16, i32 4, i32 1}
!11 = !{!12, !12, i64 0}
!12 = !{!"float", !13, i64 0}
!13 = !{!"omnipotent char", !14, i64 0}
!14 = !{!"Simple C/C++ TBAA"}
!15 = !{!16, !16, i64 0}
!16 = !{!"int", !13, i64 0}
!17 = !{!18, !16, i64 4}
!18 = !{!"P", !12, i64 0, !16, i64 4}
!19 = !{!20, !12, i64 0}
!20 = !{!"", !12, i64 0, !12, i64 4}
!21 = !{!18, !12, i64 0}
!22 = !{!13, !13, i64 0}
!23 = !{i32 1, i32 1, i32 0}
!24 = !{!"none", !"none", !"none"}
!25 = !{!"int*", !"int*", !"int"}
!26 = !{!"", !"", !""}
!27 = !{!"a", !"b", !"n"}

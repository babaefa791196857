#include "editor/cuda_lexer.h"

#include "widgets/theme.h"

namespace kw::editor {

CudaLexer::CudaLexer(QObject* parent) : QsciLexerCPP(parent) {
    setFoldComments(true);
    setFoldCompact(false);
    apply_theme();
}

const char* CudaLexer::language() const { return "CUDA C++"; }

const char* CudaLexer::keywords(int set) const {
    if (set == 1)
        return "alignas alignof asm auto bool break case catch char class concept const const_cast consteval constexpr "
               "constinit "
               "continue decltype default delete do double dynamic_cast else enum explicit export extern false float "
               "for friend goto if "
               "inline int long mutable namespace new noexcept nullptr operator private protected public register "
               "reinterpret_cast "
               "requires return short signed sizeof static static_assert static_cast struct switch template this throw "
               "true try typedef "
               "typeid typename union unsigned using virtual void volatile while size_t int8_t int16_t int32_t int64_t "
               "uint8_t uint16_t "
               "uint32_t uint64_t __global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ "
               "__launch_bounds__ "
               "__forceinline__ __noinline__ __cluster_dims__ __grid_constant__";
    if (set == 2)
        return "threadIdx blockIdx blockDim gridDim warpSize dim3 half half2 __half __half2 __nv_bfloat16 "
               "__nv_bfloat162 "
               "char2 char3 char4 uchar2 uchar3 uchar4 short2 short4 ushort2 ushort4 int2 int3 int4 uint2 uint3 uint4 "
               "long2 ulong2 "
               "longlong2 ulonglong2 float2 float3 float4 double2 double4 make_int2 make_int4 make_uint2 make_uint4 "
               "make_float2 "
               "make_float3 make_float4 make_double2 __syncthreads __syncthreads_count __syncthreads_and "
               "__syncthreads_or __syncwarp "
               "__threadfence __threadfence_block __threadfence_system __shfl_sync __shfl_up_sync __shfl_down_sync "
               "__shfl_xor_sync "
               "__ballot_sync __all_sync __any_sync __activemask __match_any_sync __match_all_sync __reduce_add_sync "
               "__reduce_min_sync "
               "__reduce_max_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync atomicAdd atomicSub atomicExch "
               "atomicMin atomicMax "
               "atomicInc atomicDec atomicCAS atomicAnd atomicOr atomicXor __ldg __ldcs __ldcg __stcs __popc __popcll "
               "__clz __clzll "
               "__ffs __ffsll __brev __byte_perm __funnelshift_l __funnelshift_r __dp4a __mulhi __umulhi __fmaf_rn "
               "__fadd_rn __fmul_rn "
               "__fdividef __expf __logf __sinf __cosf __powf __saturatef __frsqrt_rn __frcp_rn __float2half "
               "__half2float __hadd2 "
               "__hmul2 __hfma2 __float2half_rn __floats2half2_rn __low2float __high2float __float2bfloat16 "
               "__bfloat162float "
               "__cvta_generic_to_shared __pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior __trap "
               "__nanosleep clock clock64 "
               "printf assert INFINITY NAN";
    return nullptr;
}

void CudaLexer::apply_theme() {
    const auto& theme = widgets::Theme::instance();
    const auto& tokens = theme.tokens();
    const QFont font = theme.code_font();
    setDefaultFont(font);
    setDefaultColor(tokens.text1);
    setDefaultPaper(tokens.surface1);
    setFont(font, -1);
    setColor(tokens.text1, -1);
    setPaper(tokens.surface1, -1);
    for (const int style : {Keyword}) setColor(tokens.code_keyword, style);
    for (const int style : {KeywordSet2, GlobalClass}) setColor(tokens.code_cuda, style);
    for (const int style : {Number, UserLiteral}) setColor(tokens.code_number, style);
    for (const int style :
         {SingleQuotedString, DoubleQuotedString, UnclosedString, RawString, VerbatimString, EscapeSequence})
        setColor(tokens.code_string, style);
    for (const int style : {Comment, CommentLine, CommentDoc, CommentLineDoc, PreProcessorComment,
                            PreProcessorCommentLineDoc, CommentDocKeyword, CommentDocKeywordError})
        setColor(tokens.code_comment, style);
    setColor(tokens.code_preprocessor, PreProcessor);
    for (const int style : {InactiveDefault, InactiveKeyword, InactiveNumber, InactiveOperator, InactiveIdentifier,
                            InactiveComment, InactiveCommentLine, InactivePreProcessor})
        setColor(tokens.text3, style);
}

} // namespace kw::editor

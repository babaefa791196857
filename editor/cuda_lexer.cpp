#include "editor/cuda_lexer.h"

#include "editor/builtins.h"
#include "widgets/theme.h"

#include <string>

namespace kw::editor {
namespace {

std::string words_of(bool types) {
    std::string words;
    for (const Builtin& builtin : builtins()) {
        if (builtin.kind == Builtin::Kind::directive || builtin.kind == Builtin::Kind::qualifier) continue;
        if ((builtin.kind == Builtin::Kind::type) != types || builtin.name.find(':') != std::string::npos) continue;
        words += builtin.name + ' ';
    }
    return words;
}

} // namespace

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
               "__forceinline__ __noinline__ __inline_hint__ __maxnreg__ __cluster_dims__ __grid_constant__";
    // The rest is the table of built-ins: types as "global classes", everything else as the second set.
    static const std::string others = words_of(false), types = words_of(true);
    if (set == 2) return others.c_str();
    if (set == 4) return types.c_str();
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
    setColor(tokens.code_cuda, GlobalClass);
    setColor(tokens.code_directive, KeywordSet2);
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

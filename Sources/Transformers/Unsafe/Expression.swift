import CRE2

/// A regular expression in the syntax of RE2, over UTF-8; threads may share it.
///
/// Finding a match takes time in proportion to the text (https://github.com/google/re2/wiki/Syntax).
@safe
final class Expression: @unchecked Sendable {
    /// Why a text is no expression: a sentence of RE2.
    struct Fault: Error { var reason: String }

    /// Where a group matched; nil if it took no part.
    typealias Group = Range<Int>?

    private let compiled: OpaquePointer
    /// How many groups in parentheses capture.
    let groupCount: Int

    init(_ text: String, ignoresCase: Bool) throws(Fault) {
        let bytes = Array(text.utf8)
        var reason = [UInt8](repeating: 0, count: 512)
        let result = unsafe bytes.withUnsafeBytes { text in
            unsafe reason.withUnsafeMutableBytes { reason in
                unsafe cre2_compile(
                    text.bindMemory(to: CChar.self).baseAddress,
                    text.count,
                    ignoresCase,
                    reason.bindMemory(to: CChar.self).baseAddress,
                    reason.count
                )
            }
        }
        guard let result = unsafe result else {
            throw Fault(reason: String(decoding: reason.prefix { $0 != 0 }, as: UTF8.self))
        }
        unsafe compiled = result
        unsafe groupCount = Int(cre2_group_count(result))
    }

    deinit { unsafe cre2_free(compiled) }

    /// The leftmost match that begins at `start` or later: the whole of it, then the first `count` groups.
    func find(in text: Span<UInt8>, from start: Int, groups count: Int) -> [Group]? {
        var ranges = [cre2_range](repeating: cre2_range(), count: count + 1)
        let isFound = unsafe text.withUnsafeBytes { text in
            unsafe ranges.withUnsafeMutableBufferPointer { ranges in
                unsafe cre2_find(
                    compiled,
                    text.bindMemory(to: CChar.self).baseAddress,
                    text.count,
                    start,
                    ranges.baseAddress,
                    Int32(count + 1)
                )
            }
        }
        return isFound ? ranges.map { $0.begin < 0 ? nil : $0.begin..<$0.end } : nil
    }
}

/// What the filters of resources and of requests have in common.
enum FilterTerm {
    /// Reads `404` or `4xx`.
    static func statusRange(_ text: Substring) -> ClosedRange<UInt16>? {
        if text.utf8.count == 3, text.hasSuffix("xx"), let digit = UInt16(text.prefix(1)), (1...5).contains(digit) {
            return digit * 100...digit * 100 + 99
        }
        guard text.first != "+", let status = UInt16(text), (100...599).contains(status) else { return nil }
        return status...status
    }
}

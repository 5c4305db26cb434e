public import HTTPCore

extension CachingOptions {
    /// Explains how content of requests with `method` belongs to the key; nil if it does not.
    public func contentKeyNote(for method: Method) -> DecisionNote? {
        guard let keying = contentKeying(for: method) else { return nil }
        let rule = contentKeyRule.map { ", by \($0.name)" } ?? ""
        return DecisionNote(
            "key-body",
            "the content of \(method.text) is part of the key (\(keying.name))\(rule); in listings each has a URL of its own",
            "RFC 10008",
            remedy: contentKeyRule.map { "key-body in \($0.name)" }
        )
    }
}

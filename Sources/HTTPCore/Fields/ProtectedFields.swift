/// The fields that a rule may not change.
///
/// Otherwise a client could misread the message, or learn something untrue about it.
enum ProtectedFields {
    static func contains(_ name: Span<UInt8>, of target: FieldEdits.Target) -> Bool { reason(name, target) != nil }

    /// Throws if a field is protected, with a sentence about the reason.
    static func check(_ name: [UInt8], of target: FieldEdits.Target) throws(FieldEditError) {
        guard let reason = reason(name.span, target) else { return }
        throw FieldEditError("cannot change \(Quoted(name)): \(reason)")
    }

    private static func reason(_ name: Span<UInt8>, _ target: FieldEdits.Target) -> String? {
        // These are hop-by-hop, although they are not among the known fields of this package.
        if Token.matches(name, "proxy-features") || Token.matches(name, "proxy-instruction") { return hopByHop }
        if name.count > 14, Token.matches(name.extracting(0..<14), "sec-websocket-") { return hopByHop }
        guard let field = KnownField(name: name) else {
            return Token.matches(name, "content-md5") ? coding : nil
        }
        switch field {
        case .contentLength, .transferEncoding, .trailer: return "it frames the content"
        case .connection, .proxyConnection, .keepAlive, .te, .upgrade, .http2Settings, .proxyAuthenticate,
            .proxyAuthenticationInfo, .proxyAuthorization:
            return hopByHop
        case .contentEncoding, .contentRange: return coding
        case .cacheStatus, .via, .age, .proxyStatus:
            return "it reports how the \(target) was handled"
        case .host, .expect, .maxForwards:
            return target == .request ? "it says where or how the request goes" : nil
        default: return nil
        }
    }

    private static let hopByHop = "it belongs to one connection"
    private static let coding = "it describes the content, and changes with it"
}

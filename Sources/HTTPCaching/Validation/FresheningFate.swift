/// What becomes of a stored response that a 304 has freshened.
///
/// The client whose request validated it gets the freshened one in any case.
public enum FresheningFate: Sendable, Equatable {
    /// The freshened response takes its place.
    case replace
    /// It stays as it is, stale: what the origin told one credential says nothing for the others (RFC 9111 §3.5).
    case keepUnchanged
    /// It goes: the origin no longer lets it be stored there.
    case remove
}

extension ResponseMetadata {
    /// Judges what becomes of the stored response; `self` is the response after freshening.
    ///
    /// - Parameters:
    ///   - isShared: whether it is stored for everybody.
    ///   - request: the one that validated it.
    public func fate(
        ofShared isShared: Bool,
        for request: RequestProfile,
        options: CachingOptions
    ) -> FresheningFate {
        switch storability(for: request, options: options) {
        case .refuse(let reason): reason == .requestNoStore ? .keepUnchanged : .remove
        case .store(.shared, _): .replace
        case .store(.credential, _), .store(.personal, .cookie): isShared ? .keepUnchanged : .replace
        case .store(.personal, .setCookie): isShared ? .keepUnchanged : .replace
        case .store(.personal, _): isShared ? .remove : .replace
        }
    }
}

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
    ///   - place: for whom it is stored.
    ///   - request: the one that validated it.
    ///   - extent: what it holds, if that is a part.
    public func fate(
        ofStoredFor place: PartitionClass,
        for request: RequestProfile,
        options: CachingOptions,
        extent: ContentExtent? = nil
    ) -> FresheningFate {
        switch storability(for: request, options: options, extent: extent) {
        case .refuse(let reason): reason == .requestNoStore ? .keepUnchanged : .remove
        case .store(.shared, _): .replace
        case .store(.credential, _): place == .shared ? .keepUnchanged : .replace
        case .store(.personal, _) where place == .personal: .replace
        case .store(.personal, .cookie), .store(.personal, .setCookie): .keepUnchanged
        case .store(.personal, _): .remove
        }
    }
}

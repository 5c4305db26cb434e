extension RefusalReason {
    /// The explanation why a response was not stored.
    public var note: DecisionNote {
        let (sentence, section, remedy) = words
        return DecisionNote(rawValue, sentence, section, remedy: remedy)
    }

    private var words: (sentence: String, section: String, remedy: String?) {
        let control = "the origin's Cache-Control"
        switch self {
        case .interim: return ("it is an interim response", "RFC 9111 §3", nil)
        case .method: return ("only responses to GET are", "RFC 9111 §3", "a GET")
        case .requestNoStore: return ("the request said no-store", "RFC 9111 §5.2.1.5", "a request without no-store")
        case .noStore: return ("it says no-store", "RFC 9111 §5.2.2.5", control)
        case .statusNotUnderstood:
            return ("it says must-understand, and its status is not understood", "RFC 9111 §5.2.2.3", control)
        case .statusNotCacheable:
            return (
                "it states no lifetime, and none may be guessed for its status", "RFC 9111 §4.2.2",
                "max-age of the origin, or ttl in a rule"
            )
        case .partialContent:
            return (
                "it has several parts, or a part that the request did not ask for", "RFC 9111 §3.3",
                "a request for one range"
            )
        case .contentRange:
            return ("its Content-Range does not fit its content", "RFC 9110 §14.4", "Content-Range of the origin")
        case .wholeIsStored:
            return ("it is a part, and the whole is stored", "RFC 9111 §3.3", "a request without Range")
        case .statusForOneRequest: return ("its status is about one request only", "RFC 9111 §3", nil)
        case .varyAny: return ("Vary: * lets it answer no other request", "RFC 9111 §4.1", "the origin's Vary")
        case .varyTooLong:
            return ("its Vary names too many fields", "RFC 9111 §4.1", "the origin's Vary, or cache.vary-names")
        case .privateWithoutCredential:
            return (
                "it says private, and the request has no credentials to store it for", "RFC 9111 §5.2.2.7", control
            )
        case .setCookie:
            return ("it sets a cookie that all clients would get", "RFC 9111 §7.3", "set-cookie in a rule")
        case .eventStream: return ("it is a stream of events", "RFC 9111 §3", "record-streams = true in a rule")
        case .noLifetimeNoValidator:
            return (
                "it states no lifetime and has no validator", "RFC 9111 §4.2.2",
                "max-age or a validator of the origin, or ttl in a rule"
            )
        case .noCacheWithoutValidator:
            return ("it says no-cache and has no validator", "RFC 9111 §5.2.2.4", "a validator of the origin")
        case .zeroLifetimeNoValidator:
            return (
                "its lifetime is 0 s and it has no validator", "RFC 9111 §4.2",
                "a lifetime or a validator of the origin, or ttl in a rule"
            )
        case .neverCache: return ("a rule forbids to cache", "RFC 9111 §3", "never-cache = false in a later rule")
        case .tooLarge:
            return (
                "its content does not fit into the store", "RFC 9111 §3",
                "storage.limit and storage.max-object-size, or a store at all"
            )
        case .notTheTarget:
            return ("it is no representation of its target", "RFC 9110 §9.3.3", "Content-Location of the origin")
        }
    }
}

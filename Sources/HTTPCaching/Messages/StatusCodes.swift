/// Properties of status codes that matter to caching.
public enum StatusCodes {
    /// Whether a response is cacheable without a stated lifetime (RFC 9110 §15.1).
    public static func isHeuristicallyCacheable(_ status: UInt16) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Whether a specification that this cache was written against defines the status (RFC 9111 §5.2.2.3).
    public static func isUnderstood(_ status: UInt16) -> Bool {
        switch status {
        case 200...208, 226, 300...305, 307, 308, 400...417, 421...426, 428, 429, 431, 451, 500...508, 510, 511: true
        default: false
        }
    }

    /// Whether the response concerns one request only, and must not answer others.
    ///
    /// It is about a range, a condition or an expectation of that request, or about its client's access to a proxy.
    static func isForOneRequest(_ status: UInt16) -> Bool {
        switch status {
        case 304, 407, 412, 416, 417: true
        default: false
        }
    }

    /// Whether `stale-if-error` covers this error (RFC 5861 §4).
    public static func isCoveredByStaleIfError(_ status: UInt16) -> Bool {
        switch status {
        case 500, 502, 503, 504: true
        default: false
        }
    }
}

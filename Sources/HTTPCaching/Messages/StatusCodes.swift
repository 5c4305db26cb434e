/// What caching knows of status codes.
public enum StatusCodes {
    /// Cacheable without stated lifetime (RFC 9110 §15.1).
    public static func isHeuristicallyCacheable(_ status: UInt16) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Defined by a specification this cache was written against (RFC 9111 §5.2.2.3).
    public static func isUnderstood(_ status: UInt16) -> Bool {
        switch status {
        case 200...208, 226, 300...305, 307, 308, 400...417, 421...426, 428, 429, 431, 451, 500...508, 510, 511: true
        default: false
        }
    }

    /// The outcome of what one client asked for beyond the resource (a range, a condition, an expectation) or of its
    /// standing with a proxy: no answer for others.
    static func isForOneRequest(_ status: UInt16) -> Bool {
        switch status {
        case 304, 407, 412, 416, 417: true
        default: false
        }
    }

    /// The errors `stale-if-error` is about (RFC 5861 §4).
    public static func isCoveredByStaleIfError(_ status: UInt16) -> Bool {
        switch status {
        case 500, 502, 503, 504: true
        default: false
        }
    }
}

import HTTPCore

/// How much content a response announces.
public enum ResponseContent: Sendable, Equatable {
    /// No content.
    case none
    /// Exactly this many bytes; in response to HEAD they are announced but not sent.
    case length(Int64)
    /// An unknown number: chunked for HTTP/1.1, delimited by the end of the connection for HTTP/1.0.
    case unknown
}

/// How the content of one response is sent, decided by its request and its status (RFC 9112 §6).
struct ResponseFraming: Equatable {
    /// How the content is delimited on the wire; `.none` if no content may be sent.
    var content: Framing
    /// The framing that the head announces.
    var announced: Framing

    /// Decides the framing for a final `status`.
    init(of content: ResponseContent, status: UInt16, method: Method, version: HTTPVersion) {
        let isTunnel = method == .connect && (200..<300).contains(status)
        if status == 204 || status == 304 || status == 101 || isTunnel {
            announced = .none
        } else {
            switch content {
            case .none: announced = method == .head ? .none : .length(0)
            case .length(let count): announced = .length(max(0, count))
            case .unknown: announced = version == .http11 ? .chunked : .untilClose
            }
        }
        self.content = method == .head || announced == .length(0) ? .none : announced
    }
}

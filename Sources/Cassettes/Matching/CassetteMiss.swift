/// Why a cassette has no response to a request.
public struct CassetteMiss: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        /// Nothing is recorded.
        case empty
        /// The nearest request differs.
        case differs(nearest: String, [RequestDifference])
        /// Another request comes next.
        case outOfOrder(next: String, [RequestDifference], isRecorded: Bool)
        /// All recorded requests have been asked.
        case behindTheEnd
        /// Exchanges of this kind are never recorded.
        case unrecordable(String)
    }

    /// `POST http://api.example/v1/chat`.
    public var request: String
    public var reason: Reason

    public init(request: String, reason: Reason) {
        self.request = request
        self.reason = reason
    }

    /// The request that comes nearest, or that must come next; nil if there is none.
    public var nearest: String? {
        switch reason {
        case .differs(let nearest, _), .outOfOrder(let nearest, _, _): nearest
        case .empty, .behindTheEnd, .unrecordable: nil
        }
    }

    /// In what the request differs from that one.
    public var differences: [RequestDifference] {
        switch reason {
        case .differs(_, let all), .outOfOrder(_, let all, _): all
        case .empty, .behindTheEnd, .unrecordable: []
        }
    }

    /// The differences on one line, or what else is wrong.
    public var summary: String {
        let texts = differences.prefix(Self.mostDifferences).map(\.text)
        let more = differences.count - texts.count
        return (texts + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "; ")
    }

    private static let mostDifferences = 8

    /// What is wrong, in a sentence.
    public var userMessage: String {
        switch reason {
        case .empty: "the cassette has no requests; record it"
        case .differs(let nearest, _): "no recorded request matches; nearest is \(nearest), and differs in \(summary)"
        case .outOfOrder(let next, let all, let isRecorded):
            "\(next) comes next" + (all.isEmpty ? "" : ", and differs in \(summary)")
                + (isRecorded ? "; this request is recorded for another moment" : "")
        case .behindTheEnd: "all recorded requests have been asked; this one is too many"
        case .unrecordable(let kind): "\(kind) are not recorded"
        }
    }
}

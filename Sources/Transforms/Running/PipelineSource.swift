/// The content that a run reads, piece by piece, on worker threads.
package enum PipelineSource: Sendable {
    /// A complete body.
    case stored(RecordBody)
    /// A body that still grows, or has just become complete.
    case growing(GrowingBody)

    /// The length, if it is known.
    var count: Int64? {
        switch self {
        case .stored(let body): body.count
        case .growing(let body): body.isComplete ? body.received : body.expected
        }
    }
}

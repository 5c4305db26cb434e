/// Where a run reads content from: piece by piece, on worker threads.
package enum PipelineSource: Sendable {
    /// Complete.
    case stored(RecordBody)
    /// Still coming, or just complete.
    case growing(GrowingBody)

    /// The length, as far as is known.
    var count: Int64? {
        switch self {
        case .stored(let body): body.count
        case .growing(let body): body.isComplete ? body.received : body.expected
        }
    }
}

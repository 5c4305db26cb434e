import Exchanges
import HTTPCore
import Stores
import Transforms

/// What a load reports to: its resource.
///
/// Calls come under no lock, those about content, failures and progress from any thread.
protocol LoadDelegate: AnyObject, Sendable {
    var environment: CoreEnvironment { get }

    func load(_ load: Load, didReceiveInterim head: ResponseHead)
    /// Judges a final head; nil if its content is not wanted.
    ///
    /// The load first notes where its content goes, then calls `load(_:didReceive:)`.
    func incomingResponse(of load: Load, _ head: ResponseHead) -> IncomingResponse?
    func load(_ load: Load, didReceive response: IncomingResponse)
    /// A response has come in one piece: receipt and end are one change.
    ///
    /// - Returns: false if the response needs the separate steps.
    func load(_ load: Load, didReceive whole: WholeResponse) -> Bool
    /// The content is complete; `body` is what is stored of it, nil if nothing is.
    func load(_ load: Load, didFinalize body: RecordBody?)
    func load(_ load: Load, didFail failure: ExchangeFailure)
    /// The content could not be redacted.
    func load(_ load: Load, didFailRedaction failure: RunFailure)
    /// The stored first part cannot be read.
    func load(_ load: Load, didFindDamaged prefix: StoredResponse)
    /// No reader is left for the content of a load, and it is not kept.
    func loadDidLoseReaders(_ load: Load)
    /// How a load goes on whose response was cut; nil if nothing identifies its content, or nobody needs it.
    func resumption(of load: Load) -> CatchUpPlan?
    /// Content has come while no request waited for the load: it may have to end.
    func reconsider(_ load: Load)
}

/// Finds the delegate of a load, without keeping it alive.
protocol LoadOwner: Sendable {
    /// Nil once it has ended.
    var delegate: (any LoadDelegate)? { get }
}

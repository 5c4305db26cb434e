import ResourceModel
import ResourceCore

/// The values of a resource, as a sequence for `for await`: the one that is known, then each new one.
///
/// What is no `Value` is left out; observe the resource to learn of errors. The sequence observes and keeps the
/// resource as `ResourceChanges` does.
public struct TypedValues<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    private let changes: ResourceChanges
    private let decoded: DecodedContent<Value>

    init(_ changes: ResourceChanges, _ decoded: DecodedContent<Value>) {
        self.changes = changes
        self.decoded = decoded
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        var changes: ResourceChanges.AsyncIterator
        let decoded: DecodedContent<Value>

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Value? {
            while let change = await changes.next(isolation: actor) {
                switch change.event {
                case .observerAdded, .newData:
                    if let value = TypedState(change.state, decoded).latestEntity?.content { return value }
                case .requested, .requestCancelled, .notModified, .error, .durable: continue
                }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(changes: changes.makeAsyncIterator(), decoded: decoded)
    }
}

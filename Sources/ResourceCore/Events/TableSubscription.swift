public import Exchanges

/// What a subscriber of the whole table receives.
public enum TableEvent: Sendable {
    case change(number: UInt64, ResourceChange)
    /// The subscriber was slow, so this many events were left out; later events follow.
    case gap(missed: UInt64)
}

/// A subscription to the events of all resources.
public typealias TableSubscription = EventSubscription<TableEvent>

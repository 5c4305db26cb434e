public import Eventing
public import Exchanges

extension LoopHandle: DeliveryContext {
    public func submit(_ work: @escaping @Sendable () -> Void) {
        _ = submit { (_: EventLoop) in work() }
    }
}

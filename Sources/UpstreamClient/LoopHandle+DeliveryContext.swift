public import Eventing
public import Exchanges
import ResourceCore

extension LoopHandle: DeliveryContext {
    public func submit(_ work: @escaping @Sendable () -> Void) {
        _ = submit { (_: EventLoop) in work() }
    }
}

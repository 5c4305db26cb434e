public import Dispatch
public import Exchanges
public import ResourceModel

extension DeliveryContext where Self == SerialDelivery {
    /// Hooks and observers run on a dispatch queue, one at a time even if it is concurrent.
    public static func queue(_ queue: DispatchQueue) -> SerialDelivery {
        SerialDelivery { work in queue.async(execute: work) }
    }
}

public import Exchanges
import ResourceCore

extension SerialDelivery {
    /// One context for all that runs on the main actor, so that it keeps the order.
    static let onMainActor = SerialDelivery { work in Task.detached { @MainActor in work() } }
}

extension DeliveryContext where Self == SerialDelivery {
    /// Hooks and observers run on the main actor, between other work there; their closures may use
    /// `MainActor.assumeIsolated`.
    public static var mainActor: SerialDelivery { .onMainActor }

    /// Hooks and observers run on an executor of the program's, one at a time.
    public static func executor(_ executor: any TaskExecutor) -> SerialDelivery {
        SerialDelivery { work in Task.detached(executorPreference: executor) { work() } }
    }
}

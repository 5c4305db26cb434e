import Exchanges
package import HTTPCore
package import Transforms

extension RunFailure {
    /// The error for a client.
    package func error(at time: MonotonicTime) -> ResourceError {
        var error = ResourceError(exchangeFailure, time: time)
        if case .transformation(let failure) = self { error.transformation = failure }
        return error
    }
}

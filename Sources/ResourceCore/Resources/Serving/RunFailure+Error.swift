import Exchanges
package import HTTPCore
package import Transforms

extension RunFailure {
    /// What a client gets.
    package func error(at time: MonotonicTime) -> ResourceError {
        var error = ResourceError(exchangeFailure, time: time)
        if case .transformation(let failure) = self { error.transformation = failure }
        return error
    }
}

package import Exchanges
import HTTPCore
import ResourceCore

/// A networking provider over any exchange provider: whole requests and responses instead of streams.
///
/// Files are sent and received piece by piece.
package final class ExchangeNetworking: NetworkingProvider {
    /// The default limit of content: 64 MiB.
    package static let usualContentLimit = 64 << 20

    private let provider: any ExchangeProvider
    private let policies: ExchangePolicies
    private let contentLimit: Int

    /// - Parameters:
    ///   - provider: runs the exchanges.
    ///   - policies: how exchanges are made, if the provider applies policies.
    ///   - contentLimit: the most bytes of response content in memory; a larger response fails with
    ///     `RequestError.Cause.ContentTooLarge`.
    package init(
        _ provider: any ExchangeProvider,
        policies: ExchangePolicies = ExchangePolicies(),
        contentLimit: Int = ExchangeNetworking.usualContentLimit
    ) {
        self.provider = provider
        self.policies = policies
        self.contentLimit = contentLimit
    }

    package var transfersFiles: Bool { true }

    package func startRequest(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        guard let path = request.bodyFile else {
            let content = request.body.map { ExchangeTransfer.Content.bytes(ByteChunk($0)) } ?? .none
            return begin(request, content, completion)
        }
        let operation = DeferredOperation()
        operation.submit { [self] in
            if operation.isCancelled { return completion(DeferredOperation.cancellation) }
            do {
                let file = FileUpload(try OutgoingFile(path: path))
                operation.follow(begin(request, .file(file), completion))
            } catch {
                completion(NetworkingResult(error: error))
            }
        }
        return operation
    }

    /// Starts the exchange on its provider's context.
    private func begin(
        _ request: HTTPRequest,
        _ content: ExchangeTransfer.Content,
        _ completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        let transfer = ExchangeTransfer(request, content, policies, contentLimit: contentLimit, completion)
        let provider = provider
        if provider.context.isCurrent {
            transfer.start(at: provider)
        } else {
            provider.context.submit { transfer.start(at: provider) }
        }
        return transfer
    }
}

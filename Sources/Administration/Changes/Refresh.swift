import Eventing
import Formats
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// Loads a resource now, even if a fresh response is stored, and responds with the result.
enum Refresh {
    /// The result of a load.
    enum Outcome: Sendable {
        case newData(status: UInt16?)
        case notModified
        case failed(status: UInt16, message: String)
    }

    /// Calls `completion` inside the call or on any thread.
    static func run(_ uri: TargetURI, _ source: AdminSource, _ completion: @escaping @Sendable (Outcome) -> Void) {
        let resource = source.service.resource(for: uri)
        resource.load().onCompletion { info in
            switch info.response {
            case .success:
                completion(info.isNew ? .newData(status: resource.snapshot.latestResponse?.status) : .notModified)
            case .failure(let error):
                completion(
                    .failed(status: UInt16(clamping: error.httpStatusCode ?? 502), message: error.userMessage)
                )
            }
        }
    }

    static func reply(_ outcome: Outcome, of uri: TargetURI, on exchange: ServerExchange) {
        switch outcome {
        case .failed(let status, let message):
            exchange.reply(AdminRefusal(502, "\(uri.text) could not be loaded: \(message) (\(status))"))
        case .newData(let status):
            exchange.reply { writer in
                writer.member("uri", bytes: uri.bytes)
                writer.member("result", "newData")
                if let status { writer.member("status", Int(status)) }
            }
        case .notModified:
            exchange.reply { writer in
                writer.member("uri", bytes: uri.bytes)
                writer.member("result", "notModified")
            }
        }
    }
}

import Eventing
import Formats
import HTTPCore
import HTTPServer
import Observability
import ResourceCore
import Transforms

/// Loads a resource now, even if a fresh response is stored, and responds with the result.
enum Refresh {
    /// The result of a load.
    enum Outcome: Sendable {
        case newData(status: UInt16?, bytes: Int64?)
        case notModified
        case failed(status: UInt16, message: String)
    }

    /// Calls `completion` inside the call or on any thread.
    static func run(_ uri: TargetURI, _ source: AdminSource, _ completion: @escaping @Sendable (Outcome) -> Void) {
        let resource = source.service.resource(for: uri)
        resource.refresh { outcome in
            switch outcome {
            case .newData(.some):
                let latest = resource.snapshot.latestResponse
                completion(.newData(status: latest?.status, bytes: latest.map { Int64($0.body.count) }))
            case .newData(nil): completion(.failed(status: 502, message: "The content is too large"))
            case .notModified: completion(.notModified)
            case .failure(let error):
                completion(.failed(status: error.kind == nil ? error.status : 502, message: error.userMessage))
            case .cancelled: completion(.failed(status: 502, message: "Request cancelled"))
            }
        }
    }

    static func reply(_ outcome: Outcome, of uri: TargetURI, on exchange: ServerExchange) {
        switch outcome {
        case .failed(let status, let message):
            exchange.reply(AdminRefusal(502, "\(uri.text) could not be loaded: \(message) (\(status))"))
        case .newData(let status, let bytes):
            exchange.reply { writer in
                writer.member("uri", bytes: uri.bytes)
                writer.member("result", "newData")
                if let status { writer.member("status", Int(status)) }
                if let bytes { writer.member("bytes", bytes) }
            }
        case .notModified:
            exchange.reply { writer in
                writer.member("uri", bytes: uri.bytes)
                writer.member("result", "notModified")
            }
        }
    }
}

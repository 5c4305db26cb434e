import Eventing
import Exchanges
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
        /// It was loaded so many seconds ago, or is being loaded; nothing was done.
        case recent(ageSeconds: Int64)
        case failed(status: UInt16, message: String)
    }

    /// Calls `completion` inside the call or on any thread.
    static func run(
        _ target: RefreshTarget,
        _ source: AdminSource,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        let resource = source.service.resource(for: target.uri)
        if let least = target.leastAge, let age = age(of: resource.snapshot, source), age < least {
            return completion(.recent(ageSeconds: age))
        }
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

    /// Seconds since the last load ended, well or not; 0 during one, nil if none is known.
    private static func age(of snapshot: ResourceSnapshot, _ source: AdminSource) -> Int64? {
        if snapshot.isLoading { return 0 }
        guard snapshot.timestamp > .epoch else { return nil }
        let now = source.service.table.environment.timekeeper.timestamp
        return max(0, (now.sinceEpoch - snapshot.timestamp.sinceEpoch).components.seconds)
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
        case .recent(let age):
            exchange.reply { writer in
                writer.member("uri", bytes: uri.bytes)
                writer.member("result", "recent")
                writer.member("ageSeconds", age)
            }
        }
    }
}

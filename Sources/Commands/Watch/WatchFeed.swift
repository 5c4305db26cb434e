import Formats
import HTTPCore
import Platform
import Settings

/// Follows one resource on threads of its own, and has it refreshed.
struct WatchFeed {
    enum News: Sendable {
        case event(EventReader.Event)
        /// The stream has ended; another attempt follows.
        case lost(String)
        /// The first attempt failed.
        case failure(CommandFailure)
    }

    /// How long to wait before the daemon is asked again.
    private static let pause = Duration.seconds(1)

    let news = BlockingQueue<News>()

    private let client: AdminClient
    private let uri: TargetURI

    /// Starts to follow; does not end before the process does.
    init(_ client: AdminClient, _ uri: TargetURI) throws(CommandFailure) {
        self.client = client
        self.uri = uri
        try Self.start("events") { [news] in Self.follow(client, uri, news) }
    }

    /// Has the resource loaded from now on.
    ///
    /// - Parameter period: how often, in seconds.
    func refresh(every period: Int64) throws(CommandFailure) {
        try Self.start("refresh") { [client, uri] in Self.refresh(client, uri, period) }
    }

    private static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(CommandFailure) {
        do throws(SystemError) {
            _ = try Thread(name: name, body)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    private static func follow(_ client: AdminClient, _ uri: TargetURI, _ news: BlockingQueue<News>) {
        var hasBegun = false
        while true {
            var reader = EventReader()
            var isEnded = false
            do throws(CommandFailure) {
                try client.download("/v1/events?uri=\(QueryText.escaped(uri.bytes))") { bytes in
                    hasBegun = true
                    for event in reader.read(bytes) {
                        if event.name == "end" { isEnded = true } else { news.push(.event(event)) }
                    }
                }
                news.push(.lost(isEnded ? "the daemon has stopped" : "the daemon ended the stream"))
            } catch {
                guard hasBegun else {
                    news.push(.failure(error))
                    return
                }
                news.push(.lost(error.userMessage))
            }
            Thread.pause(for: pause)
        }
    }

    /// Has the resource loaded once a period, by whichever watcher asks first.
    private static func refresh(_ client: AdminClient, _ uri: TargetURI, _ period: Int64) {
        var writer = JSONWriter()
        writer.object {
            $0.member("uri", bytes: uri.bytes)
            $0.member("ifOlderThan", period)
        }
        while true {
            // What failed is in the events.
            let response = try? client.post("/v1/refresh", json: writer.bytes).json()
            let age = response?["ageSeconds"]?.integer ?? 0
            Thread.pause(for: .seconds(max(1, period - age)))
        }
    }
}

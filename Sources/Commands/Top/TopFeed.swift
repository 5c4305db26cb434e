import JSON
import Platform
import Settings

/// Asks the daemon, on threads of its own, for what `respite top` shows.
struct TopFeed {
    enum News: Sendable {
        case status(JSONValue)
        /// A stream has begun: the latest requests follow.
        case beginning
        case requests([AnsweredRequest])
        /// No requests are kept.
        case absence(String)
        case fault(String)
    }

    /// How long to wait before the daemon is asked again.
    private static let pause = Duration.seconds(1)

    private let news = BlockingQueue<News>()

    /// Starts to ask; does not end before the process does.
    init(_ client: AdminClient) throws(CommandFailure) {
        do throws(SystemError) {
            _ = try Thread(name: "status") { [news] in Self.askForStatus(client, news) }
            _ = try Thread(name: "requests") { [news] in Self.follow(client, news) }
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// What has been reported since the last call.
    func take() -> [News] { (0..<news.count).compactMap { _ in news.pop() } }

    private static func askForStatus(_ client: AdminClient, _ news: BlockingQueue<News>) {
        while true {
            do throws(CommandFailure) {
                news.push(.status(try client.get("/v1/status").json()))
            } catch {
                news.push(.fault(fault(error, client)))
            }
            Thread.pause(for: pause)
        }
    }

    private static func fault(_ failure: CommandFailure, _ client: AdminClient) -> String {
        failure.exitCode == 4
            ? "no daemon answers at \(client.address); trying again every second" : failure.userMessage
    }

    private static func follow(_ client: AdminClient, _ news: BlockingQueue<News>) {
        while true {
            var reader = EventReader()
            var hasBegun = false
            do throws(CommandFailure) {
                try client.download("/v1/requests/stream?last=1000") { bytes in
                    if !hasBegun { news.push(.beginning) }
                    hasBegun = true
                    let requests = reader.read(bytes).filter { $0.name == "request" }
                        .compactMap { try? JSONReader.parse($0.data) }
                    if !requests.isEmpty { news.push(.requests(requests.map(AnsweredRequest.init))) }
                }
            } catch {
                if error.exitCode == 3 { news.push(.absence(error.userMessage)) }
            }
            Thread.pause(for: pause)
        }
    }
}

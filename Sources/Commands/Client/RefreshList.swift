import Formats
import HTTPCore
import Platform
import Settings
import Terminal

/// `respite refresh --from FILE`: loads the URLs of a list, a few at a time.
struct RefreshList {
    /// How many URLs are loaded at the same time.
    private static let width = 4
    /// The most bytes of a list.
    private static let sizeLimit = 64 << 20
    /// The most mistakes that are reported.
    private static let faultLimit = 20

    private let client: AdminClient
    private let isJSON: Bool
    private let urls: [TargetURI]

    /// Reads and checks the whole list; nothing is asked before.
    ///
    /// - Parameter file: the list; `-` is standard input.
    init(_ client: AdminClient, file: String, isJSON: Bool) throws(CommandFailure) {
        self.client = client
        self.isJSON = isJSON
        let name = file == "-" ? "standard input" : file
        let text: [UInt8]
        do throws(SystemError) {
            text =
                file == "-"
                ? try StandardInput.readAll(limit: Self.sizeLimit) : try SmallFile.read(file, limit: Self.sizeLimit)
        } catch {
            throw CommandFailure("\(name) cannot be read: \(error.reason)", exitCode: 2)
        }
        let list = URLList(parsing: text)
        guard list.faults.isEmpty else {
            for fault in list.faults.prefix(Self.faultLimit) {
                Console.complain("\(name):\(fault.line): \(fault.userMessage)")
            }
            let count = list.faults.count
            throw CommandFailure(
                count == 1 ? "nothing was loaded: one line is wrong" : "nothing was loaded: \(count) lines are wrong",
                exitCode: 2
            )
        }
        urls = list.urls
    }

    /// What came of one URL.
    private enum Outcome: Sendable {
        case response(AdminResponse)
        case failure(CommandFailure)
    }

    /// Loads all; goes on if one cannot be loaded, and fails at the end.
    func run() throws(CommandFailure) {
        let outcomes = BlockingQueue<(url: TargetURI, outcome: Outcome)>()
        let work = BlockingQueue<TargetURI>()
        for url in urls { work.push(url) }
        work.close()
        try startThreads(work, outcomes)
        var progress = RefreshProgress(total: urls.count, on: .errors)
        for _ in urls {
            guard let (url, outcome) = outcomes.pop() else { break }
            switch outcome {
            case .response(let response): note(response, &progress)
            case .failure(let failure):
                // Without a daemon, the others would fail alike.
                guard failure.exitCode != 4, !failure.isRefusedToken else {
                    progress.clear()
                    throw failure
                }
                progress.noteFailure()
                progress.clear()
                Console.complain("respite: \(describe(failure, of: url))")
            }
            progress.show()
        }
        progress.clear()
        if !isJSON { Console.write(progress.summary + "\n") }
        guard progress.failures == 0 else {
            throw CommandFailure("\(progress.failures) of \(urls.count) URLs could not be loaded")
        }
    }

    /// The daemon's sentences name the URL; those about the connection do not.
    private func describe(_ failure: CommandFailure, of url: TargetURI) -> String {
        let message = failure.userMessage
        return message.contains(url.text) ? message : "\(Console.printable(url.text)): \(message)"
    }

    private func startThreads(
        _ work: BlockingQueue<TargetURI>,
        _ outcomes: BlockingQueue<(url: TargetURI, outcome: Outcome)>
    ) throws(CommandFailure) {
        for number in 0..<min(Self.width, urls.count) {
            do throws(SystemError) {
                _ = try Thread(name: "refresh-\(number)") { [client] in
                    while let url = work.pop() { outcomes.push((url, Self.load(url, client))) }
                }
            } catch {
                // One thread can do the work of all.
                guard number > 0 else { throw CommandFailure("\(error)") }
            }
        }
    }

    private static func load(_ url: TargetURI, _ client: AdminClient) -> Outcome {
        var writer = JSONWriter()
        writer.object { $0.member("uri", url.text) }
        do throws(CommandFailure) {
            return .response(try client.post("/v1/refresh", json: writer.bytes))
        } catch {
            return .failure(error)
        }
    }

    private func note(_ response: AdminResponse, _ progress: inout RefreshProgress) {
        if isJSON {
            progress.clear()
            Console.write(response.content)
        }
        let json = try? response.json()
        progress.note(isNotModified: json?["result"]?.text == "notModified", bytes: json?["bytes"]?.integer)
    }
}

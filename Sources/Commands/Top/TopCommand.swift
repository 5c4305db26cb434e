import CommandSyntax
import Eventing
import Formats
import HTTPCore
import Platform
import Settings
import Terminal

/// `respite top`: shows what happens now: hottest URLs, slowest origins, worst misses.
struct TopCommand {
    /// The requests that a single frame is made of.
    private static let requestsOfFrame = 1000

    private let client: AdminClient
    private let isJSON: Bool
    private let isOnce: Bool

    init(_ client: AdminClient, _ command: ParsedCommand) {
        self.client = client
        isJSON = command.has("json")
        isOnce = command.has("once") || command.has("json") || !Console.isTerminal
    }

    func run() throws(CommandFailure) {
        let status = try client.get("/v1/status").json()
        let history = try client.get("/v1/history").json()
        let model = TopModel(status, history: history, at: .now)
        if isOnce { try showOnce(model) } else { try show(model) }
    }

    // MARK: One frame

    private func showOnce(_ model: TopModel) throws(CommandFailure) {
        var model = model
        if let requests = try client.recentRequests(limit: Self.requestsOfFrame) {
            model.add(requests.reversed(), at: SystemClock.wallMilliseconds())
        } else {
            model.note(absence: "no requests are kept: `admin-recent-requests` is 0")
        }
        let frame = TopFrame(model: model, address: "\(client.address)")
        guard isJSON else {
            let lines = frame.lines(on: .output, height: Console.isTerminal ? StandardOutput.rows ?? 24 : 40)
            return Console.write(lines.map { $0 + "\n" }.joined())
        }
        var writer = JSONWriter()
        writer.object { frame.write(to: &$0) }
        Console.write(writer.bytes + [UInt8(ascii: "\n")])
    }

    // MARK: The live screen

    private func show(_ beginning: TopModel) throws(CommandFailure) {
        var model = beginning
        let terminal: FullScreen
        do throws(SystemError) {
            terminal = try FullScreen()
        } catch {
            throw CommandFailure("\(error)")
        }
        defer { terminal.leave() }
        let feed = try TopFeed(client)
        // The requests come a moment after the first status.
        var time = Duration.milliseconds(400)
        while true {
            for one in feed.take() { note(one, &model) }
            model.trim(at: SystemClock.wallMilliseconds())
            guard terminal.draw(picture(model)) else { return }
            defer { time = .seconds(1) }
            switch wait(terminal, time) {
            case nil: continue
            case .interrupt: return
            case let signal?: terminal.end(by: signal)
            }
        }
    }

    /// Waits for the next frame; returns the signal that ends the command.
    private func wait(_ terminal: FullScreen, _ time: Duration) -> Signal? {
        let next = MonotonicTime.now + time
        while true {
            switch terminal.wait(for: next - .now) {
            case .key(UInt8(ascii: "q")), .key(UInt8(ascii: "Q")): return .interrupt
            case .key: continue
            case .change, .timeout: return nil
            case .end(let signal): return signal
            }
        }
    }

    private func note(_ news: TopFeed.News, _ model: inout TopModel) {
        switch news {
        case .status(let status): model.note(status, at: .now)
        case .beginning: model.begin()
        case .requests(let requests): model.add(requests, at: SystemClock.wallMilliseconds())
        case .absence(let sentence): model.note(absence: sentence)
        case .fault(let sentence): model.note(fault: sentence)
        }
    }

    /// The frame as a terminal draws it over the last one.
    private func picture(_ model: TopModel) -> [UInt8] {
        // COLUMNS does not follow when the terminal gets another size.
        let environment = ProcessContext.current.environment.filter { $0.key != "COLUMNS" }
        let screen = Screen(isTerminal: true, columns: StandardOutput.columns ?? 80, environment: environment)
        let frame = TopFrame(model: model, address: "\(client.address)")
        let height = max(1, StandardOutput.rows ?? 24)
        let lines = frame.lines(on: screen, height: height)
        let empty = [String](repeating: "", count: height - lines.count)
        // A line is cleared before it is written: behind a full one, that would remove its last character.
        let text = (lines + empty).map { "\u{1B}[2K\($0)" }.joined(separator: "\n")
        return Array("\u{1B}[H\(text)".utf8)
    }
}

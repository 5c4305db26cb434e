import Locking
import TestSupport

/// An origin of one file that answers single ranges under a strong tag, and counts the bytes that it sends.
final class RangeOrigin: Sendable {
    fileprivate struct State {
        var content: [UInt8]
        var tag: String
        var sent = 0
        /// After how many bytes each of the next answers is cut.
        var cuts: [Int] = []
        var ranges: [String] = []
        /// Takes the place of the content after the next answer.
        var next: (content: [UInt8], tag: String)?
    }

    /// Shared with the origin's threads.
    private final class Shared: Sendable {
        let state: Lock<State>

        init(_ state: State) { self.state = Lock(state) }
    }

    private let shared: Shared
    let origin: RecordingOrigin

    init(_ content: [UInt8], tag: String = "\"v1\"") {
        let shared = Shared(State(content: content, tag: tag))
        self.shared = shared
        origin = TestOrigin.answering { request in shared.state.withLock { $0.answer(request) } }
    }

    var url: String { origin.url("/file") }
    /// Bytes of content that were sent.
    var sent: Int { shared.state.withLock { $0.sent } }
    /// The Range of each request; empty for the whole.
    var ranges: [String] { shared.state.withLock { $0.ranges } }

    func change(_ content: [UInt8], tag: String) { shared.state.withLock { ($0.content, $0.tag) = (content, tag) } }
    func cut(after counts: [Int]) { shared.state.withLock { $0.cuts = counts } }
    /// The next answer is cut after `count` bytes; then there is another content.
    func cut(after count: Int, changingTo content: [UInt8], tag: String) {
        shared.state.withLock { ($0.cuts, $0.next) = ([count], (content, tag)) }
    }
}

extension RangeOrigin.State {
    fileprivate mutating func answer(_ request: OriginRequestText) -> String {
        let asked = request["Range"].first ?? ""
        ranges.append(asked)
        let isCurrent = request["If-Range"].first.map { $0 == tag } ?? true
        guard isCurrent, !asked.isEmpty, !asked.contains(","), let range = range(asked) else {
            return message("200 OK", [], content)
        }
        guard !range.isEmpty else {
            return message("416 Range Not Satisfiable", ["Content-Range: bytes */\(content.count)"], [])
        }
        let place = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
        return message("206 Partial Content", [place], Array(content[range]))
    }

    private func range(_ value: String) -> Range<Int>? {
        let ends = value.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty { return Int(ends[1]).map { max(0, content.count - $0)..<content.count } }
        guard let first = Int(ends[0]), first < content.count else { return 0..<0 }
        return first..<(min(Int(ends[1]) ?? content.count - 1, content.count - 1) + 1)
    }

    private mutating func message(_ status: String, _ fields: [String], _ body: [UInt8]) -> String {
        var lines = [
            "HTTP/1.1 \(status)", "ETag: \(tag)", "Cache-Control: max-age=600", "Content-Length: \(body.count)",
        ]
        lines += fields
        var sent = body[...]
        if !cuts.isEmpty {
            sent = body.prefix(cuts.removeFirst())
            lines.append("Connection: close")
        }
        self.sent += sent.count
        if let next = next.take() { (content, tag) = next }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + String(decoding: sent, as: UTF8.self)
    }
}

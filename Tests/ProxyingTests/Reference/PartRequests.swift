import TestSupport

extension ReferenceRequest {
    /// The lines behind the first one.
    private var lines: [String] {
        var lines = ["Host: origin.example", "X-Request-Number: \(number)"]
        if let range { lines.append("Range: \(range)") }
        if let ifRange { lines.append("If-Range: \(ifRange)") }
        if let ifNoneMatch { lines.append("If-None-Match: \(ifNoneMatch)") }
        if isReload { lines.append("Cache-Control: no-cache") }
        return lines
    }

    private var method: String { isHead ? "HEAD" : "GET" }
    /// For people.
    var text: String { ([method] + lines.dropFirst(2)).joined(separator: "; ") }

    func message(to path: String) -> String {
        (["\(method) http://origin.example\(path) HTTP/1.1"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
    }
}

extension ReferenceReply {
    /// For people.
    var text: String {
        let parts = sections.map { "\($0.start)..<\($0.end) (\($0.bytes.count) bytes)" }.joined(separator: ", ")
        return "\(parts)\(isCut ? ", cut" : "")\(lie.map { ", a lie of \($0)" } ?? "")"
    }
}

extension FixedRandom {
    /// True in so many of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { next(100) < percent }

    mutating func pick<Element>(_ all: [Element]) -> Element { all[next(all.count)] }

    /// A Range as clients send it for a file of this length, mostly for bytes that exist.
    mutating func range(of length: Int) -> String {
        switch next(100) {
        case 0..<8: return "bytes=-\(pick([0, 1, 10, length / 2, length - 1, length, length + 1, 99_999]))"
        case 8..<16: return "bytes=\(next(length))-"
        case 16..<19: return "bytes=\(length + next(3))-\(length + 9)"
        case 19..<22:
            return pick(["bytes=5-99999999999999999999", "bytes=9223372036854775807-", "bytes=0-9223372036854775807"])
        case 22..<24: return pick(["bytes=5-2", "bytes=", "items=0-4", "bytes=x-5", "bytes=0-0-1"])
        case 24..<34: return "bytes=" + (0..<(2 + next(4))).map { _ in span(length) }.joined(separator: ",")
        case 34..<36:
            return "bytes=" + (0..<20).map { "\($0 * length / 20)-\($0 * length / 20)" }.joined(separator: ",")
        default: return "bytes=\(span(length))"
        }
    }

    private mutating func span(_ length: Int) -> String {
        let first = next(length)
        return "\(first)-\(first + next(pick([2, 20, length])))"
    }
}

import TestSupport

/// A response as its bytes.
struct Reply: Equatable, CustomStringConvertible {
    let head: String
    let content: String

    /// The number in the status line.
    var status: Int { Int(head.split(separator: " ", maxSplits: 2).dropFirst().first ?? "") ?? 0 }
    var description: String { head + content }

    /// The values of a field, in order; names in any case.
    subscript(_ name: String) -> [String] { Self.values(of: name, in: head) }

    /// What Cache-Status says after our name.
    var cacheStatus: String {
        let members = self["Cache-Status"].joined(separator: ", ")
        return members.split(separator: ";", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
    }

    var isHit: Bool { cacheStatus.hasPrefix(" hit") || cacheStatus.hasPrefix("hit") }

    static func values(of name: String, in head: String) -> [String] {
        head.split(separator: "\r\n").dropFirst().compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
            return String(parts[1].drop { $0 == " " })
        }
    }
}

/// Reads one response after the other off a connection.
final class ReplyReader {
    let client: RawClient
    private var unread: [UInt8] = []

    init(_ client: RawClient) { self.client = client }

    /// Sends a request and reads its response; nil if the connection ends first.
    func ask(_ request: String) -> Reply? {
        client.send(request)
        return next(hasContent: !request.hasPrefix("HEAD "))
    }

    /// The next response, interim ones included.
    func next(hasContent: Bool = true) -> Reply? {
        guard let headBytes = take(through: "\r\n\r\n") else { return nil }
        let head = String(decoding: headBytes, as: UTF8.self)
        let reply = Reply(head: head, content: "")
        guard hasContent, reply.status >= 200, reply.status != 204, reply.status != 304 else { return reply }
        if reply["Transfer-Encoding"] == ["chunked"] { return chunked(head) }
        let count = reply["Content-Length"].first.flatMap { Int($0) } ?? 0
        guard let content = take(count) else { return nil }
        return Reply(head: head, content: String(decoding: content, as: UTF8.self))
    }

    /// Takes the bytes out that have been received behind the last response.
    func takeReceived() -> [UInt8] {
        defer { unread = [] }
        return unread
    }

    private func chunked(_ head: String) -> Reply? {
        var content: [UInt8] = []
        while let line = take(through: "\r\n") {
            guard let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) else { return nil }
            guard let chunk = take(size), take(through: "\r\n") != nil else { return nil }
            if size == 0 { return Reply(head: head, content: String(decoding: content, as: UTF8.self)) }
            content += chunk
        }
        return nil
    }

    private func receive() -> Bool {
        guard case .bytes(let bytes) = client.receiveSome() else { return false }
        unread += bytes
        return true
    }

    private func take(through suffix: String) -> [UInt8]? {
        let wanted = Array(suffix.utf8)
        while true {
            if unread.count >= wanted.count {
                for end in wanted.count...unread.count where unread[end - wanted.count..<end].elementsEqual(wanted) {
                    defer { unread.removeFirst(end) }
                    return Array(unread[..<end])
                }
            }
            guard receive() else { return nil }
        }
    }

    private func take(_ count: Int) -> [UInt8]? {
        while unread.count < count { guard receive() else { return nil } }
        defer { unread.removeFirst(count) }
        return Array(unread[..<count])
    }
}

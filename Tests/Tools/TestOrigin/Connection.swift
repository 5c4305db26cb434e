import Glibc

/// One connection to a test's origin.
struct Connection {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Answers requests until the client closes.
    func serve(_ answer: (TestOrigin.Request) -> TestOrigin.Reply) {
        defer { close(descriptor) }
        var input: [UInt8] = []
        while let request = next(&input) {
            let reply = answer(request)
            var head = "HTTP/1.1 \(reply.status) Reply\r\n"
            for (name, value) in reply.fields { head += "\(name): \(value)\r\n" }
            if reply.status != 304 && reply.status != 204 {
                head += "Content-Length: \(reply.content.count)\r\n"
            }
            let content = request.method == "HEAD" || reply.status == 304 ? [] : reply.content
            guard write(Array((head + "\r\n").utf8) + content) else { return }
        }
    }

    private func next(_ input: inout [UInt8]) -> TestOrigin.Request? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = input.firstRange(of: end) {
                let head = String(decoding: input[..<range.lowerBound], as: UTF8.self)
                let lines = head.split(separator: "\r\n")
                let start = (lines.first ?? "").split(separator: " ")
                var fields: [String: String] = [:]
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    fields[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
                }
                let count = fields["content-length"].flatMap { Int($0) } ?? 0
                while input.count < range.upperBound + count { guard read(&input) else { return nil } }
                let content = Array(input[range.upperBound..<(range.upperBound + count)])
                input.removeFirst(range.upperBound + count)
                guard start.count == 3 else { return nil }
                return TestOrigin.Request(
                    method: String(start[0]),
                    target: String(start[1]),
                    fields: fields,
                    content: content
                )
            }
            guard read(&input) else { return nil }
        }
    }

    private func read(_ input: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        input += buffer[..<count]
        return true
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// A thread of the system's, detached.
enum SystemThread {
    private final class Body {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    static func start(_ work: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(work)).toOpaque()
        pthread_create(
            &thread,
            nil,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().work() }
                return nil
            },
            context
        )
        pthread_detach(thread)
    }
}

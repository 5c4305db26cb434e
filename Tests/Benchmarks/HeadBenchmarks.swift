import HTTPCore

/// Parsing and writing heads, most of the cost of a hit besides system calls.
enum HeadBenchmarks {
    static let all: [Benchmark] = [4, 8, 16, 32, 64].map(parseRequest) + [4, 8, 16, 32, 64].map(appendPreparedHead)

    private static func request(fieldCount: Int) -> [UInt8] {
        let known = ["Host: org.example", "Accept: */*", "Accept-Encoding: gzip, br", "User-Agent: curl/7.88.1"]
        let more = (0..<max(0, fieldCount - known.count)).map { "X-Field-\($0): some value of usual length" }
        return Array(
            ("GET /path/to/it?query=1 HTTP/1.1\r\n" + (known + more).joined(separator: "\r\n") + "\r\n\r\n").utf8
        )
    }

    private static func parseRequest(fieldCount: Int) -> Benchmark {
        Benchmark(name: "parse a request of \(fieldCount) fields") { turns in
            let bytes = request(fieldCount: fieldCount)
            var parser = RequestParser()
            var head = RequestHead()
            var complete = 0
            for _ in 0..<turns {
                if parser.parse(bytes.span, into: &head) == .complete(consumed: bytes.count) { complete += 1 }
                parser.reset()
            }
            return complete == turns && head.fields.lines.count == fieldCount
        }
    }

    private static func appendPreparedHead(fieldCount: Int) -> Benchmark {
        Benchmark(name: "append a stored head of \(fieldCount) fields") { turns in
            var fields = Fields()
            for index in 0..<fieldCount {
                fields.append(name: Array("X-Field-\(index)".utf8), value: Array("some value of usual length".utf8))
            }
            let prepared = PreparedHead(status: 200, fields: fields, framing: .length(1024))
            var output: [UInt8] = []
            var total = 0
            for turn in 0..<turns {
                output.removeAll(keepingCapacity: true)
                prepared.append(to: &output, age: Int64(turn % 60), ttl: 60)
                total += output.count
            }
            return total > prepared.count * turns && output.suffix(4).elementsEqual("\r\n\r\n".utf8)
        }
    }
}

/// A list of URLs, one a line; empty lines, and lines that begin with `#`, are ignored.
public struct URLList: Sendable {
    /// Why a line is not understood.
    public struct Fault: Error, Sendable, Equatable {
        /// From 1.
        public var line: Int
        /// What is wrong and what to write; it quotes nothing of the line.
        public var userMessage: String
    }

    /// The most URLs of a list.
    public static let limit = 100_000

    /// In the order of their first lines; each once.
    public private(set) var urls: [TargetURI] = []
    /// The lines that are not understood, in their order.
    public private(set) var faults: [Fault] = []

    public init(parsing text: [UInt8]) {
        var known: Set<TargetURI> = []
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let line = Self.trimmed(line)
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            do throws(Reason) {
                let url = try Self.url(line)
                guard known.count < Self.limit || known.contains(url) else {
                    throw Reason("the list has more than \(Self.limit) URLs; split it")
                }
                if known.insert(url).inserted { urls.append(url) }
            } catch {
                faults.append(Fault(line: index + 1, userMessage: error.text))
                if known.count == Self.limit { return }
            }
        }
    }

    private struct Reason: Error {
        var text: String
        init(_ text: String) { self.text = text }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var line = line.drop(while: isBlank)
        while let last = line.last, isBlank(last) { line.removeLast() }
        return line
    }

    private static func url(_ line: ArraySlice<UInt8>) throws(Reason) -> TargetURI {
        if URLGlob.isPattern(String(decoding: line, as: UTF8.self)) {
            throw Reason("a list has URLs and no patterns; write a * of a URL as %2A and a { as %7B")
        }
        guard let url = try? TargetURI(parsing: Array(line)) else {
            throw Reason("this is no http or https URL; write one, such as https://example.org/x, or # in front")
        }
        return url
    }
}

import Exchanges
import HTTPCore

/// The content of several parts of one representation, one behind the other in one body; never changes.
///
/// Parts in memory stay there, those in files stay in their files.
public final class JoinedBody: BodyFile {
    /// A part of the representation.
    public struct Part: Sendable {
        /// Positions in the representation.
        public let range: Range<Int64>
        public let body: RecordBody
        /// The position in `body` of the first of these bytes.
        let skipped: Int64

        public init(_ range: Range<Int64>, _ body: RecordBody) { self.init(range, body, skipped: 0) }

        private init(_ range: Range<Int64>, _ body: RecordBody, skipped: Int64) {
            self.range = range
            self.body = body
            self.skipped = skipped
        }

        var count: Int64 { range.upperBound - range.lowerBound }

        /// What is left of it without these ranges, which are in order.
        public func without(_ ranges: [Range<Int64>]) -> [Part] {
            var (left, start) = ([Part](), range.lowerBound)
            for other in ranges where other.overlaps(range) {
                if start < other.lowerBound { left.append(section(start..<other.lowerBound)) }
                start = max(start, other.upperBound)
            }
            if start == range.lowerBound { return [self] }
            return start < range.upperBound ? left + [section(start..<range.upperBound)] : left
        }

        private func section(_ section: Range<Int64>) -> Part {
            let start = skipped + section.lowerBound - range.lowerBound
            guard case .bytes(let bytes) = body else { return Part(section, body, skipped: start) }
            return Part(section, .bytes(Array(bytes[Int(start)..<Int(start) + section.count])))
        }
    }

    /// By position; they do not overlap.
    public let parts: [Part]
    /// The position of each part in this body.
    private let starts: [Int64]
    public let count: Int64

    /// - Parameter parts: by position, without overlaps.
    public init(_ parts: [Part]) {
        self.parts = parts
        var (starts, count) = ([Int64](), Int64(0))
        for part in parts {
            starts.append(count)
            count += part.count
        }
        self.starts = starts
        self.count = count
    }

    /// Parts in memory that touch are put together, up to this size.
    private static let smallLimit = 64 * 1024

    /// The same bytes in fewer parts: small neighbours in memory become one.
    ///
    /// - Parameter parts: by position, without overlaps.
    public static func coalesced(_ parts: [Part]) -> [Part] {
        var result: [Part] = []
        for part in parts {
            if let last = result.last, last.range.upperBound == part.range.lowerBound,
                case .bytes(let before) = last.body,
                case .bytes(let bytes) = part.body, before.count + bytes.count <= smallLimit
            {
                result[result.count - 1] = Part(last.range.lowerBound..<part.range.upperBound, .bytes(before + bytes))
            } else {
                result.append(part)
            }
        }
        return result
    }

    /// The number of files that it keeps open.
    public var fileCount: Int { parts.count { if case .file = $0.body { true } else { false } } }
    /// The number of bytes in memory.
    public var memoryCount: Int64 { parts.reduce(0) { if case .bytes = $1.body { $0 + $1.body.count } else { $0 } } }

    /// The sections of `range`, each in one part: the part's index, and the range in its body.
    private func sections(_ range: Range<Int64>) -> [(index: Int, range: Range<Int64>)] {
        parts.indices.compactMap { index in
            let start = max(range.lowerBound, starts[index])
            let end = min(range.upperBound, starts[index] + parts[index].count)
            let shift = parts[index].skipped - starts[index]
            return start < end ? (index, start + shift..<end + shift) : nil
        }
    }

    // MARK: Reading

    public func read(_ count: Int, at offset: Int64) -> [UInt8]? {
        var bytes: [UInt8] = []
        for (index, range) in sections(offset..<offset + Int64(count)) {
            switch parts[index].body {
            case .bytes(let content): bytes += content[Int(range.lowerBound)..<Int(range.upperBound)]
            case .file(let file):
                guard let read = file.read(range.count, at: range.lowerBound) else { return nil }
                bytes += read
                if read.count < range.count { return bytes }
            }
        }
        return bytes
    }

    public func piece(_ range: Range<Int64>) -> BodyPiece {
        guard let (index, inPart) = sections(range).first else { return .chunks([]) }
        switch parts[index].body {
        case .bytes(let content):
            return .chunks([ByteChunk(content).dropFirst(Int(inPart.lowerBound)).prefix(inPart.count)])
        case .file(let file):
            return file.piece(inPart)
        }
    }

    // MARK: Verifying

    public func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) {
        verify(sections(range)[...], completion)
    }

    private func verify(
        _ sections: ArraySlice<(index: Int, range: Range<Int64>)>,
        _ completion: @escaping @Sendable (Bool) -> Void
    ) {
        guard let (index, range) = sections.first else { return completion(true) }
        guard case .file(let file) = parts[index].body else { return verify(sections.dropFirst(), completion) }
        file.verify(range) { [self] isRight in
            if isRight { verify(sections.dropFirst(), completion) } else { completion(false) }
        }
    }

    public func isVerified(_ range: Range<Int64>) -> Bool {
        sections(range).allSatisfy { index, range in
            if case .file(let file) = parts[index].body { file.isVerified(range) } else { true }
        }
    }

    public func fileCouldNotBeRead() {
        for part in parts { if case .file(let file) = part.body { file.fileCouldNotBeRead() } }
    }
}

package import Stores
import TestDoubles

extension World {
    /// From which the origins of tests about parts send them.
    package static let digits = "0123456789"
    package static let freshPart = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]

    /// A GET for a part.
    @discardableResult
    package func part(_ range: String, _ lines: [(String, String)] = []) -> Client {
        get("/a", [("Range", "bytes=\(range)")] + lines)
    }

    /// The origin answers with these bytes of the content.
    package func answerPart(
        _ range: Range<Int>,
        _ lines: [(String, String)] = Self.freshPart,
        total: String? = nil,
        contentRange: String? = nil
    ) {
        let text = String(Array(Self.digits)[range])
        let value =
            contentRange ?? "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total ?? "\(Self.digits.count)")"
        last.answer(206, lines + [("Content-Range", value)], text)
        runUntilIdle()
    }

    /// Loads a part, so that it is stored.
    package func fillPart(_ range: Range<Int>, _ lines: [(String, String)] = Self.freshPart, total: String? = nil) {
        part("\(range.lowerBound)-\(range.upperBound - 1)")
        answerPart(range, lines, total: total)
    }

    package var parts: [StoredRecord] { store?.records(of: Self.uri("/a")).filter { $0.extent != nil } ?? [] }
}

import HTTPCore
import Testing
import Transforms

@testable import Transformers

/// How much transformers that stream put out in one call.
@Suite("Room of a call") struct RoomTests {
    /// The most that one call puts out; nil if what comes is not `expected`.
    private static func largest(
        _ transformer: any StreamingTransformer,
        _ type: String,
        _ content: [UInt8],
        coding: String? = nil,
        expected: [UInt8]
    ) throws -> Int? {
        var run = Run(piece: 1 << 20, room: 1000)
        run.request = [("Host", "gate.example")]
        var response = head(("Content-Type", type))
        if let coding { response.fields.append(name: "Content-Encoding", value: coding) }
        let result = try run.transform(transformer, &response, content)
        return result == expected ? run.largestCall : nil
    }

    private static let letters = [UInt8](repeating: 0x61, count: 50_000)

    @Test("a call puts out exactly what there is room for, where single bytes come out", arguments: [1, 2, 3])
    func bytes(round: Int) throws {
        let letters = Self.letters + [UInt8](repeating: 0x62, count: round)
        for charset in ["utf-8", "windows-1252", "koi8-r"] {
            let type = "text/plain; charset=\(charset)"
            #expect(try Self.largest(CharsetTransformer(), type, letters, expected: letters) == 1000)
        }
        let substitute = try SubstituteTransformer("x", with: "y")
        #expect(try Self.largest(substitute, "text/plain", letters, expected: letters) == 1000)
        #expect(try Self.largest(LinksTransformer(), "text/html", letters, expected: letters) == 1000)
        let gzip = try encoded(letters, .gzip)
        #expect(try Self.largest(DecodeTransformer(), "a/b", gzip, coding: "gzip", expected: letters) == 1000)
    }

    @Test("tokens of JSON are put out whole, until there is no room")
    func tokens() throws {
        let ones = Array(("[" + String(repeating: "1 , ", count: 10_000) + "1]").utf8)
        let expected = ones.filter { $0 != 0x20 }
        #expect(try Self.largest(MinifyTransformer(), "application/json", ones, expected: expected) == 1000)
    }
}

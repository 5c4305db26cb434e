import Exchanges
import HTTPCore
import JSON
import ResourceModel
import Stores
import Testing
import Transforms

/// How stored content is sent, and which content is not.
@Suite struct ContentReplyTests {
    private static let url = "http://h.example/a"

    /// A file that notes what was checked of it, and whose later pieces are what a test says.
    private final class NotedFile: BodyFile {
        let checked = Noted<Range<Int64>>()
        let bytes: [UInt8]
        private let later: BodyPiece?

        init(_ bytes: [UInt8], later: BodyPiece? = nil) { (self.bytes, self.later) = (bytes, later) }

        var count: Int64 { Int64(bytes.count) }

        func piece(_ range: Range<Int64>) -> BodyPiece {
            if let later, range.lowerBound > 0 { return later }
            let piece = bytes[Int(range.lowerBound)..<Int(range.upperBound)]
            let half = piece.startIndex + piece.count / 2
            return .chunks([ByteChunk(Array(piece[..<half])), ByteChunk(Array(piece[half...]))])
        }

        func read(_ count: Int, at offset: Int64) -> [UInt8]? { nil }

        func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) {
            checked.note(range)
            completion(true)
        }

        func isVerified(_ range: Range<Int64>) -> Bool { false }
    }

    private static func admin(_ file: NotedFile) throws -> (admin: TestAdmin, path: String) {
        let admin = try TestAdmin()
        try admin.store?.put(.sample(url, body: .file(file)))
        return (admin, try path(admin))
    }

    private static func path(_ admin: TestAdmin) throws -> String {
        let id = try #require(try admin.json("/v1/resources?uri=\(url)")["id"]?.text)
        return "/v1/resources/\(id)/body"
    }

    @Test("a file is checked and sent in pieces of 1 MiB, one after the other; for HEAD nothing is checked")
    func pieces() throws {
        let file = NotedFile((0..<(5 << 19)).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let (admin, path) = try Self.admin(file)
        let head = try admin.send("HEAD", path, [admin.host, TestAdmin.bearer])
        #expect(head.status == 200 && head["Content-Length"] == "\(5 << 19)" && file.checked.all.isEmpty)
        let answer = try admin.get(path)
        let isWhole = answer.content.count == 5 << 19 && answer.content == file.bytes
        #expect(isWhole)
        let pieces: [Range<Int64>] = [0..<1_048_576, 1_048_576..<2_097_152, 2_097_152..<2_621_440]
        #expect(file.checked.all == pieces)
    }

    @Test(
        "content of which a piece cannot be had is cut, so that the client notices",
        arguments: [.wait, .end(trailers: nil), .failed(ExchangeFailure(.connectionRefused, "no"))] as [BodyPiece]
    )
    func missing(piece: BodyPiece) throws {
        let (admin, path) = try Self.admin(NotedFile([UInt8](repeating: 7, count: 2 << 20), later: piece))
        let answer = try admin.get(path)
        #expect(answer["Content-Length"] == "\(2 << 20)" && answer.content.count <= 1 << 20)
    }

    @Test("content has the coding with which it is stored, unless it was redacted, and is bytes where no type is known")
    func fields() throws {
        for (fields, isRedacted, coding, type) in [
            ([("Content-Encoding", "gzip"), ("Content-Type", "text/css")], false, "gzip", "text/css"),
            ([("Content-Encoding", "gzip"), ("Content-Type", "text/css")], true, nil, "text/css"),
            ([("Cache-Control", "max-age=60")], false, nil, "application/octet-stream"),
        ] as [([(String, String)], Bool, String?, String)] {
            let admin = try TestAdmin()
            var record = try StoredRecord.sample(Self.url, fields: fields)
            if isRedacted { record.rendition = [1] }
            admin.store?.put(record)
            let answer = try admin.get(Self.path(admin))
            #expect(answer.status == 200 && answer["Content-Encoding"] == coding && answer["Content-Type"] == type)
            #expect(answer["Content-Disposition"] == "attachment" && answer.text == "content")
        }
    }

    /// Hides something of every response.
    private struct Redaction: StreamingTransformer {
        let name = "redact"
        let fingerprint = "1"
        var isRedaction: Bool { true }

        func begin(
            _ head: inout EntityHead,
            _ context: TransformContext
        ) throws(TransformFailure) -> (any ContentFilter)? {
            nil
        }
    }

    /// - Parameter keepsOriginal: whether administrators may see what the rule hides from clients.
    private static func redacting(keepsOriginal: Bool) throws -> TestAdmin {
        let admin = try TestAdmin()
        admin.service.configure(whenURLMatches: { _ in true }) {
            $0.pipeline.add(PipelineStep(Redaction(), keepsOriginal: keepsOriginal), to: .model)
        }
        return admin
    }

    @Test("content that was stored before a rule redacts it is not shown, unless the rule keeps the original")
    func hidden() throws {
        for (keepsOriginal, isRedacted, status) in [(false, false, 403), (true, false, 200), (false, true, 200)] {
            let admin = try Self.redacting(keepsOriginal: keepsOriginal)
            var record = try StoredRecord.sample(Self.url)
            if isRedacted { record.rendition = [1] }
            admin.store?.put(record)
            let answer = try admin.get(Self.path(admin))
            #expect(answer.status == status && (answer.text == "content") == (status == 200), "\(answer.text)")
            guard status == 403 else { continue }
            let sentence =
                "a rule redacts this content, which was stored before the rule: purge it, or set keep-original"
            #expect(try JSONReader.parse(answer.content)["detail"]?.text == sentence)
        }
    }

    @Test("an archive leaves out what a rule redacts, and nothing is imported where a rule redacts")
    func archives() throws {
        let admin = try Self.redacting(keepsOriginal: false)
        try admin.store?.put(.sample(Self.url))
        let archive = try admin.json(Self.path(admin).replacing("/body", with: "/har"))
        #expect(archive["entries"]?.elements.isEmpty == true)
        #expect(archive["left"]?.elements.compactMap(\.text) == ["a rule redacts it"])
        let entry = """
            {"entry":{"startedDateTime":"2023-11-14T22:11:40Z","timings":{"send":0,"wait":0,"receive":1},\
            "request":{"method":"GET","url":"http://h.example/b","headers":[]},"response":{"status":200,\
            "headers":[{"name":"Cache-Control","value":"max-age=600"}],"content":{"size":1,"text":"x"}}},\
            "isForeign":true}
            """
        #expect(
            try admin.post("/v1/import", entry).text
                == "{\"stored\":false,\"reason\":\"redact\",\"detail\":\"a rule redacts responses of this URL\"}\n"
        )
        #expect(admin.store?.all.count == 1)
    }
}

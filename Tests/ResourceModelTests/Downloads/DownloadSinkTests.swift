import Exchanges
import HTTPCore
import Platform
import ResourceDoubles
import TestSupport
import Testing

@testable import ResourceCore
@testable import ResourceModel

@Suite("Responses that go to the part of a download")
struct DownloadSinkTests {
    private static let tag = ("ETag", "\"1\"")

    private let directory = TemporaryDirectory()
    private var path: String { directory.path("file") }

    private func head(_ status: UInt16, _ lines: [(String, String)] = []) -> ResponseHead {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        return ResponseHead(status: status, fields: fields)
    }

    private func request(_ lines: [(String, String)] = [], method: Method = .get) -> HTTPRequest {
        var request = HTTPRequest(method: method, url: World.uri("/a"))
        for (name, value) in lines { request[field: name] = value }
        request.destination = path
        return request
    }

    /// A sink for a part that an earlier attempt has left with these bytes of ten, and this validator.
    private func sink(
        continuing bytes: String,
        _ validator: (String, String) = DownloadSinkTests.tag
    ) throws -> DownloadSink {
        let lines = [validator, ("Content-Length", "10"), ("Date", "Sun, 06 Nov 1994 09:00:00 GMT")]
        let note = try #require(DownloadNote(head(200, lines), of: World.uri("/a")))
        try directory.write(bytes, to: "file" + PartialFile.suffix)
        return DownloadSink(try PartialFile(path: path), path: path, for: request(), continuing: note)
    }

    private func sink(_ request: HTTPRequest) throws -> DownloadSink {
        DownloadSink(try PartialFile(path: path), path: path, for: request, continuing: nil)
    }

    /// The names of the files that are there.
    private var files: [String] { filesBelow(directory.path).map { String($0.dropFirst(directory.path.count + 1)) } }

    // MARK: What is asked for

    @Test("what is left of a part is asked for, if it is still the same; else all of it, uncoded")
    func asking() throws {
        let first = try sink(continuing: "abcd")
        let rest = first.sunkRequest
        first.abandon()
        #expect(rest[field: "Range"] == "bytes=4-" && rest[field: "If-Range"] == "\"1\"")
        #expect(rest[field: "Accept-Encoding"] == "identity" && rest.destination == nil && rest.sink != nil)
        let whole = try sink(request([("Accept-Encoding", "br")])).sunkRequest
        #expect(whole[field: "Range"] == nil && whole[field: "If-Range"] == nil)
        #expect(whole[field: "Accept-Encoding"] == "br")
    }

    // MARK: Continuing

    @Test(
        "a part is continued by what follows it, with the same tag or without one; a date needs no tag",
        arguments: [
            (("ETag", "\"1\""), [], true), (("ETag", "\"1\""), [tag], true),
            (("ETag", "\"1\""), [("ETag", "\"2\"")], false),
            (("Last-Modified", "Sun, 06 Nov 1994 08:49:36 GMT"), [], true),
            (("Last-Modified", "Sun, 06 Nov 1994 08:49:36 GMT"), [("ETag", "\"2\"")], true),
        ] as [((String, String), [(String, String)], Bool)]
    )
    func continuing(validator: (String, String), lines: [(String, String)], isContinued: Bool) throws {
        let sink = try sink(continuing: "abcd", validator)
        let head = head(206, [("Content-Range", "bytes 4-9/10")] + lines)
        guard isContinued else {
            #expect(throws: DownloadSink.StartsAnew.self) { try sink.begin(head) }
            return #expect(sink.mustRestart)
        }
        #expect(try sink.begin(head) && !sink.mustRestart && sink.resumedAt == 4)
        try sink.receive(ByteChunk("efghij"))
        let file = try sink.complete(NetworkingResult(head: head))
        #expect(file == DownloadedFile(path: path, size: 10, resumedAt: 4))
        #expect(contents(path) == Array("abcdefghij".utf8) && files == ["file"])
    }

    @Test("what lies behind the place where a part is continued is dropped first")
    func shortened() throws {
        // All bytes are there, but the last one is asked for again.
        let sink = try sink(continuing: "abcdefghiX")
        #expect(sink.sunkRequest[field: "Range"] == "bytes=9-")
        let head = head(206, [("Content-Range", "bytes 9-9/10"), Self.tag])
        #expect(try sink.begin(head))
        try sink.receive(ByteChunk("j"))
        #expect(try sink.complete(NetworkingResult(head: head))?.resumedAt == 9)
        #expect(contents(path) == Array("abcdefghij".utf8))
    }

    @Test("a size that only the rest tells is noted for the next attempt")
    func learntSize() throws {
        var note = try #require(DownloadNote(head(200, [Self.tag]), of: World.uri("/a")))
        #expect(note.total == nil)
        note.synced = 4
        try directory.write("abcd", to: "file" + PartialFile.suffix)
        let sink = DownloadSink(try PartialFile(path: path), path: path, for: request(), continuing: note)
        #expect(try sink.begin(head(206, [("Content-Range", "bytes 4-9/10"), Self.tag])))
        try sink.receive(ByteChunk("ef"))
        sink.abandon()
        let kept = try #require(try PartialFile(path: path).note.flatMap { DownloadNote(parsing: $0) })
        #expect(kept.total == 10 && kept.synced == 6 && kept.validator == "\"1\"")
    }

    // MARK: Statuses

    @Test(
        "successes become the file, errors of the server go to memory, anything else is a failure with its reason",
        arguments: [
            (200, true), (201, true), (299, true), (400, false), (404, false), (416, false), (599, false),
        ] as [(UInt16, Bool)]
    )
    func statuses(status: UInt16, isFile: Bool) throws {
        let sink = try sink(request())
        #expect(try sink.begin(head(status)) == isFile)
        if isFile { try sink.receive(ByteChunk("abc")) }
        let file = try sink.complete(NetworkingResult(head: head(status)))
        #expect(file == (isFile ? DownloadedFile(path: path, size: 3) : nil))
        sink.abandon()
        #expect(files == (isFile ? ["file"] : []))
    }

    @Test(
        "a response that is no file says why",
        arguments: [
            (206, [], "the server sent a part that nobody had asked for"),
            (300, [], "the server answered with status 300"),
            (399, [("Location", "/b")], "the server answered with status 399 and the location /b"),
        ] as [(UInt16, [(String, String)], String)]
    )
    func noFile(status: UInt16, lines: [(String, String)], reason: String) throws {
        let sink = try sink(request())
        let fault = #expect(throws: RequestError.Cause.FileTransfer.self) { try sink.begin(head(status, lines)) }
        #expect(fault == RequestError.Cause.FileTransfer(.receiving, path: path, reason: reason))
        sink.abandon()
        #expect(files.isEmpty && !sink.mustRestart)
    }

    @Test("a coding is refused unless the request accepts some; identity is none", arguments: [false, true])
    func codings(acceptsCodings: Bool) throws {
        for (coding, isCoded) in [("gzip", true), ("Identity", false), ("", false)] {
            let sink = try sink(request(acceptsCodings ? [("Accept-Encoding", "gzip")] : []))
            let isTaken = (try? sink.begin(head(200, [("Content-Encoding", coding)]))) == true
            #expect(isTaken == (acceptsCodings || !isCoded), "\(coding)")
            sink.abandon()
        }
    }

    // MARK: The end

    @Test(
        "what a provider collected in memory is written at the end, whether it tells a head or not",
        arguments: [true, false]
    )
    func memory(hasHead: Bool) throws {
        let sink = try sink(request())
        let result = NetworkingResult(
            head: hasHead ? head(200, [("Content-Length", "3")]) : nil,
            content: Array("abc".utf8)
        )
        #expect(try sink.complete(result) == DownloadedFile(path: path, size: 3))
        #expect(contents(path) == Array("abc".utf8) && files == ["file"])
    }

    @Test("fewer bytes than announced are a response that broke off")
    func incomplete() throws {
        let sink = try sink(request())
        #expect(try sink.begin(head(200, [("Content-Length", "4")])))
        try sink.receive(ByteChunk("abc"))
        let failure = #expect(throws: ExchangeFailure.self) { try sink.complete(NetworkingResult()) }
        #expect(failure?.kind == .responseIncomplete && failure?.userMessage == "the response ended after 3 of 4 bytes")
    }

    @Test(
        "a part stays after a failure if a GET of the whole had a validator, and brought bytes",
        arguments: [
            (.get, [], 200, 3, true), (.get, [], 200, 1, true), (.get, [], 200, 0, false), (.post, [], 200, 3, false),
            (.get, [("Range", "bytes=0-")], 200, 3, false), (.get, [("Range", "bytes=0-")], 206, 3, false),
            (.get, [], 201, 3, false), (.get, [], 203, 3, false),
        ] as [(Method, [(String, String)], UInt16, Int, Bool)]
    )
    func keeping(method: Method, lines: [(String, String)], status: UInt16, count: Int, isKept: Bool) throws {
        let sink = try sink(request(lines, method: method))
        #expect(try sink.begin(head(status, [Self.tag])))
        if count > 0 { try sink.receive(ByteChunk([UInt8](repeating: 1, count: count))) }
        sink.abandon()
        #expect(files.sorted() == (isKept ? ["file.respite-note", "file.respite-part"] : []))
        guard isKept else { return }
        let note = try PartialFile(path: path).note.flatMap { DownloadNote(parsing: $0) }
        #expect(note?.synced == Int64(count) && note?.url == World.uri("/a").text)
    }

    @Test("a part of something else stays if nothing of this response was written; an empty one goes", arguments: 0...2)
    func foreignPart(count: Int) throws {
        try directory.write([UInt8](repeating: 1, count: count), to: "file" + PartialFile.suffix)
        let sink = try sink(request())
        sink.abandon()
        #expect(files == (count > 0 ? ["file.respite-part"] : []))
    }
}

import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import Platform

/// Writes the content of one response to the part of a download, and decides whether it continues what is there.
final class DownloadSink: ContentSink {
    /// The server does not continue the part: the whole is to be asked for.
    struct StartsAnew: Error {}

    private struct State {
        /// What the part is a part of; nil if it cannot be continued later.
        var note: DownloadNote?
        var hasBegun = false
        /// Whether content of this response goes to the part.
        var isWriting = false
        var mustRestart = false
        /// The bytes that the part had before.
        var resumedAt: Int64 = 0
        /// The size of the whole, if that is known.
        var total: Int64?
    }

    private let file: PartialFile
    private let path: String
    private let request: HTTPRequest
    /// The part that the request continues; nil: it asks for everything.
    private let continued: DownloadNote?
    /// Whether the program asks for a range, or accepts codings, by fields of its own.
    private let asksForRange: Bool
    private let acceptsCodings: Bool
    private let state: Lock<State>

    /// - Parameters:
    ///   - file: the part.
    ///   - path: as the program gave it.
    ///   - original: the program's request.
    ///   - continued: what is noted about the bytes of `file` that the request continues.
    init(_ file: PartialFile, path: String, for original: HTTPRequest, continuing continued: DownloadNote?) {
        self.file = file
        self.path = path
        self.continued = continued
        asksForRange = original.fields.contains(.range)
        acceptsCodings = original.fields.contains(.acceptEncoding)
        var request = original
        request.destination = nil
        if !acceptsCodings { request.fields.set(.acceptEncoding, "identity") }
        if let continued {
            request.fields.set(.range, "bytes=\(continued.usable(of: file.size))-")
            request.fields.set(.ifRange, continued.validator)
        }
        self.request = request
        state = Lock(State(note: continued))
    }

    /// The request that brings the content here.
    var sunkRequest: HTTPRequest {
        var request = request
        request.sink = self
        return request
    }

    /// Whether the server does not continue the part, so that another request must ask for everything.
    var mustRestart: Bool { state.withLock { $0.mustRestart } }

    /// The bytes that came before those of this response.
    var resumedAt: Int64 { state.withLock { $0.resumedAt } }

    // MARK: ContentSink

    func begin(_ head: ResponseHead) throws -> Bool {
        state.withLock { $0.hasBegun = true }
        switch head.status {
        case 206 where continued != nil, 416 where continued != nil:
            guard let (start, total) = continuation(head) else {
                state.withLock { $0.mustRestart = true }
                throw StartsAnew()
            }
            try resume(at: start, of: total)
        case 206 where !asksForRange: throw failure("the server sent a part that nobody had asked for")
        case 200..<300: try start(head)
        case 400...: return false
        default: throw failure("the server answered with status \(head.status)\(Self.target(head))")
        }
        state.withLock { $0.isWriting = true }
        return true
    }

    func receive(_ content: ByteChunk) throws {
        try onFile { file throws(FileFault) in try file.append(content.bytes) }
    }

    // MARK: The head

    /// Where the response continues the part, and the size of the whole; nil if it contradicts what is noted.
    private func continuation(_ head: ResponseHead) -> (start: Int64, total: Int64)? {
        guard head.status == 206, let continued, Self.coding(head) == nil,
            let extent = ContentExtent(
                partialContent: head.fields,
                length: DownloadNote.length(head),
                for: request.fields
            ),
            let first = extent.ranges.first?.lowerBound, first == continued.usable(of: file.size),
            let total = extent.total, total == continued.total ?? total
        else { return nil }
        let tag = EntityTag(in: head.fields).map { String(decoding: $0.bytes, as: UTF8.self) }
        let isSameTag = tag == nil || !continued.validator.hasSuffix("\"") || tag == continued.validator
        return isSameTag ? (first, total) : nil
    }

    private func resume(at start: Int64, of total: Int64) throws {
        try onFile { file throws(FileFault) in try file.shorten(to: start) }
        state.withLock { state in
            state.resumedAt = start
            state.total = total
            state.note?.total = total
        }
    }

    private func start(_ head: ResponseHead) throws {
        if let coding = Self.coding(head), !acceptsCodings {
            let message = "a download asks for the file's own bytes; set Accept-Encoding to keep coded ones"
            throw RequestError.Cause.UndecodableContent(coding: coding, message: message)
        }
        let mayContinue = request.method == .get && !asksForRange && head.status == 200
        let note = mayContinue ? DownloadNote(head, of: request.url) : nil
        try onFile { file throws(FileFault) in try file.restart(note: note?.text) }
        state.withLock { state in
            state.note = note
            state.total = DownloadNote.length(head)
        }
    }

    /// The content coding; nil if there is none.
    private static func coding(_ head: ResponseHead) -> String? {
        guard let coding = head.fields.text(of: .contentEncoding), !coding.isEmpty else { return nil }
        return coding.lowercased() == "identity" ? nil : coding
    }

    private static func target(_ head: ResponseHead) -> String {
        head.fields.text(of: .location).map { " and the location \($0)" } ?? ""
    }

    // MARK: The end

    /// Makes the part the file if it is complete; nil if the response is an error of the server's.
    ///
    /// If the provider has not used the sink, the content is that of `result`.
    func complete(_ result: NetworkingResult) throws -> DownloadedFile? {
        if !state.withLock({ $0.hasBegun }) {
            guard try begin(result.head ?? ResponseHead(status: 200)) else { return nil }
            if let content = result.content { try receive(ByteChunk(content)) }
        }
        let end = state.withLock { $0 }
        guard end.isWriting else { return nil }
        if let total = end.total, total != file.size {
            let message = "the response ended after \(file.size) of \(total) bytes"
            throw ExchangeFailure(.responseIncomplete, message)
        }
        try onFile { file throws(FileFault) in try file.finish() }
        return DownloadedFile(path: path, size: file.size, resumedAt: end.resumedAt)
    }

    /// The download has failed: keeps the part if it can be continued.
    func abandon() {
        let end = state.withLock { $0 }
        // What another request left may be continued yet.
        if !end.isWriting, file.size > 0 { return file.leave() }
        guard var note = end.note, file.size > 0 else { return file.discard() }
        note.synced = file.size
        note.boot = SystemBoot.identifier
        file.keep(note: note.text)
    }

    private func onFile(_ body: (PartialFile) throws(FileFault) -> Void) throws(RequestError.Cause.FileTransfer) {
        do { try body(file) } catch { throw RequestError.Cause.FileTransfer(.receiving, path: path, error) }
    }

    private func failure(_ reason: String) -> RequestError.Cause.FileTransfer {
        RequestError.Cause.FileTransfer(.receiving, path: path, reason: reason)
    }
}

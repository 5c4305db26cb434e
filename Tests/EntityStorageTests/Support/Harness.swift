import EntityStorage
import Glibc
import HTTPCore
import Locking
import Stores
import TestSupport
import Testing
import Transforms

/// Notices a store has sent.
final class NoticeLog: Sendable {
    private struct State {
        var all: [StoreNotice] = []
        var waiter: (count: Int, work: @Sendable () -> Void)?
    }

    private let state = Lock(State())
    var all: [StoreNotice] { state.withLock { $0.all } }

    func add(_ notice: StoreNotice) {
        let work = state.withLock { state -> (@Sendable () -> Void)? in
            state.all.append(notice)
            guard let waiter = state.waiter, state.all.count >= waiter.count else { return nil }
            state.waiter = nil
            return waiter.work
        }
        work?()
    }

    /// Waits until `count` notices have come.
    func wait(for count: Int) async {
        _ = await answer { (done: @escaping @Sendable (Bool) -> Void) in
            let isThere = state.withLock { state in
                if state.all.count < count { state.waiter = (count, { done(true) }) }
                return state.all.count >= count
            }
            if isThere { done(true) }
        }
    }
}

/// Which rows a listing has; all, if it is not told.
struct RowChoice: RowTest {
    var may: @Sendable (Span<UInt8>, UInt16, Int64) -> Bool = { _, _, _ in true }
    var does: @Sendable (StoredSummary) -> Bool = { _ in true }

    func uri(of canonical: Span<UInt8>, status: UInt16, contentBytes: Int64) -> TargetURI? {
        may(canonical, status, contentBytes) ? TargetURI(canonical: canonical) : nil
    }

    func wants(_ record: StoredSummary) -> Bool { does(record) }
}

/// A store with `await` in place of completions.
struct OpenStore: Sendable {
    let store: SQLiteStore
    let log: NoticeLog

    init(_ configuration: StoreConfiguration) throws {
        let log = NoticeLog()
        self.log = log
        store = try SQLiteStore(configuration) { log.add($0) }
    }

    init(_ directory: TemporaryDirectory, limit: Int64 = 64 << 20) throws {
        try self.init(StoreConfiguration(directory: directory.path, limit: limit))
    }

    var openError: StoreError? {
        get async { await answer { waiter in store.whenOpen { waiter($0) } } }
    }

    func lookUp(_ uri: TargetURI) async -> [StoredRecord] {
        await answer { waiter in store.lookUp(uri) { waiter($0) } }
    }

    @discardableResult
    func commit(_ record: StoredRecord) async -> Bool {
        await answer { waiter in
            store.commit(record) { waiter($0) }
            store.flush {}
        }
    }

    @discardableResult
    func commit(_ rendition: StoredRendition, of original: StoredRecord) async -> Bool {
        await answer { waiter in
            store.commit(rendition, of: original) { waiter($0) }
            store.flush {}
        }
    }

    func rendition(_ name: RenditionName, of original: StoredRecord) async -> StoredRendition? {
        await answer { waiter in store.lookUp(name, of: original) { waiter($0) } }
    }

    func renditions(_ uri: TargetURI) async -> [StoredRenditionSummary] {
        await answer { waiter in store.listRenditions(of: uri) { waiter($0) } }
    }

    @discardableResult
    func freshen(_ record: StoredRecord) async -> Bool {
        await answer { waiter in store.freshen(record) { waiter($0) } }
    }

    @discardableResult
    func invalidate(_ uri: TargetURI) async -> Bool {
        await answer { waiter in store.invalidate(uri) { waiter($0) } }
    }

    func remove(_ uri: TargetURI) async -> Int {
        await answer { waiter in store.remove(uri) { waiter($0) } }
    }

    func removeAll(_ condition: @escaping @Sendable (TargetURI) -> Bool) async -> Int {
        await answer { waiter in
            store.removeAll(where: condition) { waiter($0) }
        }
    }

    func list(
        after cursor: Int64,
        limit: Int,
        where test: RowChoice = RowChoice()
    ) async -> StoredPage {
        await answer { waiter in
            store.list(after: cursor, limit: limit, where: test) { waiter($0) }
        }
    }

    /// All entries, read in pages.
    func listAll(limit: Int) async -> [StoredSummary] {
        var entries: [StoredSummary] = []
        var next: Int64? = 0
        while let cursor = next {
            let page = await list(after: cursor, limit: limit)
            #expect(page.entries.count <= limit)
            entries += page.entries
            next = page.next
        }
        return entries
    }

    func flush() async { await answer { waiter in store.flush { waiter(()) } } }
    func close() async { await answer { waiter in store.close { waiter(()) } } }

    /// Writes `bytes` through a body writer in pieces; nil if they are refused.
    func body(_ bytes: [UInt8], expected: Int64? = nil, pieces: Int = 100_000) async -> (any BodyFile)? {
        guard let writer = store.makeBody(expected: expected) else { return nil }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = ByteChunk(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
            guard await writer.flushed(piece) != nil else {
                writer.discard()
                return nil
            }
        }
        return await writer.finished
    }
}

extension OpenStore {
    /// Has the store try the disk now rather than later; whether it is in order again.
    func resumes() async -> Bool {
        await answer { waiter in
            store.retry { waiter(store.statistics().state == .ok) }
        }
    }

    /// Has the store look now whether its directory is still the one it opened.
    func checkDirectory() async { await answer { waiter in store.checkDirectory { waiter(()) } } }

    /// Ends the review of what was stored earlier, at once.
    func finishReview() async { await answer { waiter in store.finishReview { waiter(()) } } }

    /// The whole walk for files without rows, at once.
    func collectGarbage() async {
        await answer { waiter in store.collectGarbage { waiter(()) } }
    }
}

/// Waits for what a completion brings.
///
/// It is handed over under a lock: ThreadSanitizer sees that, as it does not see what a continuation orders.
func answer<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    let brought = Lock<Value?>(nil)
    await withCheckedContinuation { waiter in
        start { value in
            brought.withLock { $0 = value }
            waiter.resume()
        }
    }
    guard let value = brought.withLock({ $0 }) else { preconditionFailure("a completion brought nothing") }
    return value
}

extension BodyWriter {
    func flushed(_ chunk: ByteChunk) async -> Int64? {
        await answer { waiter in append(chunk) { waiter($0) } }
    }

    var finished: (any BodyFile)? {
        get async { await answer { waiter in finish { waiter($0) } } }
    }
}

extension BodyFile {
    func isWhole(_ range: Range<Int64>? = nil) async -> Bool {
        await answer { waiter in verify(range ?? 0..<count) { waiter($0) } }
    }

    /// The descriptor of the file; -1 if the content is in none.
    var descriptor: Int32 { if case .file(let region) = piece(0..<count) { region.descriptor } else { -1 } }

    var bytes: [UInt8] {
        guard case .file(let region) = piece(0..<count) else { return [] }
        var buffer = [UInt8](repeating: 0, count: Int(count))
        let got = pread(region.descriptor, &buffer, buffer.count, off_t(region.offset))
        return Array(buffer.prefix(max(0, got)))
    }
}

func uri(_ path: String) -> TargetURI {
    TargetURI(scheme: .http, host: Array("org.example".utf8), port: 8080, path: Array(path.utf8))
}

/// Bytes that differ from seed to seed and do not compress.
func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        for index in 0..<count {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            buffer[index] = UInt8(truncatingIfNeeded: state)
        }
        filled = count
    }
}

func record(
    _ path: String,
    _ content: [UInt8] = Array("content".utf8),
    partition: Partition = .shared,
    selection: [UInt8] = [],
    fields: [(String, String)] = [("Content-Type", "text/plain"), ("ETag", "\"1\"")],
    requestFields: [(String, String)] = [],
    body: RecordBody? = nil
) -> StoredRecord {
    func section(_ lines: [(String, String)]) -> Fields {
        var fields = Fields()
        for line in lines { fields.append(name: line.0, value: line.1) }
        return fields
    }
    return StoredRecord(
        uri: uri(path),
        partition: partition,
        selection: selection,
        status: 200,
        reason: Array("OK".utf8),
        fields: section(fields),
        requestFields: section(requestFields),
        requestTime: HTTPDate(seconds: 1_700_000_000),
        responseTime: HTTPDate(seconds: 1_700_000_001),
        isInvalidated: false,
        body: body ?? .bytes(content)
    )
}

extension StoredRecord {
    /// The content, wherever it lies.
    var content: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .file(let file): file.bytes
        }
    }
}

// Stores records until it is killed, for the tests of what survives that.
//
//     StoreTorture DIRECTORY FIRST [FILE-SIZE-LIMIT]
//
// Record n has `content(n)`; its number goes to standard output once it is durable. With a limit the program ends by
// itself when the store has met it.
import EntityStorage
import Glibc
import HTTPCore
import Stores
import Transforms

/// Bytes that follow from the number alone; those of 66,000 are always the same.
func content(_ number: Int) -> [UInt8] {
    let counts = [10, 3_000, 66_000, 900, 40_000, 1_500_000, 64_000]
    let count = counts[number % counts.count]
    let seed = count == 66_000 ? 2 : number
    return Array("\(seed)".utf8) + [UInt8](repeating: UInt8(truncatingIfNeeded: seed &* 37), count: count)
}

func record(_ number: Int, _ body: RecordBody) -> StoredRecord {
    var fields = Fields()
    fields.append(.contentType, number % 2 == 0 ? "application/octet-stream" : "text/plain")
    return StoredRecord(
        uri: TargetURI(scheme: .http, host: Array("org.example".utf8), port: 8080, path: Array("/\(number)".utf8)),
        partition: .shared,
        selection: [],
        status: 200,
        reason: [],
        fields: fields,
        requestFields: Fields(),
        requestTime: HTTPDate(seconds: 1),
        responseTime: HTTPDate(seconds: 1),
        isInvalidated: false,
        body: body
    )
}

@MainActor
func store(_ number: Int, in store: SQLiteStore) async {
    let bytes = content(number)
    var body = RecordBody.bytes(bytes)
    if bytes.count > 65_536, let writer = store.makeBody(expected: nil) {
        for start in stride(from: 0, to: bytes.count, by: 50_000) {
            let piece = ByteChunk(Array(bytes[start..<min(bytes.count, start + 50_000)]))
            writer.append(piece) { _ in }
        }
        let file = await withCheckedContinuation { waiter in writer.finish { waiter.resume(returning: $0) } }
        if let file { body = .file(file) }
    }
    store.commit(record(number, body)) { isDurable in
        let line = Array("\(number)\n".utf8)
        if isDurable { write(1, line, line.count) }
    }
}

let directory = CommandLine.arguments[1]
let first = Int(CommandLine.arguments[2]) ?? 0
let isLimited = CommandLine.arguments.count > 3
if isLimited, let bytes = UInt(CommandLine.arguments[3]) {
    var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
}
let target = try SQLiteStore(StoreConfiguration(directory: directory, limit: 256 << 20)) { _ in }
_ = await withCheckedContinuation { waiter in target.whenOpen { waiter.resume(returning: $0) } }
var number = first
while !isLimited || number < first + 200 {
    await store(number, in: target)
    number += 1
    if number % 20 == 0 { await withCheckedContinuation { waiter in target.flush { waiter.resume() } } }
}

import HTTPCore
import Transforms
import Transformers

/// What decoding did.
private struct Decoded: Equatable {
    var content: [UInt8] = []
    var failure: TransformFailure.Reason?
}

private let codings = ["gzip", "deflate", "br", "zstd", "gzip, zstd", "br, deflate"]
private let charsets = [
    "utf-8", "latin1", "koi8-r", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "utf-16le",
    "windows-1258", "",
]

/// Entry point of libFuzzer.
///
/// The first byte chooses coding or charset, the second where the input is cut and how much room there is. What comes
/// out must not depend on that, and content that was decoded and is encoded again must be decoded as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 2, count: count - 2))
    let choice = Int(start[0]) % (codings.count + charsets.count)
    let cut = Int(start[1])
    var head = EntityHead(status: 200, fields: Fields())
    let transformer: any StreamingTransformer
    if choice < codings.count {
        head.fields.append(.contentEncoding, codings[choice])
        transformer = DecodeTransformer()
    } else {
        let charset = charsets[choice - codings.count]
        head.fields.append(.contentType, charset.isEmpty ? "text/html" : "text/plain; charset=\(charset)")
        guard let made = try? CharsetTransformer() else { preconditionFailure("utf-8 is refused") }
        transformer = made
    }
    let whole = decode(bytes, transformer, head, piece: max(1, bytes.count), room: 262_144)
    let parts = decode(bytes, transformer, head, piece: cut + 1, room: 1 + cut * 16)
    // Limits are judged at other moments.
    if whole.failure != .limit, parts.failure != .limit {
        precondition(whole.failure == parts.failure, "the failure depends on the pieces")
        if whole.failure == nil { precondition(whole == parts, "the content depends on the pieces") }
    }
    if choice < codings.count, whole.failure == nil { checkRoundTrip(whole.content, choice) }
    return 0
}

private func context() -> TransformContext {
    var limits = TransformLimits()
    limits.decodedContent = 4 * 1024 * 1024
    return TransformContext(
        uri: TargetURI(scheme: .http, host: Array("fuzz".utf8), port: 80, path: []),
        request: Fields(),
        limits: limits,
        budget: TransformBudget()
    )
}

private func decode(
    _ bytes: [UInt8],
    _ transformer: any StreamingTransformer,
    _ head: EntityHead,
    piece: Int,
    room: Int
) -> Decoded {
    var head = head
    var decoded = Decoded()
    do throws(TransformFailure) {
        guard let content = try transformer.begin(&head, context()) else { return Decoded(content: bytes) }
        try run(content, bytes, into: &decoded.content, piece: piece, room: room)
    } catch {
        decoded.failure = error.reason
    }
    return decoded
}

private func run(
    _ content: any ContentFilter,
    _ bytes: [UInt8],
    into output: inout [UInt8],
    piece: Int,
    room: Int
) throws(TransformFailure) {
    var position = 0
    while position < bytes.count {
        let end = min(bytes.count, position + piece)
        var hasMore = true
        while position < end || hasMore {
            let before = (output.count, position)
            let input = bytes.span.extracting(position..<end)
            let progress = try content.transform(input, into: &output, room: room)
            position += progress.consumed
            hasMore = progress.hasMore
            precondition(output.count - before.0 <= room + 65_536, "more output than there is room")
            precondition(before != (output.count, position) || position == end && !hasMore, "it does not move")
        }
    }
    while true {
        let before = output.count
        guard try content.finish(into: &output, room: room) else { return }
        precondition(output.count > before, "the end does not move")
        precondition(output.count - before <= room + 65_536, "more output than there is room")
    }
}

private func checkRoundTrip(_ content: [UInt8], _ choice: Int) {
    let names = codings[choice].split(separator: ",").map { String($0.filter { $0 != " " }) }
    guard let transformer = try? EncodeTransformer(codings: names, always: true) else {
        preconditionFailure("a known coding is refused")
    }
    var head = EntityHead(status: 200, fields: Fields())
    var coded: [UInt8] = []
    do throws(TransformFailure) {
        guard let encoding = try transformer.begin(&head, context()) else { preconditionFailure("it is not coded") }
        try run(encoding, content, into: &coded, piece: 1_000, room: 500)
    } catch {
        preconditionFailure("content cannot be encoded: \(error.userMessage)")
    }
    let again = decode(coded, DecodeTransformer(), head, piece: 777, room: 5_000)
    precondition(again.failure == .limit || again == Decoded(content: content), "encoding changed the content")
}

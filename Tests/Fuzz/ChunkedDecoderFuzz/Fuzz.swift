import HTTPCore

/// What decoding did.
private struct Decoded: Equatable {
    var content: [UInt8] = []
    var consumed = 0
    var error: ParseError?
    var isComplete = false
    var trailers = Fields()
}

/// Entry point of libFuzzer.
///
/// The first byte chooses where the input is cut. What is read must not depend on the cut; content that was read and is
/// written again must be read as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let whole = decode(bytes, cuts: [])
    let parts = decode(bytes, cuts: [min(Int(start[0]), bytes.count)])
    let dribbled = decode(bytes, cuts: bytes.count <= 512 ? Array(0..<bytes.count) : [])
    precondition(whole.error == parts.error && whole.error == dribbled.error, "the error depends on the pieces")
    if whole.error == nil { precondition(whole == parts && whole == dribbled, "the content depends on the pieces") }
    if whole.isComplete { checkRoundTrip(whole) }
    return 0
}

private func decode(_ bytes: [UInt8], cuts: [Int]) -> Decoded {
    var decoder = ContentDecoder(framing: .chunked)
    var decoded = Decoded()
    var start = 0
    for end in cuts + [bytes.count] {
        let piece = Array(bytes[start..<end])
        let result = decoder.decode(piece.span) { decoded.content += piece[$0] }
        switch result {
        case .needMore(let consumed):
            precondition(consumed == piece.count)
            decoded.consumed += consumed
        case .complete(let consumed):
            decoded.consumed += consumed
            decoded.isComplete = true
            decoded.trailers = decoder.trailers
            return decoded
        case .failed(let error):
            decoded.error = error
            return decoded
        }
        start = end
    }
    return decoded
}

private func checkRoundTrip(_ decoded: Decoded) {
    var output: [UInt8] = []
    if !decoded.content.isEmpty {
        HeadSerializer.appendChunkSize(decoded.content.count, to: &output)
        output += decoded.content
        HeadSerializer.appendChunkEnd(to: &output)
    }
    HeadSerializer.appendLastChunk(trailers: decoded.trailers, to: &output)
    let again = decode(output, cuts: [])
    precondition(again.isComplete && again.consumed == output.count && again.content == decoded.content)
    precondition(again.trailers == decoded.trailers, "the trailers changed")
}

import HTTPCore
import Transforms

/// Applies one content coding.
final class CodingEncoder: ContentFilter {
    private let coding: ContentCoding
    /// Created with the first bytes, or at the end.
    private var stream: (any CodecStream)?
    private var hasEnded = false

    init(_ coding: ContentCoding) { self.coding = coding }

    var needsWholeContent: Bool { false }

    func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress {
        let stream = try opened()
        var position = 0
        let isFull = try run(stream, input, from: &position, into: &output, room: room, isLast: false)
        return TransformProgress(consumed: position, hasMore: isFull)
    }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        guard !hasEnded else { return false }
        let stream = try opened()
        var position = 0
        return try run(stream, [UInt8]().span, from: &position, into: &output, room: room, isLast: true)
    }

    /// Encodes until input or room is used up; returns whether there is more output.
    private func run(
        _ stream: any CodecStream,
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int,
        isLast: Bool
    ) throws(TransformFailure) -> Bool {
        let end = output.count + max(1, room)
        while output.count < end {
            do throws(CodecError) {
                let free = end - output.count
                let before = (position, output.count)
                switch try stream.step(input, from: &position, into: &output, room: free, isLast: isLast) {
                case .needsInput: return false
                case .needsRoom:
                    guard before != (position, output.count) else { throw .invalid("it makes no progress") }
                case .ended:
                    hasEnded = true
                    return false
                }
            } catch {
                throw failure(error)
            }
        }
        return true
    }

    /// Uses the codecs' middle settings: a client waits, but a cache encodes once for many.
    private func opened() throws(TransformFailure) -> any CodecStream {
        if let stream { return stream }
        do throws(CodecError) {
            let made: any CodecStream =
                switch coding {
                case .gzip: try Deflater(.gzip, level: 6)
                case .deflate: try Deflater(.zlib, level: 6)
                case .br: try BrotliEncoding(quality: 5, windowBits: 20)
                case .zstd: try ZstdEncoding(level: 3)
                }
            stream = made
            return made
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: CodecError) -> TransformFailure {
        switch error {
        case .outOfMemory: TransformFailure(.failed, "no memory to encode as `\(coding.rawValue)`")
        case .invalid(let reason): TransformFailure(.failed, "cannot encode as `\(coding.rawValue)`: \(reason)")
        case .windowTooLarge: TransformFailure(.failed, "cannot encode as `\(coding.rawValue)`")
        }
    }
}

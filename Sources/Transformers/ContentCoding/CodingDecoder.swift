import HTTPCore
import Transforms

/// Removes one content coding.
///
/// Content without any bytes is accepted, since some servers declare a coding for it. All other content must be
/// complete: the decoder rejects content that ends early, or that continues after its end. A gzip stream may have
/// several members, a zstd stream several frames.
final class CodingDecoder: ContentFilter {
    private enum Phase {
        /// Before the first byte.
        case start
        /// Inside a member, frame or stream.
        case inside
        /// After the end of one.
        case boundary
    }

    private let coding: ContentCoding
    private let account: DecodingAccount
    /// Whether its input is the content as received.
    private let isOutermost: Bool
    private var phase = Phase.start
    /// Created with the first bytes.
    private var stream: (any CodecStream)?
    /// The first byte of `deflate`, until the second shows the format.
    private var pending: [UInt8] = []
    private var mayHaveMore = false
    private var taken: Int64 = 0
    private var made: Int64 = 0

    init(_ coding: ContentCoding, account: DecodingAccount, isOutermost: Bool) {
        self.coding = coding
        self.account = account
        self.isOutermost = isOutermost
    }

    var needsWholeContent: Bool { false }

    func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress {
        let isFirst = stream == nil
        if isFirst {
            guard try open(input) else { return TransformProgress(consumed: input.count) }
        }
        var left = max(1, room)
        if isFirst, !pending.isEmpty {
            let head = pending
            pending = []
            // It was counted when it came. The output for one byte cannot fill the room.
            _ = try run(head.span, into: &output, room: &left, isCounted: true)
        }
        let consumed = try run(input, into: &output, room: &left)
        return TransformProgress(consumed: consumed, hasMore: mayHaveMore)
    }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        if mayHaveMore {
            var left = max(1, room)
            _ = try run([UInt8]().span, into: &output, room: &left)
            if mayHaveMore { return true }
        }
        guard phase != .inside, pending.isEmpty else { throw invalid("it ends early") }
        return false
    }

    /// Creates the stream; returns false if the bytes so far do not show the format.
    private func open(_ input: Span<UInt8>) throws(TransformFailure) -> Bool {
        guard !input.isEmpty else { return false }
        do throws(CodecError) {
            switch coding {
            case .gzip: stream = try Inflater(.gzip)
            case .br: stream = try BrotliDecoding()
            case .zstd: stream = try ZstdDecoding()
            case .deflate:
                let first = pending.first ?? input[0]
                let second = pending.isEmpty ? (input.count > 1 ? input[1] : nil) : input[0]
                guard let second else {
                    pending = [first]
                    count(1)
                    return false
                }
                stream = try Inflater(Self.isZlib(first, second) ? .zlib : .raw)
            }
        } catch {
            throw failure(error)
        }
        return true
    }

    /// Whether two bytes are a header of RFC 1950.
    ///
    /// Some servers send RFC 1951 without it.
    private static func isZlib(_ first: UInt8, _ second: UInt8) -> Bool {
        first & 0x0F == 8 && first >> 4 <= 7 && (Int(first) * 256 + Int(second)) % 31 == 0
    }

    /// Decodes until input or room is used up; returns the number of bytes consumed.
    private func run(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: inout Int,
        isCounted: Bool = false
    ) throws(TransformFailure) -> Int {
        guard let stream else { return 0 }
        var position = 0
        while position < input.count || mayHaveMore {
            guard room > 0 else { break }
            if phase != .inside { try enter(stream) }
            let before = (position, output.count)
            let step: CodecStep
            do throws(CodecError) {
                step = try stream.step(input, from: &position, into: &output, room: room, isLast: false)
            } catch {
                throw failure(error)
            }
            if !isCounted { count(position - before.0) }
            room -= output.count - before.1
            made += Int64(output.count - before.1)
            try account.judge(decoded: made)
            let hasMoved = position > before.0 || output.count > before.1
            guard hasMoved || step != .needsRoom else { throw invalid("it makes no progress") }
            mayHaveMore = step == .needsRoom
            if step == .ended { phase = .boundary }
        }
        return position
    }

    /// Counts bytes of the input as consumed.
    private func count(_ bytes: Int) {
        taken += Int64(bytes)
        if isOutermost { account.coded += Int64(bytes) }
    }

    /// Enters a member: bytes follow at the start, or after the end of the last member.
    private func enter(_ stream: any CodecStream) throws(TransformFailure) {
        if phase == .boundary {
            guard coding == .gzip || coding == .zstd else { throw invalid("bytes follow its end") }
            do throws(CodecError) { try stream.restart() } catch { throw failure(error) }
        }
        phase = .inside
    }

    private func failure(_ error: CodecError) -> TransformFailure {
        switch error {
        case .invalid(let reason): invalid(reason)
        case .windowTooLarge:
            TransformFailure(.limit, "the content coded with `\(coding.rawValue)` needs a window of more than 8 MiB")
        case .outOfMemory: TransformFailure(.failed, "no memory to decode `\(coding.rawValue)`")
        }
    }

    private func invalid(_ reason: String) -> TransformFailure {
        TransformFailure(
            .invalidContent,
            "the content is not valid `\(coding.rawValue)`: \(reason), at or before byte \(taken) of it"
        )
    }
}

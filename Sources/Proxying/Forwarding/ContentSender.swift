import Eventing
import Exchanges
import HTTPCore
import HTTPServer
import Locking
import ResourceCore
import Transforms

/// Sends a response's content as fast as its client accepts it.
protocol ContentSender: AnyObject {
    /// Writes the available content that the client has room for; ends the exchange when all is written.
    func send()
    /// Stops: the client accepts no more.
    func cancel()
}

/// An exchange whose content a `ContentSender` sends.
protocol ContentRecipient: AnyObject {
    var client: ServerExchange { get }
    var context: ProxyContext { get }

    /// All content has been written to the client.
    func finish(trailers: Fields?)
    /// The content will not be complete.
    func cut()
}

/// An exchange that sends stored content.
protocol StoredContentRecipient: ContentRecipient {
    /// The rest of the content of `stored` cannot be sent.
    func cut(damaged stored: StoredResponse)
}

/// A part of a response from stored content.
enum ContentPiece {
    /// Bytes that the proxy makes, such as the boundaries of a multipart response.
    case bytes([UInt8])
    /// A range of the stored content.
    case content(Range<Int64>)
}

/// Sends parts of stored content: by reference from memory, by `sendfile` from a body file once its blocks are checked.
final class StoredContent: ContentSender {
    /// How many bytes of a file are verified and sent at a time: one block of the store's checksums.
    static let step: Int64 = 1 << 20

    /// How many bytes at the start of a response are read before its head is sent: a page.
    ///
    /// An unreadable file is then noticed in time.
    private static let leadLimit = 4096

    private var pieces: ArraySlice<ContentPiece>
    /// The first bytes of the first piece, already read from the file.
    private var lead: ByteChunk?
    private let stored: StoredResponse
    private unowned let exchange: any StoredContentRecipient
    /// Whether a block is being verified.
    private var isVerifying = false
    private var isSending = false
    private var isCancelled = false
    /// Set for a stream whose pieces are sent at their times.
    private var schedule: ReplaySchedule?
    /// Set while nothing is due.
    private var timer: LoopTimer?

    init(
        _ pieces: [ContentPiece],
        lead: ByteChunk?,
        of stored: StoredResponse,
        exchange: any StoredContentRecipient,
        schedule: ReplaySchedule?
    ) {
        self.pieces = pieces[...]
        self.lead = lead
        self.schedule = schedule
        self.stored = stored
        self.exchange = exchange
    }

    /// The first bytes of `file` from `start` on.
    ///
    /// Nil if they cannot be read; the file is then not served again.
    static func lead(of file: any BodyFile, at start: Int64) -> [UInt8]? {
        let count = Int(min(Int64(leadLimit), file.count - start))
        if let bytes = file.read(count, at: start), bytes.count == count { return bytes }
        file.fileCouldNotBeRead()
        return nil
    }

    /// The end of the block that contains the byte at `offset`.
    static func blockEnd(_ offset: Int64) -> Int64 { (offset / step + 1) * step }

    func cancel() {
        isCancelled = true
        timer?.cancel()
        timer = nil
    }

    func send() {
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while !isVerifying, !isCancelled, timer == nil {
            guard let piece = pieces.first else { return exchange.finish(trailers: nil) }
            guard exchange.client.mayWrite else { return }
            switch piece {
            case .bytes(let bytes):
                pieces.removeFirst()
                exchange.client.write(ByteChunk(bytes))
            case .content(let range):
                send(range)
            }
        }
    }

    /// Sends a part of the first piece, or all of it.
    private func send(_ all: Range<Int64>) {
        guard !all.isEmpty else {
            pieces.removeFirst()
            return
        }
        let range = all.lowerBound..<max(all.lowerBound, min(all.upperBound, due()))
        guard !range.isEmpty else { return wait() }
        switch stored.body {
        case .bytes(let bytes):
            if range.upperBound < all.upperBound {
                pieces[pieces.startIndex] = .content(range.upperBound..<all.upperBound)
            } else {
                pieces.removeFirst()
            }
            exchange.client.write(ByteChunk(bytes).dropFirst(Int(range.lowerBound)).prefix(range.count))
        case .file(let file):
            if let lead = lead.take()?.prefix(range.count) {
                pieces[pieces.startIndex] = .content(range.lowerBound + Int64(lead.count)..<all.upperBound)
                return exchange.client.write(lead)
            }
            verify(file, range.lowerBound..<min(range.upperBound, Self.blockEnd(range.lowerBound)))
        }
    }

    /// The end of the content that may be sent now.
    private func due() -> Int64 { schedule?.due(at: exchange.client.loop.now) ?? .max }

    /// Continues when the next piece of the stream is due.
    private func wait() {
        guard let pause = schedule?.pause(at: exchange.client.loop.now) else { return }
        timer = exchange.client.loop.schedule(after: pause) { [weak self] in
            self?.timer = nil
            self?.send()
        }
    }

    /// Verifies bytes of one block, at once or on a worker, then sends them.
    private func verify(_ file: any BodyFile, _ range: Range<Int64>) {
        isVerifying = true
        let delivery = exchange.context.deliveryContext
        let bound = LoopBound(self, loop: exchange.client.loop)
        file.verify(range) { isRight in
            if delivery.isCurrent {
                bound.value.didVerify(file, range, isRight)
            } else {
                delivery.submit { bound.value.didVerify(file, range, isRight) }
            }
        }
    }

    private func didVerify(_ file: any BodyFile, _ range: Range<Int64>, _ isRight: Bool) {
        isVerifying = false
        guard !isCancelled else { return }
        guard isRight else { return exchange.cut(damaged: stored) }
        guard case .content(let all)? = pieces.popFirst() else { return }
        let end = range.lowerBound + write(file.piece(range))
        guard end > range.lowerBound else { return exchange.cut(damaged: stored) }
        if end < all.upperBound { pieces = [.content(end..<all.upperBound)] + pieces }
        send()
    }

    /// Returns the number of bytes.
    private func write(_ piece: BodyPiece) -> Int64 {
        switch piece {
        case .chunks(let chunks):
            for chunk in chunks { exchange.client.write(chunk) }
            return chunks.reduce(0) { $0 + Int64($1.count) }
        case .file(let region):
            exchange.client.write(Eventing.FileRegion(sending: region))
            return Int64(region.count)
        case .wait, .end, .failed:
            return 0
        }
    }
}

extension Eventing.FileRegion {
    /// A part of a body that is about to be sent.
    init(sending region: Transforms.FileRegion) {
        self.init(owner: region.owner, descriptor: region.descriptor, offset: region.offset, count: region.count)
    }
}

/// Sends content that is in memory, all of it at once when there is room.
final class WholeContent: ContentSender {
    private let bytes: ByteChunk
    private unowned let exchange: any ContentRecipient

    init(_ bytes: ByteChunk, exchange: any ContentRecipient) {
        self.bytes = bytes
        self.exchange = exchange
    }

    func cancel() {}

    func send() {
        guard exchange.client.mayWrite else { return }
        exchange.client.write(bytes)
        exchange.finish(trailers: nil)
    }
}

/// Sends the content of a load while it is received.
final class LoadedContent: ContentSender {
    /// How many bytes are read from the body at a time.
    private static let step = 64 * 1024

    private unowned let exchange: any ContentRecipient
    private var reader: BodyReader?

    /// Returns nil if the body no longer has its first bytes.
    init?(_ body: GrowingBody, exchange: any ContentRecipient) {
        self.exchange = exchange
        let waker = ContentWaker()
        reader = body.addReader(context: exchange.context.deliveryContext) { waker.wake() }
        guard reader != nil else { return nil }
        waker.arm(LoopBound(WeakSender(self), loop: exchange.client.loop))
    }

    func cancel() {
        reader?.cancel()
        reader = nil
    }

    func send() {
        while let reader, exchange.client.mayWrite {
            switch reader.read(maximum: Self.step) {
            case .chunks(let chunks):
                for chunk in chunks { exchange.client.write(chunk) }
            case .file(let region):
                exchange.client.write(Eventing.FileRegion(sending: region))
            case .wait:
                return
            case .end(let trailers):
                return exchange.finish(trailers: trailers)
            case .failed:
                return exchange.cut()
            }
        }
    }
}

/// Passes a body's wake-up to the content that waits for it; either may be released first.
final class ContentWaker: Sendable {
    private let target = Lock<LoopBound<WeakSender>?>(nil)

    func arm(_ content: LoopBound<WeakSender>) { target.withLock { $0 = content } }

    /// Called on the context of the reader, which is the loop of the content.
    func wake() { target.withLock { $0 }?.value.content?.send() }
}

final class WeakSender {
    weak var content: (any ContentSender)?

    init(_ content: any ContentSender) { self.content = content }
}

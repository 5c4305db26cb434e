import Eventing
import Exchanges
import HTTPCaching
import HTTPCore
import HTTPServer
import ResourceCore
import Transforms

/// Sends a response of which some bytes are stored, and others are loaded meanwhile (C-22.1).
///
/// It asks the resource for the next bytes, and sends them from a stored part, or as a load brings them. All bytes are
/// of one representation, by its strong tag; otherwise the response is cut.
final class AssembledContent: ContentSender, StoredContentRecipient {
    /// How often in a row it asks for bytes and gets none, before the response is cut.
    private static let patience = 5

    /// Ranges of the representation, and bytes between them.
    private var pieces: ArraySlice<ContentPiece>
    private let response: StoredResponse
    /// A load that brings the first bytes that are not stored.
    private var beginning: LoadedResponse?
    private unowned let exchange: ResourceExchange
    /// Sends the bytes before `position`.
    private var source: (any ContentSender)?
    /// Where the next source begins: the end of what the present one sends.
    private var position: Int64 = 0
    private var waiter: Waiter?
    private var isWaiting = false
    private var isSending = false
    private var isCancelled = false
    /// How many bytes the next request asks the origin for.
    private var step = WantedBytes.shortStep
    private var failures = 0

    init(
        _ pieces: [ContentPiece],
        of response: StoredResponse,
        beginning: LoadedResponse?,
        exchange: ResourceExchange
    ) {
        self.pieces = pieces[...]
        self.response = response
        self.beginning = beginning
        self.exchange = exchange
    }

    var client: ServerExchange { exchange.client }
    var context: ProxyContext { exchange.context }

    func cancel() {
        isCancelled = true
        source?.cancel()
        source = nil
        waiter?.cancel()
        waiter = nil
    }

    func send() {
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while !isCancelled, !isWaiting {
            if let source {
                source.send()
                // It waits for content, or for room.
                if self.source === source { return }
                continue
            }
            guard let piece = pieces.first else { return exchange.finish(trailers: nil) }
            guard client.mayWrite else { return }
            switch piece {
            case .bytes(let bytes):
                pieces.removeFirst()
                client.write(ByteChunk(bytes))
            case .content(let range):
                if range.isEmpty { pieces.removeFirst() } else { obtain(range) }
            }
        }
    }

    // MARK: Sources

    /// Finds a source of the first bytes of `range`.
    private func obtain(_ range: Range<Int64>) {
        if let beginning, follow(beginning, range) { return }
        let wanted = WantedBytes(range, of: response, step: step)
        isWaiting = true
        switch exchange.ask(for: wanted, to: PartRelay(self, loop: client.loop, context: context.deliveryContext)) {
        case .answered(let result, let waiter):
            self.waiter = waiter
            handle(result, range)
        case .waiting(let waiter): self.waiter = waiter
        }
    }

    fileprivate func handle(_ result: CacheResult) {
        guard !isCancelled, case .content(let range)? = pieces.first else { return }
        handle(result, range)
        if !isWaiting { send() }
    }

    private func handle(_ result: CacheResult, _ range: Range<Int64>) {
        isWaiting = false
        switch result {
        case .stored(let stored, _):
            guard stored.hasSameRepresentation(as: response),
                let held = stored.held(from: range.lowerBound, to: range.upperBound)
            else { return fail() }
            position = held.upperBound
            source = StoredContent(
                [.content(stored.bodyRange(held))],
                lead: nil,
                of: stored,
                exchange: self,
                schedule: nil
            )
        case .following(let loaded, _):
            step = min(step * 2, WantedBytes.longStep)
            if !follow(loaded, range) { fail() }
        case .assembling, .pass, .failure, .refused:
            fail()
        }
    }

    /// Sends bytes of `range` as `loaded` brings them; false if it does not bring the first, or is another content.
    private func follow(_ loaded: LoadedResponse, _ range: Range<Int64>) -> Bool {
        guard response.hasSameRepresentation(as: loaded), loaded.status == 200 || loaded.extent != nil else {
            return false
        }
        let brought = loaded.extent?.ranges.first ?? 0..<(response.representationLength ?? 0)
        guard brought.contains(range.lowerBound) else { return false }
        let end = min(brought.upperBound, range.upperBound)
        let content = LoadedPart(
            loaded.body,
            from: range.lowerBound - brought.lowerBound,
            count: end - range.lowerBound,
            recipient: self
        )
        guard let content else { return false }
        position = range.lowerBound
        source = content
        return true
    }

    /// The source sent `count` bytes more.
    fileprivate func didSend(_ count: Int64) { position += count }

    /// Goes on behind the bytes that the source has sent.
    func finish(trailers: Fields?) {
        failures += 1
        if advance() { failures = 0 }
        if failures > Self.patience { fail() } else { send() }
    }

    /// Returns whether there was anything.
    private func advance() -> Bool {
        source?.cancel()
        source = nil
        waiter.take()?.cancel()
        guard case .content(let range)? = pieces.first else { return false }
        defer { pieces[pieces.startIndex] = .content(min(position, range.upperBound)..<range.upperBound) }
        return position > range.lowerBound
    }

    /// The load ends before the bytes that it announced: others bring the rest.
    fileprivate func endEarly() {
        beginning = nil
        finish(trailers: nil)
    }

    /// The source ends early: what it has sent is sent, and another brings the rest.
    func cut() {
        beginning = nil
        // A load without a byte has tried again itself.
        if advance() { send() } else { fail() }
    }

    func cut(damaged stored: StoredResponse) {
        exchange.contentIsDamaged(stored)
        fail()
    }

    private func fail() { exchange.cut() }
}

/// Sends some bytes of a load's content while it is received.
private final class LoadedPart: ContentSender {
    /// How many bytes are read from the body at a time.
    private static let step: Int64 = 64 * 1024

    private unowned let recipient: AssembledContent
    private var reader: BodyReader?
    /// Bytes still to send.
    private var count: Int64

    /// Returns nil if the body no longer has these bytes.
    init?(_ body: GrowingBody, from offset: Int64, count: Int64, recipient: AssembledContent) {
        self.recipient = recipient
        self.count = count
        let waker = ContentWaker()
        reader = body.addReader(from: offset, context: recipient.context.deliveryContext) { waker.wake() }
        guard reader != nil else { return nil }
        waker.arm(LoopBound(WeakSender(recipient), loop: recipient.client.loop))
    }

    func cancel() {
        reader?.cancel()
        reader = nil
    }

    func send() {
        while let reader, recipient.client.mayWrite {
            guard count > 0 else { return recipient.finish(trailers: nil) }
            switch reader.read(maximum: Int(min(count, Self.step))) {
            case .chunks(let chunks):
                for chunk in chunks {
                    note(chunk.count)
                    recipient.client.write(chunk)
                }
            case .file(let region):
                note(region.count)
                recipient.client.write(Eventing.FileRegion(sending: region))
            case .wait:
                return
            case .end:
                return recipient.endEarly()
            case .failed:
                return recipient.cut()
            }
        }
    }

    private func note(_ bytes: Int) {
        count -= Int64(bytes)
        recipient.didSend(Int64(bytes))
    }
}

/// Passes a resource's results to the content, on the exchange's loop.
///
/// `@unchecked Sendable` as `LoopBound` is: it adds no mutable state.
private final class PartRelay: LoopBound<WeakAssembly>, WaiterDelegate, @unchecked Sendable {
    let context: any DeliveryContext

    init(_ content: AssembledContent, loop: EventLoop, context: any DeliveryContext) {
        self.context = context
        super.init(WeakAssembly(content), loop: loop)
    }

    func waiterDidReceiveInterim(_ head: ResponseHead) {}
    func waiterDidReceive(_ result: CacheResult) { value.content?.handle(result) }
}

private final class WeakAssembly {
    weak var content: AssembledContent?

    init(_ content: AssembledContent) { self.content = content }
}

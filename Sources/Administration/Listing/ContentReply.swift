import Eventing
import HTTPCaching
import HTTPCore
import HTTPServer
import Locking
import ResourceCore
import Transforms

/// Sends stored content as a download, so that no browser shows or runs it (H-147).
final class ContentReply: ServerExchangeDelegate {
    /// Bytes of a file that are verified and sent at once: the size of the store's checksum blocks.
    private static let step: Int64 = 1 << 20

    private let exchange: LoopBound<ServerExchange>
    private let file: any BodyFile
    /// How many bytes of it are sent.
    private let count: Int64
    private var sent: Int64 = 0
    private var isChecking = false

    private init(_ file: any BodyFile, count: Int64, on exchange: ServerExchange) {
        self.file = file
        self.count = count
        self.exchange = LoopBound(exchange, loop: exchange.loop)
    }

    static func send(_ variant: GatheredVariant, on exchange: ServerExchange) {
        let type = variant.fields.text(of: .contentType) ?? "application/octet-stream"
        var fields = ServerExchange.adminFields(contentType: type)
        if !variant.isRedacted, let coding = variant.fields.combined(.contentEncoding) {
            fields.append(.contentEncoding, coding)
        }
        fields.append(name: "Content-Disposition", value: "attachment")
        // Of several parts the first.
        let part = variant.extent.flatMap { extent in extent.ranges.first.map { (extent, $0) } }
        if let (extent, range) = part {
            fields.append(.contentRange, ContentRange.bytes(of: range, length: extent.total))
        }
        let count = part.map { $0.1.upperBound - $0.1.lowerBound } ?? variant.body.count
        exchange.start(variant.extent == nil ? 200 : 206, fields: fields, content: .length(count))
        switch variant.body {
        case .bytes(let bytes):
            if !bytes.isEmpty { exchange.write(ByteChunk(bytes)) }
            exchange.finish()
        case .file(let file):
            guard exchange.head.method != .head else { return exchange.finish() }
            let reply = ContentReply(file, count: count, on: exchange)
            exchange.delegate = reply
            reply.go(on: exchange)
        }
    }

    func exchangeDidDrain(_ exchange: ServerExchange) { go(on: exchange) }

    private func go(on exchange: ServerExchange) {
        guard !isChecking, exchange.isOpen, exchange.mayWrite else { return }
        guard sent < count else { return exchange.finish() }
        isChecking = true
        let range = sent..<min(count, sent + Self.step)
        let bound = LoopBound(self, loop: exchange.loop)
        // The result may come inside the call; continuing on the next turn handles both cases alike.
        file.verify(range) { isRight in bound.submit { $0.didCheck(range, isRight) } }
    }

    private func didCheck(_ range: Range<Int64>, _ isRight: Bool) {
        isChecking = false
        let exchange = exchange.value
        guard isRight else { return exchange.cut() }
        switch file.piece(range) {
        case .chunks(let chunks):
            for chunk in chunks {
                sent += Int64(chunk.count)
                exchange.write(chunk)
            }
        case .file(let region):
            sent += Int64(region.count)
            exchange.write(
                Eventing.FileRegion(
                    owner: region.owner,
                    descriptor: region.descriptor,
                    offset: region.offset,
                    count: region.count
                )
            )
        case .wait, .end, .failed:
            return exchange.cut()
        }
        go(on: exchange)
    }
}

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
    private var sent: Int64 = 0
    private var isChecking = false

    private init(_ file: any BodyFile, on exchange: ServerExchange) {
        self.file = file
        self.exchange = LoopBound(exchange, loop: exchange.loop)
    }

    static func send(_ variant: GatheredVariant, on exchange: ServerExchange) {
        let type = variant.fields.text(of: .contentType) ?? "application/octet-stream"
        var fields = ServerExchange.adminFields(contentType: type)
        if !variant.isRedacted, let coding = variant.fields.combined(.contentEncoding) {
            fields.append(.contentEncoding, coding)
        }
        fields.append(name: "Content-Disposition", value: "attachment")
        if let extent = variant.extent { fields.append(.contentRange, "bytes \(extent.text)") }
        exchange.start(variant.extent == nil ? 200 : 206, fields: fields, content: .length(variant.body.count))
        switch variant.body {
        case .bytes(let bytes):
            if !bytes.isEmpty { exchange.write(ByteChunk(bytes)) }
            exchange.finish()
        case .file(let file):
            guard exchange.head.method != .head else { return exchange.finish() }
            let reply = ContentReply(file, on: exchange)
            exchange.delegate = reply
            reply.go(on: exchange)
        }
    }

    func exchangeDidDrain(_ exchange: ServerExchange) { go(on: exchange) }

    private func go(on exchange: ServerExchange) {
        guard !isChecking, exchange.isOpen, exchange.mayWrite else { return }
        guard sent < file.count else { return exchange.finish() }
        isChecking = true
        let range = sent..<min(file.count, sent + Self.step)
        let bound = LoopBound(self, loop: exchange.loop)
        // The result may come inside the call; continuing on the next turn handles both cases alike.
        file.verify(range) { isRight in bound.submit { $0.didCheck(range, isRight) } }
    }

    private func didCheck(_ range: Range<Int64>, _ isRight: Bool) {
        isChecking = false
        let exchange = exchange.value
        guard isRight else { return exchange.cut() }
        sent = range.upperBound
        exchange.write(
            Eventing.FileRegion(
                owner: file,
                descriptor: file.descriptor,
                offset: range.lowerBound,
                count: range.count
            )
        )
        go(on: exchange)
    }
}

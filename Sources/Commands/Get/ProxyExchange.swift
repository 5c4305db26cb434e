import Eventing
import HTTPCore
import Platform

/// One request to a listener of the daemon, whose content is passed on as it comes.
///
/// Bound to its loop.
final class ProxyExchange: StreamDelegate {
    enum Failure: Error {
        /// The connection ended inside the response, or the bytes are not HTTP.
        case broken(String)
        /// The content cannot be kept.
        case output(CommandFailure)
    }

    /// Gets the parts of the response.
    protocol Receiver: AnyObject {
        func receive(_ head: ResponseHead) throws(CommandFailure)
        func receive(_ bytes: [UInt8]) throws(CommandFailure)
    }

    /// How long the other side may be silent.
    private static let patience = Duration.seconds(300)

    private let request: [UInt8]
    private let receiver: any Receiver
    private let completion: (Failure?) -> Void
    private var parser = ResponseParser()
    private var head = ResponseHead(status: 0)
    private var decoder: ContentDecoder?
    private var isOver = false

    init(_ request: [UInt8], _ receiver: any Receiver, completion: @escaping (Failure?) -> Void) {
        self.request = request
        self.receiver = receiver
        self.completion = completion
    }

    func begin(on stream: Eventing.Stream) {
        stream.delegate = self
        stream.append { $0 += request }
        stream.setReadDeadline(after: Self.patience)
    }

    // MARK: Reading

    func stream(_ stream: Eventing.Stream, didRead bytes: Span<UInt8>) -> Int {
        stream.setReadDeadline(after: Self.patience)
        var consumed = 0
        while decoder == nil {
            switch parser.parse(bytes.extracting(consumed..<bytes.count), into: &head) {
            case .needMore: return consumed
            case .failed(let error):
                end(stream, .broken(error.responseFault))
                return bytes.count
            case .complete(let count):
                consumed += count
                guard !head.isInterim else {
                    parser.reset()
                    continue
                }
                decoder = ContentDecoder(framing: head.framing)
                let head = head
                guard pass(stream, { () throws(CommandFailure) in try receiver.receive(head) }) else {
                    return bytes.count
                }
            }
        }
        return consumed + read(stream, bytes.extracting(consumed..<bytes.count))
    }

    /// Returns how many bytes of the content were consumed.
    private func read(_ stream: Eventing.Stream, _ bytes: Span<UInt8>) -> Int {
        var parts: [Range<Int>] = []
        guard let result = decoder?.decode(bytes, content: { parts.append($0) }) else { return bytes.count }
        for part in parts {
            let content = [UInt8](copying: bytes.extracting(part))
            guard pass(stream, { () throws(CommandFailure) in try receiver.receive(content) }) else {
                return bytes.count
            }
        }
        switch result {
        case .needMore(let consumed): return consumed
        case .complete: end(stream, nil)
        case .failed(let error): end(stream, .broken(error.responseFault))
        }
        return bytes.count
    }

    /// Passes a part on; false if that ended the exchange.
    private func pass(_ stream: Eventing.Stream, _ body: () throws(CommandFailure) -> Void) -> Bool {
        do throws(CommandFailure) {
            try body()
            return true
        } catch {
            end(stream, .output(error))
            return false
        }
    }

    // MARK: The end

    func streamDidReachEnd(_ stream: Eventing.Stream) {
        if decoder != nil, decoder?.endOfInput() == nil { return end(stream, nil) }
        end(stream, .broken("the response ended before it was complete"))
    }

    func streamDidReachDeadline(_ stream: Eventing.Stream) {
        end(stream, .broken("no more came within \(Self.patience.components.seconds) seconds"))
    }

    func stream(_ stream: Eventing.Stream, didFail error: StreamError) {
        end(stream, .broken("the response ended before it was complete: the connection broke"))
    }

    private func end(_ stream: Eventing.Stream, _ failure: Failure?) {
        guard !isOver else { return }
        isOver = true
        stream.close()
        completion(failure)
    }
}

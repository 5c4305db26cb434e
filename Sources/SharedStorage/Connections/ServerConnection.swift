import Eventing
import HTTPCore

/// One connection to a Redis server: sends the greeting (HELLO) first, then pipelines commands.
///
/// Bound to its loop.
final class ServerConnection {
    /// Called once when the connection has failed or been closed.
    var didEnd: ((SharedFailure) -> Void)?
    /// Called once with the server's greeting.
    var didGreet: ((Greeting) -> Void)?

    /// Gets what comes after the greeting, on a connection that only listens.
    var didPush: ((RedisReply) -> Void)?

    private let loop: EventLoop
    private let options: ServerOptions
    private var attempt: ConnectAttempt?
    private var stream: Stream?
    private var reader: ReplyReader
    /// Whether the server has been greeted.
    private var isReady = false
    private var isOver = false
    /// Commands that were sent, the oldest first.
    private var sent: [PendingBatch] = []
    /// Replied batches at the front of `sent`.
    private var replied = 0
    /// Commands that wait for the greeting.
    private var waiting: [(batch: PendingBatch, bytes: [UInt8])] = []
    private var waitingBytes = 0

    init(_ loop: EventLoop, _ options: ServerOptions) {
        self.loop = loop
        self.options = options
        reader = ReplyReader(options.replies)
    }

    /// Begins to connect.
    func open(_ address: ServerAddress, by connector: Connector) {
        let completion: Connector.Completion = { [self] result in didConnect(result) }
        switch address {
        case .host(let host, let port):
            attempt = connector.connect(
                host: Array((address.authority ?? host).utf8),
                port: port,
                policy: options.policy,
                security: options.security,
                timeout: options.connectTimeout,
                completion: completion
            )
        case .socket(let path):
            attempt = connector.connect(
                to: .unix(path: path),
                policy: options.policy,
                timeout: options.connectTimeout,
                completion: completion
            )
        }
    }

    private func didConnect(_ result: Result<Stream, ConnectError>) {
        attempt = nil
        switch result {
        case .failure(let error): fail(.unreachable(error.userMessage))
        case .success(let stream):
            self.stream = stream
            stream.delegate = self
            let greeting = PendingBatch(1, within: options.silence, loop) { [weak self] in self?.didGreet($0) }
            var bytes: [UInt8] = []
            guard CommandWriter.append(Greeting.command(options), to: &bytes) else { return fail(.unexpected) }
            write(bytes, greeting)
        }
    }

    private func didGreet(_ result: SharedResult) {
        if isOver { return }
        do throws(SharedFailure) {
            let greeting = try Greeting(result.get()[0])
            isReady = true
            didGreet?(greeting)
            let due = waiting
            (waiting, waitingBytes) = ([], 0)
            for (batch, bytes) in due where !batch.isOver { write(bytes, batch) }
        } catch {
            fail(error == .timeout ? .noRedis("it does not answer a greeting") : error)
        }
    }

    // MARK: Sending

    /// Sends commands; `completion` gets as many replies, or the failure, never within this call.
    func send(_ commands: [RedisCommand], within time: Duration, _ completion: @escaping PendingBatch.Completion) {
        guard !isOver, let bytes = bytes(of: commands) else {
            return loop.atEndOfTurn { completion(.failure(.busy)) }
        }
        let batch = PendingBatch(commands.count, within: time, loop, completion)
        if isReady { return write(bytes, batch) }
        waiting.append((batch, bytes))
        waitingBytes += bytes.count
    }

    /// Sends a command on a greeted connection that only listens.
    func tell(_ command: RedisCommand) {
        guard !isOver, isReady, let bytes = bytes(of: [command]) else { return }
        stream?.write(ByteChunk(bytes))
    }

    /// The bytes to send; nil if too many wait already.
    private func bytes(of commands: [RedisCommand]) -> [UInt8]? {
        let size = commands.reduce(0) { $0 + $1.count }
        guard size + waitingBytes + (stream?.unsentBytes ?? 0) <= options.unsentLimit else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + commands.count * 64)
        for command in commands { guard CommandWriter.append(command, to: &bytes) else { return nil } }
        return bytes
    }

    private func write(_ bytes: [UInt8], _ batch: PendingBatch) {
        guard let stream else { return }
        batch.sentAt = loop.now
        if sent.count == replied { stream.setReadDeadline(after: options.silence) }
        sent.append(batch)
        stream.write(ByteChunk(bytes))
    }

    // MARK: The end

    /// Closes; batches that wait get the failure.
    func fail(_ failure: SharedFailure) {
        guard !isOver else { return }
        isOver = true
        attempt?.cancel()
        stream?.close()
        let all = sent[replied...] + waiting.map(\.batch)
        (sent, replied, waiting) = ([], 0, [])
        for batch in all { batch.end(.failure(failure)) }
        didEnd.take()?(failure)
    }

    /// How many batches have no replies yet.
    var outstanding: Int { sent.count - replied + waiting.count }
}

extension ServerConnection: StreamDelegate {
    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int {
        reader.feed(bytes)
        do throws(ReplyFault) {
            while !isOver, let reply = try reader.next() {
                if isReady, let didPush {
                    didPush(reply)
                    continue
                }
                guard replied < sent.count else {
                    fail(.noRedis("a reply that nothing asked for"))
                    break
                }
                if sent[replied].add(reply) { didComplete(stream) }
            }
        } catch {
            fail(.noRedis(error.userMessage))
        }
        return bytes.count
    }

    /// The oldest batch has all its replies: from now on the next one's sending time sets the deadline.
    private func didComplete(_ stream: Stream) {
        guard !isOver else { return }
        replied += 1
        if replied == sent.count {
            (sent, replied) = ([], 0)
            return stream.clearReadDeadline()
        }
        if replied > 64, replied > sent.count / 2 {
            sent.removeFirst(replied)
            replied = 0
        }
        if let sentAt = sent[replied].sentAt { stream.setReadDeadline(at: sentAt + options.silence) }
    }

    func streamDidReachEnd(_ stream: Stream) { fail(.lost("the server closed it")) }

    func streamDidReachDeadline(_ stream: Stream) { fail(.lost("the server is silent")) }

    func stream(_ stream: Stream, didFail error: StreamError) { fail(.lost("\(error)")) }
}

extension ReplyFault {
    fileprivate var userMessage: String {
        switch self {
        case .malformed(let text): text
        case .tooLarge: "a reply that is too large"
        }
    }
}

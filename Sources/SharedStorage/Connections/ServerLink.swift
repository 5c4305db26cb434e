import Eventing
import HTTPCore

/// Keeps one connection to a server: makes it when it is needed, and after a loss waits before it makes another.
///
/// Bound to its loop.
final class ServerLink {
    let address: ServerAddress
    private let loop: EventLoop
    private let connector: Connector
    private let options: ServerOptions
    private var connection: ServerConnection?
    private var backOff: BackOff
    /// Why the last connection ended.
    private(set) var failure: SharedFailure?
    private(set) var greeting: Greeting?

    init(_ address: ServerAddress, _ loop: EventLoop, _ connector: Connector, _ options: ServerOptions) {
        self.address = address
        self.loop = loop
        self.connector = connector
        self.options = options
        backOff = BackOff(first: options.firstPause, longest: options.longestPause)
    }

    /// Sends commands; fails at once while a pause after a failure lasts.
    func send(_ commands: [RedisCommand], within time: Duration, _ completion: @escaping PendingBatch.Completion) {
        if connection == nil {
            if let failure, !backOff.isDue(loop.now) {
                return loop.atEndOfTurn { completion(.failure(failure)) }
            }
            connect()
        }
        connection?.send(commands, within: time, completion)
    }

    /// Connects ahead of the first command.
    func prepare() { if connection == nil, backOff.isDue(loop.now) { connect() } }

    private func connect() {
        let connection = ServerConnection(loop, options)
        self.connection = connection
        connection.didGreet = { [weak self] greeting in self?.didGreet(greeting) }
        connection.didEnd = { [weak self] failure in self?.didEnd(failure) }
        connection.open(address, by: connector)
    }

    private func didGreet(_ greeting: Greeting) {
        self.greeting = greeting
        failure = nil
        backOff.succeed()
    }

    private func didEnd(_ failure: SharedFailure) {
        self.failure = failure
        connection = nil
        backOff.fail(at: loop.now)
    }

    func close() { connection?.fail(.lost("it is not needed any more")) }
}

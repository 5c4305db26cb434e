import HTTPCore
import Platform

/// A socket that accepts connections; made on any thread, then given to a loop's `Listener`.
public final class ListeningSocket: Sendable {
    public struct Options: Sendable {
        /// How many connections may wait in the system until they are accepted.
        public var backlog: Int32 = 4096
        /// Whether several sockets, one per loop, share the address; the system spreads connections over them.
        ///
        /// TCP only.
        public var sharesPort = false
        /// Whether the socket listens; if not, it only reserves the address, and connections are refused.
        ///
        /// A socket that listened for a moment would accept connections, and reset them when it closes. TCP only.
        public var acceptsConnections = true
        /// The mode of a Unix socket's file.
        public var unixMode: UInt32 = 0o600
        /// The setting that names the address, for error messages.
        public var setting = "listen"

        public init() {}
    }

    let descriptor: Int32
    /// The bound address, with the port that the system chose.
    public let address: SocketAddress
    /// The path to remove at the end, unless another file has replaced it.
    private let ownedPath: String?
    private let ownedFile: Files.Identity?

    /// Listens on `address`; with port 0 the system chooses one.
    ///
    /// A Unix socket that a dead process has left behind is replaced.
    public convenience init(binding address: SocketAddress, options: Options = Options()) throws(EventError) {
        let descriptor: Int32
        switch SocketCalls.makeSocket(family: address.family) {
        case .success(let made): descriptor = made
        case .failure(let error): throw ListenFailure.error(address, error, setting: options.setting)
        }
        if let error = Self.bind(descriptor, to: address, options: options) {
            SocketCalls.close(descriptor)
            throw ListenFailure.error(address, error, setting: options.setting)
        }
        var path: String?
        if case .unix(let name) = address { path = name }
        self.init(owning: descriptor, address: SocketCalls.localAddress(descriptor) ?? address, path: path)
    }

    /// Takes over a listening socket, such as one handed over by systemd.
    public convenience init(adopting descriptor: Int32) throws(EventError) {
        guard let address = SocketCalls.localAddress(descriptor) else {
            throw EventError(.cannotListen, "descriptor \(descriptor) is not a listening socket of a kind known here")
        }
        SocketCalls.setNonBlocking(descriptor)
        SocketCalls.setSending(descriptor, address: address)
        self.init(owning: descriptor, address: address, path: nil)
    }

    /// Duplicates the socket for another loop; the loop that accepts a connection first gets it.
    public func duplicate() throws(EventError) -> ListeningSocket {
        switch SocketCalls.duplicate(descriptor) {
        case .success(let copy): return ListeningSocket(owning: copy, address: address, path: nil)
        case .failure(let error): throw ListenFailure.error(address, error, setting: "listen")
        }
    }

    private init(owning descriptor: Int32, address: SocketAddress, path: String?) {
        self.descriptor = descriptor
        self.address = address
        ownedPath = path
        ownedFile = path.flatMap(Files.identity)
    }

    /// Whether the file of a Unix socket is still the one that was made; true for sockets without one.
    public var isInPlace: Bool { ownedPath.map { ownedFile != nil && Files.identity($0) == ownedFile } ?? true }

    deinit {
        SocketCalls.close(descriptor)
        if let ownedPath, isInPlace { Files.remove(ownedPath) }
    }

    private static func bind(_ descriptor: Int32, to address: SocketAddress, options: Options) -> SystemError? {
        switch address {
        case .ip(let ip, _, _):
            SocketCalls.setListenerOptions(descriptor, isIPv6: !ip.isIPv4, sharesPort: options.sharesPort)
            SocketCalls.setSending(descriptor, address: address)
            if let error = SocketCalls.bind(descriptor, to: address) { return error }
            return options.acceptsConnections ? SocketCalls.listen(descriptor, backlog: options.backlog) : nil
        case .unix(let path):
            if let error = SocketCalls.removeStaleSocket(path) { return error }
            return SocketCalls.bindUnix(descriptor, to: address, mode: options.unixMode)
                ?? SocketCalls.listen(descriptor, backlog: options.backlog)
        }
    }
}

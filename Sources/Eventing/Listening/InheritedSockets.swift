/// Sockets that the service manager has opened for us (sd_listen_fds(3)).
public struct InheritedSockets: Sendable {
    /// The first descriptor that the service manager passes.
    private static let first: Int32 = 3

    public var proxy: [ListeningSocket] = []
    public var administration: [ListeningSocket] = []

    /// No sockets.
    public init() {}

    /// Takes over the sockets that `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES` announce; call it once.
    ///
    /// Sockets named `admin` are for administration, all others for clients.
    /// - Throws: if one of them is not a listening socket.
    public init(environment: [String: String]) throws(EventError) {
        try self.init(environment: environment, from: Self.first)
    }

    /// Takes over sockets with the numbers from `first` on.
    init(environment: [String: String], from first: Int32) throws(EventError) {
        guard Self.isForThisProcess(environment["LISTEN_PID"]),
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...64).contains(count)
        else { return }
        let names = environment["LISTEN_FDNAMES", default: ""].split(separator: ":", omittingEmptySubsequences: false)
        for index in 0..<count {
            let descriptor = first + index
            guard Self.isListening(descriptor) else {
                throw EventError(
                    .cannotListen,
                    "descriptor \(descriptor) of LISTEN_FDS is no listening stream socket; use ListenStream= in the socket unit"
                )
            }
            let socket = try ListeningSocket(adopting: descriptor)
            let name = names.indices.contains(Int(index)) ? names[Int(index)] : ""
            if name == "admin" { administration.append(socket) } else { proxy.append(socket) }
        }
    }
}

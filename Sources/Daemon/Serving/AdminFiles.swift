import Administration
import Eventing
import Locking
import Observability
import Settings

/// The files of the admin API beside the store: the token and the user's Unix socket.
///
/// If they are deleted or replaced while the daemon runs, for example with the whole directory, this type makes new
/// ones.
final class AdminFiles: Sendable {
    /// How often to check that the files are in place.
    static let checkInterval = Duration.seconds(5)

    private struct State {
        var token: String
        var socket: ListeningSocket?
        /// The fault that the last check found; it is logged once.
        var tokenFault: String?
        var socketFault: String?
    }

    /// The changes that a check found.
    struct Change: Sendable {
        /// A new socket, which replaces the old one.
        var socket: ListeningSocket?
    }

    private let tokenFile: String?
    private let socketPath: String?
    private let log: Logger
    private let state: Lock<State>

    /// Reads or makes token and socket; blocks.
    ///
    /// Without token or socket the daemon still serves clients, and logs what is missing.
    /// - Parameter hasSocket: whether to open the Unix socket.
    init(_ paths: DaemonPaths, hasSocket: Bool, log: Logger) {
        tokenFile = paths.adminTokenFile
        socketPath = hasSocket ? paths.adminSocket : nil
        self.log = log
        state = Lock(State(token: AdminToken.make()))
        if tokenFile == nil {
            log.warning(
                "no file for the admin token; only health checks are answered",
                ["remedy": "set admin-token-file"]
            )
        }
        _ = readToken()
        _ = openSocket()
    }

    /// The token that requests must have.
    var token: [UInt8] { Array(state.withLock { $0.token }.utf8) }
    var socket: ListeningSocket? { state.withLock { $0.socket } }

    /// Makes missing files again, and accepts a new token in the file; blocks.
    ///
    /// - Returns: nil if nothing has changed.
    func restore() -> Change? {
        let hasOtherToken = readToken()
        let socket = openSocket()
        return hasOtherToken || socket != nil ? Change(socket: socket) : nil
    }

    // MARK: Steps

    /// Reads the token; returns whether it has changed.
    private func readToken() -> Bool {
        guard let tokenFile else { return false }
        let known = state.withLock { $0.token }
        do throws(AdminToken.Failure) {
            let token = try AdminToken.readOrMake(tokenFile, known: known)
            state.withLock { state in
                state.token = token
                state.tokenFault = nil
            }
            return token != known
        } catch {
            let isNews = state.withLock { state in
                defer { state.tokenFault = error.userMessage }
                return state.tokenFault != error.userMessage
            }
            if isNews { log.error("no admin token; only health checks are answered", ["reason": error.userMessage]) }
            return false
        }
    }

    /// Opens a new socket if the old one is gone; nil if the old one is in place, or no new one can be opened.
    private func openSocket() -> ListeningSocket? {
        guard let socketPath, !(socket?.isInPlace ?? false) else { return nil }
        do throws(EventError) {
            if let fault = SecretFile.directoryFault(of: socketPath) { throw EventError(.cannotListen, fault) }
            let opened = try ListeningSocket(binding: .unix(path: socketPath))
            state.withLock { state in
                state.socket = opened
                state.socketFault = nil
            }
            return opened
        } catch {
            let isNews = state.withLock { state in
                defer { state.socketFault = error.userMessage }
                return state.socketFault != error.userMessage
            }
            if isNews { log.warning("no Unix socket for the admin API", ["reason": error.userMessage]) }
            return nil
        }
    }
}

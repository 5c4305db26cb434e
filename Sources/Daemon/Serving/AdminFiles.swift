import Administration
import Eventing
import Locking
import Observability
import Platform
import Settings

/// The files of the admin API beside the store: the token and the user's Unix socket.
///
/// If they are deleted or replaced while the daemon runs, for example with the whole directory, this type makes new
/// ones.
final class AdminFiles: Sendable {
    /// How often to check that the files are in place.
    static let checkInterval = History.step

    private struct State {
        var token: String
        var readTokenFile: String?
        /// Empty: there is none, or its file cannot be used.
        var readToken = ""
        var socket: ListeningSocket?
        /// The fault that the last check found; it is logged once.
        var tokenFault: String?
        var readTokenFault: String?
        var socketFault: String?
    }

    /// The changes that a check found.
    struct Change: Sendable {
        /// Whether this type made files again; false if an operator has replaced one.
        var isRepair: Bool
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
    /// - Parameters:
    ///   - readTokenFile: the file of the token that only reads.
    ///   - hasSocket: whether to open the Unix socket.
    init(_ paths: DaemonPaths, readTokenFile: String?, hasSocket: Bool, log: Logger) {
        tokenFile = paths.adminTokenFile
        socketPath = hasSocket ? paths.adminSocket : nil
        self.log = log
        state = Lock(State(token: AdminToken.make(), readTokenFile: readTokenFile))
        if tokenFile == nil {
            log.warning(
                "no file for the admin token; requests that need it are refused",
                ["remedy": "set admin-token-file"]
            )
        }
        _ = rereadToken()
        _ = rereadReadToken()
        _ = openSocket()
    }

    /// The token that requests must have.
    var token: [UInt8] { Array(state.withLock { $0.token }.utf8) }
    /// The token for requests that only read; empty: there is none.
    var readToken: [UInt8] { Array(state.withLock { $0.readToken }.utf8) }
    /// Why the token for readers cannot be used.
    var readTokenFault: String? { state.withLock { $0.readTokenFault } }
    var socket: ListeningSocket? { state.withLock { $0.socket } }

    /// Makes missing files again, and accepts a new token in the file; blocks.
    ///
    /// - Returns: nil if nothing has changed.
    func restore() -> Change? {
        let hasOtherToken = rereadToken()
        let hasOtherReadToken = rereadReadToken()
        let socket = openSocket()
        guard hasOtherToken || hasOtherReadToken || socket != nil else { return nil }
        return Change(isRepair: hasOtherToken || socket != nil, socket: socket)
    }

    /// Reads the token for readers from `file` from now on; blocks.
    func useReadTokenFile(_ file: String?) {
        state.withLock { $0.readTokenFile = file }
        _ = rereadReadToken()
    }

    // MARK: Steps

    /// Reads the token; returns whether it has changed.
    private func rereadToken() -> Bool {
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
            if isNews { log.error("no admin token; requests that need it are refused", ["reason": error.userMessage]) }
            return false
        }
    }

    /// Reads the token for readers; returns whether it has changed.
    ///
    /// If the file cannot be used any more, its token is no longer accepted.
    private func rereadReadToken() -> Bool {
        let (file, known, adminToken) = state.withLock { ($0.readTokenFile, $0.readToken, $0.token) }
        var (token, fault) = ("", nil as String?)
        if let file {
            do throws(AdminToken.Failure) {
                token = try AdminToken.readForReaders(file, adminToken: adminToken)
            } catch {
                fault = error.userMessage
            }
        }
        let isNews = state.withLock { state in
            state.readToken = token
            defer { state.readTokenFault = fault }
            return state.readTokenFault != fault
        }
        if isNews, let fault { log.error("no token for readers", ["reason": fault]) }
        return token != known
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

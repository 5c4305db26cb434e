import CommandSyntax
import Eventing
import JSON
import Settings

/// The result of a search for a running daemon.
///
/// The admin token is sent only to addresses where no other user can answer: the user's own socket, or a configured
/// address. At the default address, any program may listen.
enum DaemonSearch {
    /// A daemon of the user, with its status.
    case found(AdminClient, JSONValue)
    /// A daemon answers, but may be another user's; the settings say where its clients connect.
    case unknown(CommandFailure, ProxyEndpoint)
    /// No daemon can be used; the text is the reason, if one may be running.
    case none(String?)

    init(_ command: ParsedCommand) throws(CommandFailure) {
        let loaded = try LoadedSettings.forCommand(command)
        guard !loaded.values.admin.isEmpty else {
            self = .none(nil)
            return
        }
        let client = try AdminClient(command)
        let refusal: CommandFailure
        if client.isTrusted {
            do throws(CommandFailure) {
                self = .found(client, try client.get("/v1/status").json())
                return
            } catch {
                guard error.isRefusedToken else {
                    self = .none(nil)
                    return
                }
                refusal = error
            }
        } else {
            guard AdminClient.answers(at: client.address) else {
                self = .none(nil)
                return
            }
            refusal = CommandFailure(
                "a daemon answers at \(client.address), but no setting names this address, so it does not get the admin "
                    + "token; `--admin \(client.address)` sends it"
            )
        }
        guard Self.isFile(loaded.origin(ofPath: "listen")) || Self.isFile(loaded.origin(ofPath: "admin")) else {
            self = .none(refusal.userMessage)
            return
        }
        self = .unknown(refusal, try ProxyEndpoint(loaded.values))
    }

    private static func isFile(_ origin: SettingOrigin) -> Bool {
        if case .file = origin { true } else { false }
    }
}

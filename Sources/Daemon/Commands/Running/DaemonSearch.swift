import Eventing
import Platform
import Settings

/// Looks for the daemon that runs already.
///
/// The token goes to where it is certain who answers: to the user's own socket, or to an address that an option or a settings
/// file names. At the default address anybody may listen.
enum DaemonSearch {
    case found(AdminClient, JSONValue)
    /// One answers, and it is not known to be ours; where clients reach it the settings tell.
    case unknown(CommandFailure, ProxyEndpoint)
    /// Why one that may answer is not used; nil: none does.
    case none(String?)

    init(_ command: ParsedCommand) throws(CommandFailure) {
        let loaded: LoadedSettings
        do throws(SettingsError) {
            loaded = try LoadedSettings.load(command, context: .current)
        } catch {
            throw CommandFailure("\(error)", exitCode: 2)
        }
        guard !loaded.values.admin.isEmpty else {
            self = .none(nil)
            return
        }
        let client = try AdminClient(command)
        let refusal: CommandFailure
        if client.isCertain {
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
                "a daemon answers at \(client.address), which no settings name: it is not told the admin token; "
                    + "`--admin \(client.address)` has it told"
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

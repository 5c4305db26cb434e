import CommandSyntax
import Eventing
import HTTPCore
import JSON
import Platform
import Settings

/// What the checks look at.
struct DoctorContext {
    let settings: DaemonSettings
    let process: ProcessContext
    let paths: DaemonPaths
    /// The status of the running daemon; nil: none answers with it.
    let status: JSONValue?
    /// What the search for the daemon found.
    let search: [Finding]

    init(_ command: ParsedCommand, _ settings: DaemonSettings, _ process: ProcessContext) {
        self.settings = settings
        self.process = process
        paths = DaemonPaths(settings, context: process)
        (status, search) = Self.search(command, settings)
    }

    /// Where clients connect: as the daemon reports, or else the settings.
    var listeners: [ListenAddress] {
        let told = (status?["listeners"]?.elements ?? []).compactMap { $0.text.flatMap(ListenAddress.init(text:)) }
        return told.isEmpty ? settings.allListeners.map(\.address) : told
    }

    /// The index of the store, and when it was written last; nil if there is none.
    var index: (path: String, written: Int64)? {
        guard let path = paths.storageDirectory.map({ "\($0)/cache.db" }) else { return nil }
        return (try? FileStatus(of: path)).map { (path, $0.modified) }
    }

    // MARK: The daemon

    private static let start = "start one with `respite serve`, or `systemctl start respite`"

    private static func search(_ command: ParsedCommand, _ settings: DaemonSettings) -> (JSONValue?, [Finding]) {
        guard !settings.admin.isEmpty else {
            return (nil, [.note("admin", "`admin` is empty, so no command can ask the daemon")])
        }
        do throws(CommandFailure) {
            let client = try AdminClient(command, patience: PortProbe.patience)
            return ask(client)
        } catch {
            return (nil, [.fault("admin", error.userMessage, "correct the setting `admin`")])
        }
    }

    private static func ask(_ client: AdminClient) -> (JSONValue?, [Finding]) {
        let place = client.address
        let owner = place.port.flatMap(PortOwner.find)
        do throws(CommandFailure) {
            let status = try client.get("/v1/status").json()
            guard let version = status["version"]?.text else { return (nil, [foreign(place, owner)]) }
            let seen = "the daemon answers at \(place), version \(version)"
            guard status["ready"]?.isTrue == true else {
                return (status, [.fault("admin", "\(seen), but is not ready", "wait, or look at its log")])
            }
            return (status, [.ok("admin", seen)])
        } catch {
            switch (error.exitCode, owner) {
            case (4, nil): return (nil, [.fault("admin", "no daemon answers at \(place)", start)])
            case (4, _): return (nil, [foreign(place, owner)])
            case _ where error.isRefusedToken:
                return (
                    nil,
                    [.fault("admin", error.userMessage, "name the daemon's token by `--token-file FILE`, or use sudo")]
                )
            case (_, _): return (nil, [foreign(place, owner)])
            }
        }
    }

    private static func foreign(_ place: SocketAddress, _ owner: String?) -> Finding {
        .fault(
            "admin",
            "another program has \(place)\(owner.map { ": \($0)" } ?? "")",
            "stop it, or name another address by `admin`"
        )
    }
}

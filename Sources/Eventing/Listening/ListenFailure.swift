import LibC
import HTTPCore
import Platform

/// Why an address cannot be listened on, and what to do.
enum ListenFailure {
    static func error(_ address: SocketAddress, _ error: SystemError, setting: String) -> EventError {
        EventError(
            .cannotListen,
            "cannot listen on \(address): \(error); \(remedy(address, error.code, setting: setting))",
            underlying: error
        )
    }

    private static func remedy(_ address: SocketAddress, _ code: Int32, setting: String) -> String {
        switch (address, code) {
        case (_, EADDRINUSE): "change `\(setting)` or stop the other process"
        case (.ip(_, let port, _), EACCES) where port < 1024:
            "ports below 1024 are root's: use a port above in `\(setting)`, let the socket unit open it (`ListenStream=`), or "
                + "grant the right (`AmbientCapabilities=CAP_NET_BIND_SERVICE` in a unit, `sudo setcap "
                + "cap_net_bind_service=+ep` for the program)"
        case (.ip, EADDRNOTAVAIL): "this machine does not have this address; change `\(setting)`"
        case (.ip, EAFNOSUPPORT): "this machine does not speak this kind of address; change `\(setting)`"
        case (.unix, EACCES), (.unix, EPERM): "this user may not write its directory; change `\(setting)`"
        case (.unix, ENOENT): "its directory does not exist; make it, or change `\(setting)`"
        default: "change `\(setting)`"
        }
    }
}

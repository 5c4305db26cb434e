import Configurations
import JSON
import Settings

/// The content of `PUT /v1/mode`.
struct ModeChoice {
    let mode: ServiceMode
    /// Nil: all services.
    let service: String?

    /// Reads `{"mode": "offline", "service": "github"}`.
    init(json root: JSONCursor) throws(JSONError) {
        try root.requireObject(members: ["mode", "service"])
        let named = try root.requiredMember("mode")
        guard let mode = ServiceMode(rawValue: try named.text()) else {
            let names = ServiceMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw named.error("must be one of \(names)")
        }
        self.mode = mode
        service = try root.member("service")?.text()
    }
}

import HTTPCore
public import ResourceCore

/// URL and state in short (S-075).
extension Resource: CustomStringConvertible {
    /// The URL, shortened by the service's base, and the state: `L` loading, `D` data, `E` an error.
    public var description: String {
        var text = hasURL ? url : url.debugDescription
        if let base = core.baseURL?.text, text.hasPrefix(base) { text = "…/" + text.dropFirst(base.count) }
        return "Resource(\(text))[\(snapshot.flags)]"
    }
}

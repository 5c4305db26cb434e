/// How lines of the access log are written.
public enum AccessLogFormat: Sendable, Equatable {
    /// `key=value` pairs, as in the other log.
    case text
    /// An object per line.
    case json
    /// The combined log format of Apache and nginx, which most analysers read; it has no place for outcome and reason.
    case combined
    /// As the settings write it.
    case template(AccessLogTemplate)

    /// The formats that have a name.
    public static let named: [AccessLogFormat] = [.text, .json, .combined]

    /// The name, or the text of the template.
    public var text: String {
        switch self {
        case .text: "text"
        case .json: "json"
        case .combined: "combined"
        case .template(let template): template.text
        }
    }
}

public import JSON
import Settings

/// The text of a HAR file that is written entry by entry.
public enum ArchiveText {
    /// The text before the entries.
    public static func beginning(creator: String) -> [UInt8] {
        let text = Cassette(scrubbing: ScrubbingRules()).har(creator: creator)
        // A file without entries, cut off where its entries would be.
        return Array(text.dropLast("]\n  }\n}\n".utf8.count))
    }

    /// An entry, with what separates it from the one before.
    public static func element(_ entry: JSONValue, isFirst: Bool) -> [UInt8] {
        var json = IndentedJSON()
        json.append(entry, depth: 3)
        return Array((isFirst ? "\n" : ",\n").utf8) + json.bytes
    }

    /// The text after the entries.
    public static func end(isEmpty: Bool) -> [UInt8] { Array((isEmpty ? "]\n  }\n}\n" : "\n    ]\n  }\n}\n").utf8) }
}

/// Reads a HAR file of any tool; the caller then reads each entry by itself, so that a wrong one spoils no other.
public struct ArchiveReader: Sendable {
    /// The entries, without members that only other tools know.
    public let entries: [JSONValue]
    /// Whether another tool has written the file.
    public let isForeign: Bool

    /// The versions of HAR that are read; they differ in nothing that is used here.
    private static let versions = ["1.1", "1.2"]

    /// Throws if the file is cut off, is no HAR, or has another version.
    public init(_ bytes: [UInt8]) throws(CassetteError) {
        do throws(JSONError) {
            let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
            let log = try JSONCursor(JSONReader.parse(text, sizeLimit: .max, depthLimit: 512)).requiredMember("log")
            let version = try log.member("version")?.text() ?? "1.1"
            guard Self.versions.contains(version) else {
                throw (log.member("version") ?? log).error("is \(version), and this Respite reads HAR 1.1 and 1.2")
            }
            isForeign = log.member("_respite") == nil
            entries = try log.requiredMember("entries").elements().map(Self.trimmed)
        } catch {
            let isCut = !error.path.hasPrefix("$")
            let remedy = isCut ? "; the file is cut off or was edited" : ""
            throw CassetteError(place: error.path, "\(error.userMessage)\(remedy)")
        }
    }

    /// The entry without members such as `_initiator`, which may be large and deep.
    private static func trimmed(_ cursor: JSONCursor) -> JSONValue {
        guard case .object(let members) = cursor.value else { return cursor.value }
        return .object(members.filter { !$0.name.hasPrefix("_") || $0.name == "_respite" })
    }

    /// The method and the URL of an entry, for people.
    public static func title(of entry: JSONValue) -> String {
        let request = JSONCursor(entry).member("request")
        func text(_ name: String) -> String { (try? request?.member(name)?.text()) ?? "?" }
        return "\(text("method")) \(text("url"))"
    }
}

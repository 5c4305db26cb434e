public import Cassettes
public import JSON
import Settings

/// An export of what a store has: the file, and what is left out of it; blocks.
public final class StoreExport {
    private let output: ArchiveOutput
    private var seen: Set<String> = []
    /// How many responses are left out for each reason.
    private var left: [String: Int] = [:]

    /// - Parameter path: `-` is standard output.
    public init(_ path: String, creator: String) throws(CassetteError) {
        output = try ArchiveOutput(path, creator: creator)
    }

    /// The identifiers in a page of a listing that no earlier page had.
    public func newIdentifiers(in page: [JSONValue]) -> [String] {
        page.compactMap { resource in
            guard case .text(let id)? = resource["id"], seen.insert(id).inserted else { return nil }
            return id
        }
    }

    /// Adds the admin API's archive of a resource: its entries, and the reasons for those left out.
    public func add(_ archive: JSONValue) throws(CassetteError) {
        if case .array(let entries)? = archive["entries"] {
            for entry in entries { try output.append(entry) }
        }
        guard case .array(let reasons)? = archive["left"] else { return }
        for case .text(let reason) in reasons { left[reason, default: 0] += 1 }
    }

    /// Gives the file its name.
    public func finish() throws(CassetteError) { try output.finish() }

    /// Removes what was written; an earlier file of that name stays.
    public func discard() { output.discard() }

    /// What was done, for people.
    public var report: [String] {
        ["exported \(output.count) \(output.count == 1 ? "response" : "responses")"]
            + left.sorted { $0.key < $1.key }.map { "left out \($0.value): \($0.key)" }
    }
}

import Cassettes
import Exchanges
import Explaining
import Formats
import HTTPCaching
import HTTPCore
import JSON
import ResourceCore
import Settings

/// Puts a response of a HAR file into the cache, as if its origin had sent it.
///
/// It is stored for all clients or not at all, and only if such a response of its origin would be.
enum ArchiveImport {
    /// Whether the response is stored, or why it is not.
    enum Outcome: Sendable {
        case stored(TargetURI)
        case refused(word: String, sentence: String)

        func write(to writer: inout JSONWriter) {
            switch self {
            case .stored(let uri):
                writer.member("stored", true)
                writer.member("uri", bytes: uri.bytes)
            case .refused(let word, let sentence):
                writer.member("stored", false)
                writer.member("reason", word)
                writer.member("detail", sentence)
            }
        }
    }

    /// Calls `completion` inside the call or on any thread.
    static func run(
        _ wanted: ImportRequest,
        _ source: AdminSource,
        _ context: any DeliveryContext,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        do throws(ImportedEntry.Obstacle) {
            let timekeeper = source.service.table.environment.timekeeper
            let archived = try wanted.archived()
            let entry = try ImportedEntry(archived, wanted.credentials(source.service), now: timekeeper.wallNow)
            let resource = source.service.resource(for: entry.uri)
            let configuration = resource.configuration.values
            let age = try entry.requireStorable(configuration.caching, now: timekeeper.wallNow)
            // Only the content of origins is redacted before it is stored.
            if configuration.pipeline.redacts { throw .init("redact", "a rule redacts responses of this URL") }
            resource.explain(.get, entry.requestFields) { explanation in
                if explanation.hasNewer(than: age) {
                    return completion(.refused(word: "newer-stored", sentence: "a newer response is stored"))
                }
                store(entry, in: resource, ImportingProvider(entry, context), completion)
            }
        } catch {
            completion(.refused(word: error.word, sentence: error.sentence))
        }
    }

    private static func store(
        _ entry: ImportedEntry,
        in resource: Resource,
        _ provider: ImportingProvider,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        let request = ClientRequest(
            uri: resource.uri,
            fields: entry.requestFields,
            profile: RequestProfile(method: .get),
            arrival: resource.environment.timekeeper.now,
            provider: provider
        )
        resource.refresh(as: request) { outcome in
            switch outcome {
            case .newData(.some), .notModified: completion(.stored(resource.uri))
            // An error of the origin may be stored, too.
            case .failure(let error) where error.kind == nil && error.status == entry.status:
                completion(.stored(resource.uri))
            case .newData(nil):
                let note = RefusalReason.tooLarge.note
                completion(.refused(word: note.word, sentence: note.sentence))
            case .failure(let error): completion(.refused(word: "failed", sentence: error.userMessage))
            case .cancelled: completion(.refused(word: "cancelled", sentence: "the resource was changed meanwhile"))
            }
        }
    }
}

extension Explanation {
    /// Whether a response for everybody that such a request gets is newer than one that is `age` seconds old.
    ///
    /// Both ages are whole seconds and count from different moments: of one response they can differ by one.
    fileprivate func hasNewer(than age: Int64) -> Bool {
        variants.contains { $0.isSelected && $0.partition == "shared" && $0.ageSeconds < age - 1 }
    }
}

/// The content of a request to import an entry.
struct ImportRequest: Sendable {
    private let entry: JSONCursor
    private let isForeign: Bool

    /// Reads `{"entry": {…}}`, with or without `"isForeign": true`.
    init(json root: JSONCursor) throws(JSONError) {
        try root.requireObject(members: ["entry", "isForeign"])
        entry = try root.requiredMember("entry")
        isForeign = try root.member("isForeign")?.boolean() ?? false
    }

    fileprivate func archived() throws(ImportedEntry.Obstacle) -> ArchivedEntry {
        do throws(JSONError) {
            return try ArchivedEntry(entry, isForeign: isForeign)
        } catch {
            throw .init("entry", "\(error.path) \(error.userMessage)")
        }
    }

    /// The credential fields by the settings for the entry's URL.
    fileprivate func credentials(_ service: Service) -> CredentialFields {
        let url = try? entry.member("request")?.member("url")?.text()
        guard let url, let uri = try? TargetURI(parsing: url) else { return CredentialFields() }
        return service.configuration(for: uri).values.caching.credentials
    }
}

public import Cassettes
import Formats
import Platform
import Settings

/// A HAR file whose entries are sent to a daemon one by one; blocks.
public struct ArchiveInput: Sendable {
    private let archive: ArchiveReader

    /// The most bytes of a file.
    private static let limit = 2 << 30

    /// - Parameter path: `-` is standard input.
    public init(_ path: String) throws(CassetteError) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try SmallFile.read(path == "-" ? "/dev/stdin" : path, limit: Self.limit)
        } catch {
            throw CassetteError(place: path, "cannot be read: \(error.reason)")
        }
        do throws(CassetteError) {
            archive = try ArchiveReader(bytes)
        } catch {
            throw CassetteError(place: "\(path): \(error.place)", error.userMessage)
        }
    }

    /// The request for each entry, and its method and URL for people.
    public var requests: some Sequence<(title: String, json: [UInt8])> {
        archive.entries.lazy.map { [archive] entry in
            var writer = JSONWriter()
            writer.object { writer in
                writer.name("entry")
                writer.value(entry)
                writer.member("isForeign", archive.isForeign)
            }
            return (ArchiveReader.title(of: entry), writer.bytes)
        }
    }
}

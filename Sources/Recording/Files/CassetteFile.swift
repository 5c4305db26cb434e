public import Cassettes
import Platform

/// The file of a cassette.
public struct CassetteFile: Sendable {
    public let path: String

    public init(_ path: String) { self.path = path }

    /// The most bytes of a file.
    private static let limit = 2 << 30

    /// Reads the cassette; blocks.
    public func read() throws(CassetteError) -> Cassette {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try SmallFile.read(path, limit: Self.limit)
        } catch {
            let remedy = error.isMissingFile ? "; `respite record \(path) -- COMMAND` makes it" : ""
            throw CassetteError(place: path, "cannot be read: \(error.reason)\(remedy)")
        }
        do throws(CassetteError) {
            return try Cassette(har: bytes)
        } catch {
            throw CassetteError(place: "\(path): \(error.place)", error.userMessage)
        }
    }

    /// Throws if there is a file that is no cassette: a recording would replace it.
    public func checkReplaceable() throws(CassetteError) {
        guard SmallFile.isNamed(path), (try? SmallFile.start(of: path, count: 1))?.isEmpty != true else { return }
        do throws(CassetteError) {
            _ = try read()
        } catch {
            throw CassetteError(
                place: error.place,
                "\(error.userMessage); a recording does not replace such a file: move it away"
            )
        }
    }

    /// Replaces the file by one that only this user may read; blocks.
    ///
    /// It searches the new file for secrets before the file gets its name. If there is one, it removes the new file,
    /// and the earlier one stays.
    public func write(_ cassette: Cassette, without secrets: SecretIndex, creator: String) throws(CassetteError) {
        let part = "\(path).\(UInt32.random(in: .min ... .max)).part"
        let fault: CassetteError?
        do throws(SystemError) {
            try SmallFile.writePrivate(cassette.har(creator: creator), to: part)
            fault = SecretSearch(secrets).fault(in: try SmallFile.read(part, limit: .max))
            if fault == nil { try SmallFile.rename(part, to: path) } else { try SmallFile.remove(part) }
        } catch {
            _ = try? SmallFile.remove(part)
            throw CassetteError(place: path, "cannot be written: \(error.reason)")
        }
        if let fault { throw CassetteError(place: "\(path): \(fault.place)", fault.userMessage) }
    }
}

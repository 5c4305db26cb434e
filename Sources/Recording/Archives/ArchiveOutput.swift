public import Cassettes
public import JSON
import Platform
import Settings

/// A HAR file that is written entry by entry; blocks.
///
/// The file gets its name once it is complete, and then replaces a file of that name. Only this user may read it.
public final class ArchiveOutput {
    private let path: String
    /// The name of the file until it is complete; nil: standard output.
    private let part: String?
    private var pending: [UInt8]
    /// The entries so far.
    public private(set) var count = 0

    /// Bytes that are collected before they are written.
    private static let step = 1 << 20

    /// - Parameter path: `-` is standard output.
    public init(_ path: String, creator: String) throws(CassetteError) {
        self.path = path
        part = path == "-" ? nil : "\(path).\(UInt32.random(in: .min ... .max)).part"
        pending = ArchiveText.beginning(creator: creator)
        guard let part else { return }
        do throws(SystemError) {
            try SmallFile.writePrivate([], to: part)
        } catch {
            throw CassetteError(place: path, "cannot be written: \(error.reason)")
        }
    }

    public func append(_ entry: JSONValue) throws(CassetteError) {
        pending += ArchiveText.element(entry, isFirst: count == 0)
        count += 1
        if pending.count >= Self.step { try flush() }
    }

    /// Ends the file, and gives it its name.
    public func finish() throws(CassetteError) {
        pending += ArchiveText.end(isEmpty: count == 0)
        try flush()
        guard let part else { return }
        do throws(SystemError) {
            try SmallFile.rename(part, to: path)
        } catch {
            throw fault(error)
        }
    }

    /// Removes what was written; an earlier file of that name stays.
    public func discard() {
        pending = []
        if let part { _ = try? SmallFile.remove(part) }
    }

    private func flush() throws(CassetteError) {
        do throws(SystemError) {
            if let part {
                try SmallFile.appendPrivate(String(decoding: pending, as: UTF8.self), to: part)
            } else {
                try StandardOutput.write(pending)
            }
        } catch {
            throw fault(error)
        }
        pending.removeAll(keepingCapacity: true)
    }

    private func fault(_ error: SystemError) -> CassetteError {
        CassetteError(place: path, "cannot be written: \(error.reason)")
    }
}

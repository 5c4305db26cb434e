import Eventing
import HTTPCore
import Platform
import Settings
import Terminal

/// Whether the store is there, ours, writable and healthy, and whether its disk has room.
enum StoreChecks {
    /// Less than this is no room.
    private static let leastSpace = 16 << 20
    /// How an SQLite database begins.
    private static let mark = Array("SQLite format 3\0".utf8)

    static func findings(_ context: DoctorContext) -> [Finding] {
        guard let directory = context.paths.storageDirectory else {
            return [.note("store", "there is none: responses are in memory only")]
        }
        return [store(context, directory), space(context, directory)]
    }

    // MARK: The directory

    private static func store(_ context: DoctorContext, _ directory: String) -> Finding {
        if let store = context.status?["store"], let state = store["state"]?.text {
            let place = store["directory"]?.text ?? directory
            if state == "ok" { return .ok("store", "\(place) works") }
            let reason = store["reason"]?.text.map { ": \($0)" } ?? ""
            return .fault(
                "store",
                "\(place) is \(state)\(reason)",
                "correct the cause; the daemon tries again by itself"
            )
        }
        let status: FileStatus
        do {
            status = try FileStatus(of: directory)
        } catch {
            return error.isMissingFile ? missing(directory) : .fault("store", "\(directory): \(error.reason)", access)
        }
        guard status.isDirectory else {
            return .fault("store", "\(directory) is no directory", "remove it, or set `storage.directory`")
        }
        guard status.isOwn || context.paths.isStorageHandedOver else {
            return foreign(status, directory, context.process)
        }
        guard FileStatus.isWritable(directory) else {
            return .fault("store", "\(directory) cannot be written", "chmod 700 \(ShellText.quoted(directory))")
        }
        return context.index.flatMap { database($0.path) } ?? .ok("store", "\(directory) can be written")
    }

    private static let access = "let this user read it, or set `storage.directory`"

    private static func missing(_ directory: String) -> Finding {
        var parent = directory[...]
        while let slash = parent.lastIndex(of: "/") {
            parent = parent[..<slash]
            let path = parent.isEmpty ? "/" : String(parent)
            guard SmallFile.exists(path) else { continue }
            guard FileStatus.isWritable(path) else {
                return .fault("store", "\(directory) is not there, and \(path) cannot be written", access)
            }
            break
        }
        return .note("store", "\(directory) is not there yet: the daemon makes it")
    }

    private static func foreign(_ status: FileStatus, _ directory: String, _ process: ProcessContext) -> Finding {
        let seen = "\(directory) belongs to user \(status.owner)"
        // Root looks at what the service's user owns.
        if process.isRoot { return .note("store", "\(seen): only a daemon of that user can use it") }
        return .fault("store", seen, "ask as that user, as by sudo, or set `storage.directory`")
    }

    /// A fault if the index is no database.
    private static func database(_ path: String) -> Finding? {
        let start: [UInt8]
        do {
            start = try SmallFile.start(of: path, count: mark.count)
        } catch {
            return .fault("store", "\(path): \(error.reason)", "let this user read it")
        }
        guard !start.isEmpty, start != mark else { return nil }
        return .fault("store", "\(path) is damaged", "start the daemon: it makes a new one, or says why not")
    }

    // MARK: Space

    private static func space(_ context: DoctorContext, _ directory: String) -> Finding {
        let free: Int
        let size: Int
        do {
            free = try FileSystem.available(at: directory)
            size = try FileSystem.size(at: directory)
        } catch {
            return .fault("space", "\(directory): \(error.reason)", access)
        }
        let setting = context.settings.storage.limit
        let limit = setting.percent.map { Int64(size) / 100 * Int64($0) } ?? Int64(setting.bytes)
        let used = context.status?["store"]?["usedBytes"]?.integer ?? 0
        return space(free: Int64(free), used: used, limit: limit, directory)
    }

    static func space(free: Int64, used: Int64, limit: Int64, _ directory: String) -> Finding {
        let seen = "\(Table.Cell.readable(bytes: free)) free at \(directory)"
        if free < leastSpace { return .fault("space", seen, "free some: nothing more can be stored") }
        guard free < limit - used else { return .ok("space", seen) }
        return .note(
            "space",
            "\(seen), less than the store may use: \(Table.Cell.readable(bytes: limit))",
            "set `storage.limit` lower, or the disk is full before the store"
        )
    }
}

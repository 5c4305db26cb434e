import Platform
import Settings

/// Files that a command needs for as long as it runs, in a directory that only this user can enter.
final class RunDirectory {
    let path: String
    private var written: Set<String> = []

    /// Makes it below `TMPDIR`, otherwise in /tmp.
    init(_ environment: ProcessEnvironment) throws(CommandFailure) {
        let wanted = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        // Elsewhere other users could put a directory of theirs in its place.
        let parent = SecretFile.directoryFault(of: "\(wanted)/x") == nil ? wanted : "/tmp"
        do throws(SystemError) {
            path = try SmallFile.makePrivateDirectory(in: parent)
        } catch {
            throw CommandFailure("cannot make a directory in \(parent): \(error.reason)", exitCode: 125)
        }
    }

    /// Writes a new file, 0600 or for a program 0700, and returns its path.
    ///
    /// A name that was written before keeps its first text: two programs of one tool share its file.
    @discardableResult
    func write(_ text: String, to name: String, isProgram: Bool = false) throws(CommandFailure) -> String {
        try write(Array(text.utf8), to: name, isProgram: isProgram)
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String, isProgram: Bool = false) throws(CommandFailure) -> String {
        let file = "\(path)/\(name)"
        guard written.insert(name).inserted else { return file }
        do throws(SystemError) {
            try SmallFile.writePrivate(bytes, to: file, isProgram: isProgram)
            return file
        } catch {
            throw CommandFailure("cannot write \(file): \(error.reason)", exitCode: 125)
        }
    }

    /// Removes the directory with its files.
    func remove() { Self.remove(path, depth: 2) }

    private static func remove(_ directory: String, depth: Int) {
        for name in SmallFile.names(in: directory) {
            let path = "\(directory)/\(name)"
            if (try? SmallFile.remove(path)) == nil, depth > 1 { remove(path, depth: depth - 1) }
        }
        SmallFile.removeDirectory(directory)
    }
}

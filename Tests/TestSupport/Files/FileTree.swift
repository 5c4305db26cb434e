import Glibc

extension TemporaryDirectory {
    /// What `du` says of the directory, in bytes.
    public var usage: Int64 { directoryUsage(path) }
}

/// Bytes of all files and directories below `path`, itself included; what vanishes meanwhile does not count.
///
/// As `du` does it counts a file with several names once.
public func directoryUsage(_ path: String) -> Int64 {
    var counted: Set<UInt> = []
    return usage(path, &counted)
}

/// - Parameter counted: the numbers of files with several names that are counted already.
private func usage(_ path: String, _ counted: inout Set<UInt>) -> Int64 {
    var status = stat()
    guard lstat(path, &status) == 0 else { return 0 }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    if !isDirectory, status.st_nlink > 1, !counted.insert(UInt(status.st_ino)).inserted { return 0 }
    var total = Int64(status.st_blocks) * 512
    guard isDirectory, let directory = opendir(path) else { return total }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { total += usage(path + "/" + name, &counted) }
    }
    return total
}

/// Paths of all files below `path`.
public func filesBelow(_ path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var files: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name == "." || name == ".." { continue }
        var status = stat()
        let full = path + "/" + name
        guard lstat(full, &status) == 0 else { continue }
        files += status.st_mode & S_IFMT == S_IFDIR ? filesBelow(full) : [full]
    }
    return files.sorted()
}

/// Runs a program to its end, and returns its status.
@discardableResult
public func run(_ program: String, _ arguments: [String]) -> Int32 {
    var pid = pid_t()
    var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    argv.append(nil)
    defer { for argument in argv { free(argument) } }
    guard posix_spawn(&pid, program, nil, nil, argv, environ) == 0 else { return -1 }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status
}

/// A file's bytes.
public func contents(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
}

/// Makes or replaces a file.
public func overwrite(_ path: String, _ bytes: [UInt8]) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}

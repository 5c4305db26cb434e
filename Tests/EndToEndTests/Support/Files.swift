import Glibc
import TestSupport

/// The whole content of a file.
func readFile(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw HarnessError("open \(path): errno \(errno)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw HarnessError("read \(path): errno \(errno)") }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}

/// Makes or replaces a file.
func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw HarnessError("open \(path): errno \(errno)") }
    defer { close(descriptor) }
    guard write(descriptor, bytes, bytes.count) == bytes.count else {
        throw HarnessError("write \(path): errno \(errno)")
    }
}

import Glibc
import Testing

@testable import Eventing

/// Configuration files of the system, as bytes.
@Suite struct SystemFileTests {
    @Test("of a file of more than 16 MiB the first 16 MiB are read")
    func limit() throws {
        // Given a file with a hole, which takes no space
        var template = Array("/tmp/respite-system-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            close(descriptor)
            unlink(path)
        }
        try #require(ftruncate(descriptor, 17 << 20) == 0)
        // When it is read, then memory stays within the limit
        #expect(SystemFile.read(path)?.count == 16 << 20)
    }

    @Test("a file that is not there has no bytes")
    func missing() { #expect(SystemFile.read("/nonexistent/respite") == nil) }
}

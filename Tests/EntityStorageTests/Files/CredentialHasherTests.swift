import EntityStorage
import Glibc
import HTTPCore
import Testing
import TestSupport

@Suite("Names of credential partitions")
struct CredentialHasherTests {
    @Test("the same credential has the same name in every run with one store, another elsewhere")
    func stability() throws {
        let directory = TemporaryDirectory()
        let first = try CredentialHasher(directory: directory.path + "/store")
        let second = try CredentialHasher(directory: directory.path + "/store")
        let name = first.hash(Array("Bearer a".utf8))
        #expect(name.count == 32)
        #expect(second.hash(Array("Bearer a".utf8)) == name)
        #expect(first.hash(Array("Bearer b".utf8)) != name)
        #expect(CredentialHasher().hash(Array("Bearer a".utf8)) != name)
    }

    @Test("the key is for its owner alone")
    func mode() throws {
        let directory = TemporaryDirectory()
        _ = try CredentialHasher(directory: directory.path)
        var status = stat()
        #expect(lstat(directory.path + "/partition-key", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600 && status.st_size == 32)
    }

    @Test("a key file that is cut short is replaced")
    func cutKey() throws {
        let directory = TemporaryDirectory()
        overwrite(directory.path + "/partition-key", [1, 2, 3])
        let name = try CredentialHasher(directory: directory.path).hash([1])
        #expect(try CredentialHasher(directory: directory.path).hash([1]) == name)
    }

    @Test("a directory that cannot be used is told in a sentence")
    func unusable() {
        let error = #expect(throws: StoreError.self) { try CredentialHasher(directory: "/proc/none") }
        #expect(error?.code == .keyNotUsable && error?.userMessage.contains("/proc/none/partition-key") == true)
    }
}

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

    @Test("a key file that is cut short, or too long, is replaced", arguments: [0, 3, 31, 33])
    func otherKey(count: Int) throws {
        let directory = TemporaryDirectory()
        overwrite(directory.path + "/partition-key", bytes(count))
        let name = try CredentialHasher(directory: directory.path).hash([1])
        #expect(contents(directory.path + "/partition-key").count == 32)
        #expect(try CredentialHasher(directory: directory.path).hash([1]) == name)
    }

    @Test("nothing is left of a draft, of this process or of an earlier one with its number")
    func drafts() throws {
        let directory = TemporaryDirectory()
        let (key, draft) = (directory.path + "/partition-key", directory.path + "/partition-key.\(getpid())")
        overwrite(draft, bytes(40))
        _ = try CredentialHasher(directory: directory.path)
        #expect(filesBelow(directory.path) == [key] && contents(key).count == 32)
        #expect(!bytes(40).starts(with: contents(key)))
    }

    @Test("a key that others may read is closed to them, and stays; what is no file is refused")
    func openKey() throws {
        let directory = TemporaryDirectory()
        let key = directory.path + "/partition-key"
        overwrite(key, bytes(32))
        chmod(key, 0o644)
        _ = try CredentialHasher(directory: directory.path)
        var status = stat()
        #expect(lstat(key, &status) == 0 && status.st_mode & 0o777 == 0o600 && contents(key) == bytes(32))
        unlink(key)
        mkdir(key, 0o700)
        let error = #expect(throws: StoreError.self) { try CredentialHasher(directory: directory.path) }
        #expect(error?.code == .keyNotUsable)
    }

    @Test("a directory that cannot be used is told in a sentence")
    func unusable() {
        let error = #expect(throws: StoreError.self) { try CredentialHasher(directory: "/proc/none") }
        #expect(error?.code == .keyNotUsable && error?.userMessage.contains("/proc/none/partition-key") == true)
    }
}

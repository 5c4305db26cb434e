import Glibc
import HTTPCore
import TestSupport
import Testing

@testable import TransportSecurity

/// A directory that does not exist yet, in a temporary one.
final class AuthorityPlace {
    let files: AuthorityFiles
    private let root = TemporaryDirectory()

    init() { files = AuthorityFiles(directory: root.path("respite/ca")) }

    func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    func overwrite(_ path: String, _ bytes: [UInt8]) {
        let descriptor = open(path, O_WRONLY | O_TRUNC)
        _ = write(descriptor, bytes, bytes.count)
        close(descriptor)
    }

    /// How many descriptors of this process lead to it, or to what was in it.
    var openDescriptors: Int {
        guard let listing = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(listing) }
        var count = 0
        while let entry = readdir(listing) {
            let number = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var target = [CChar](repeating: 0, count: 4096)
            let length = readlink("/proc/self/fd/" + number, &target, target.count)
            let path = target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
            if path.starts(with: files.directory.utf8) { count += 1 }
        }
        return count
    }

    func make(_ name: String = "Lab", days: Int = 10) throws -> CertificateAuthority {
        let authority = try CertificateAuthority.make(name: name, days: days, at: currentDate)
        try files.write(authority, replaces: false)
        return authority
    }

    var fault: AuthorityError? {
        do throws(AuthorityError) { _ = try files.load(at: currentDate) } catch { return error }
        return nil
    }
}

@Suite("An authority of one's own")
struct AuthorityTests {
    @Test("it is written for its owner alone, and read again as it was")
    func roundTrip() throws {
        let place = AuthorityPlace()
        let made = try place.make("Lab at home")
        #expect(place.mode(place.files.directory) == 0o700)
        #expect(place.mode(place.files.keyFile) == 0o600 && place.mode(place.files.certificateFile) == 0o644)
        let read = try place.files.load(at: currentDate)
        #expect(
            read.certificate.fingerprint == made.certificate.fingerprint && made.certificate.fingerprint.count == 32
        )
        #expect(read.certificate.name == "Lab at home")
        #expect(try place.files.loadCertificate().der == made.certificate.der)
        let days = (read.certificate.ends.seconds - currentDate.seconds) / 3600
        #expect((239...240).contains(days))
    }

    @Test("one that is there is replaced only when asked for, and what is beside it is left alone")
    func replacing() throws {
        let place = AuthorityPlace()
        let first = try place.make("First")
        #expect(throws: AuthorityError.exists(file: place.files.keyFile)) { _ = try place.make("Second") }
        #expect(try place.files.load(at: currentDate).certificate.fingerprint == first.certificate.fingerprint)
        let second = try CertificateAuthority.make(name: "Second", days: 1, at: currentDate)
        try place.files.write(second, replaces: true)
        #expect(try place.files.load(at: currentDate).certificate.name == "Second")
        #expect(place.mode(place.files.keyFile) == 0o600)
    }

    @Test("where one of the two cannot be written the other one stays what it was")
    func halfWritten() throws {
        let place = AuthorityPlace()
        let first = try place.make("First")
        let other = try CertificateAuthority.make(name: "Second", days: 1, at: currentDate)
        // What the certificate would be written as is a directory.
        let draft = "\(place.files.certificateFile).\(getpid())"
        try #require(mkdir(draft, 0o700) == 0)
        defer { rmdir(draft) }
        #expect(throws: AuthorityError.self) { try place.files.write(other, replaces: true) }
        #expect(try place.files.load(at: currentDate).certificate.fingerprint == first.certificate.fingerprint)
        #expect(place.mode("\(place.files.keyFile).\(getpid())") == nil)
    }

    @Test("a directory is given to its owner, a link that has taken its place is not followed")
    func owners() throws {
        let place = AuthorityPlace()
        _ = try place.make()
        let directory = place.files.directory
        let link = "\(directory)/link"
        try #require(symlink(directory, link) == 0)
        defer { unlink(link) }
        let owner = AtomicFile.Owner(user: getuid(), group: getgid())
        #expect(owner.own(directory: directory) && !owner.own(directory: link))
        #expect(!owner.own(directory: place.files.keyFile))
    }

    @Test("whatever becomes of the files, no descriptor of them or of their directory stays open")
    func descriptors() throws {
        let place = AuthorityPlace()
        let authority = try place.make()
        #expect(place.openDescriptors == 0)
        _ = try place.files.load(at: currentDate)
        _ = try place.files.loadCertificate()
        try place.files.write(authority, replaces: true)
        #expect(place.openDescriptors == 0)
        let owner = AtomicFile.Owner(user: getuid(), group: getgid())
        #expect(owner.own(directory: place.files.directory) && place.openDescriptors == 0)
        // There is one already, and a directory is no file.
        let other = AtomicFile(path: place.files.keyFile, mode: 0o600)
        #expect(throws: AuthorityError.exists(file: place.files.keyFile)) { try other.put([1], replaces: false) }
        chmod(place.files.keyFile, 0o644)
        #expect(place.fault == .tooOpen(keyFile: place.files.keyFile))
        unlink(place.files.certificateFile)
        try #require(mkdir(place.files.certificateFile, 0o700) == 0)
        #expect(place.fault == .notRegular(file: place.files.certificateFile))
        #expect(place.openDescriptors == 0)
        let descriptor = open(place.files.keyFile, O_RDONLY | O_CLOEXEC)
        #expect(descriptor >= 0 && place.openDescriptors == 1)
        close(descriptor)
    }

    @Test("what is wrong with the files is told with their names and what to do")
    func faults() throws {
        let place = AuthorityPlace()
        #expect(place.fault == .absent(directory: place.files.directory))
        #expect(place.fault?.userMessage.contains("`respite ca create`") == true)
        let authority = try place.make()
        chmod(place.files.keyFile, 0o644)
        #expect(place.fault == .tooOpen(keyFile: place.files.keyFile))
        #expect(place.fault?.userMessage.contains("chmod 600") == true)
        chmod(place.files.keyFile, 0o600)
        if geteuid() == 0 {
            chown(place.files.keyFile, 12345, 12345)
            #expect(place.fault == .foreignKey(keyFile: place.files.keyFile, owner: 12345))
            // Root's own tools leave it so for a service that runs as whom the directory belongs to.
            chown(place.files.directory, 12345, 12345)
            #expect(place.fault == nil)
            chown(place.files.keyFile, 0, 0)
            chown(place.files.directory, 0, 0)
        }
        place.overwrite(place.files.keyFile, Array("no key\n".utf8))
        #expect(place.fault == .noKey(place.files.keyFile))
        let other = try CertificateAuthority.make(name: "Other", days: 1, at: currentDate)
        place.overwrite(place.files.keyFile, other.keyPEM)
        #expect(
            place.fault == .otherKey(certificateFile: place.files.certificateFile, keyFile: place.files.keyFile)
        )
        place.overwrite(place.files.certificateFile, [])
        #expect(place.fault == .noCertificate(place.files.certificateFile))
        unlink(place.files.certificateFile)
        guard case .unreadable(place.files.certificateFile, let reason)? = place.fault else {
            Issue.record("a CA without certificate is read")
            return
        }
        #expect(!reason.isEmpty && !authority.certificate.pem.isEmpty)
    }

    @Test("a certificate that is none of an authority, or not valid now, is refused")
    func unfit() throws {
        let place = AuthorityPlace()
        let authority = try place.make(days: 10)
        let files = place.files
        let late = HTTPDate(seconds: currentDate.seconds + 11 * 86_400)
        let end = authority.certificate.ends.day
        #expect(throws: AuthorityError.expired(certificateFile: files.certificateFile, date: end)) {
            _ = try files.load(at: late)
        }
        #expect(throws: AuthorityError.self) { _ = try files.load(at: HTTPDate(seconds: 0)) }
        let host = try #require(ServerName(host: Array("a.example".utf8)))
        let leaf = try #require(authority.issue(for: host, to: authority.key, at: currentDate, lifetime: 60))
        place.overwrite(files.certificateFile, leaf.pem)
        #expect(place.fault == .noAuthority(files.certificateFile))
    }

    @Test("a bundle holds what was there and the authority, once")
    func bundles() throws {
        let first = try CertificateAuthority.make(name: "First", days: 1, at: currentDate).certificate
        let second = try CertificateAuthority.make(name: "Second", days: 1, at: currentDate).certificate
        let both = second.appended(toBundle: first.pem)
        #expect(both == first.pem + second.pem)
        #expect(second.appended(toBundle: both) == both)
        #expect(first.appended(toBundle: []) == first.pem)
    }
}

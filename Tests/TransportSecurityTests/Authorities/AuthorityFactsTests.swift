import Glibc
import HTTPCore
import TestSupport
import Testing

@testable import TransportSecurity

@Suite("What is told of an authority") struct AuthorityFactsTests {
    private static func later(_ seconds: Int64, than date: HTTPDate = currentDate) -> HTTPDate {
        HTTPDate(seconds: date.seconds + seconds)
    }

    @Test(
        "days are whole ones until the end, and -1 after it",
        arguments: [(0, 0), (-1, -1), (86_399, 0), (86_400, 1), (172_799, 1), (172_800, 2)] as [(Int64, Int)]
    )
    func daysLeft(seconds: Int64, days: Int) throws {
        let certificate = try CertificateAuthority.make(name: "Lab", days: 5, at: currentDate).certificate
        #expect(certificate.daysLeft(at: Self.later(-seconds, than: certificate.ends)) == days)
    }

    @Test("a fingerprint is written in pairs of digits with colons")
    func fingerprint() throws {
        let certificate = try CertificateAuthority.make(name: "Lab", days: 5, at: currentDate).certificate
        let parts = certificate.fingerprintText.split(separator: ":", omittingEmptySubsequences: false)
        #expect(parts.compactMap { UInt8($0, radix: 16) } == certificate.fingerprint)
        #expect(parts.allSatisfy { $0.utf8.count == 2 && $0 == $0.uppercased() } && parts.count == 32)
    }

    @Test("it is valid from a day before it was made, for the days asked for")
    func validity() throws {
        let now = HTTPDate(seconds: 1_795_003_200)
        let certificate = try CertificateAuthority.make(name: "Lab", days: 3, at: now).certificate
        #expect(certificate.begins == Self.later(-86_400, than: now))
        #expect(certificate.ends == Self.later(3 * 86_400, than: now))
        #expect(now.day == "2026-11-18" && HTTPDate(seconds: 1_767_830_400).day == "2026-01-08")
    }

    @Test("a bundle without a line end at its end gets one before the authority")
    func bundle() throws {
        let first = try CertificateAuthority.make(name: "First", days: 1, at: currentDate).certificate
        let second = try CertificateAuthority.make(name: "Second", days: 1, at: currentDate).certificate
        let cut = Array(first.pem.dropLast())
        #expect(first.pem.last == 0x0A && second.appended(toBundle: cut) == cut + [0x0A] + second.pem)
        #expect(second.appended(toBundle: first.pem + second.pem) == first.pem + second.pem)
    }

    @Test("a store of Java has each certificate under a name, and no seal that anybody checks")
    func javaStore() throws {
        let all = try ["First", "Second"].map {
            try CertificateAuthority.make(name: $0, days: 1, at: currentDate).certificate
        }
        func entry(_ name: String, _ der: [UInt8]) -> [UInt8] {
            var entry: [UInt8] = [0, 0, 0, 2, 0, 2]
            entry += Array(name.utf8)
            entry += [UInt8](repeating: 0, count: 8)
            entry += [0, 5]
            entry += Array("X.509".utf8)
            entry += [0, 0, UInt8(der.count >> 8), UInt8(der.count & 0xFF)]
            return entry + der
        }
        let head: [UInt8] = [0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2, 0, 0, 0, 2]
        let seal = [UInt8](repeating: 0, count: 20)
        let expected = head + entry("c0", all[0].der) + entry("c1", all[1].der) + seal
        #expect(JavaTrustStore.bytes(of: all[0].pem + all[1].pem) == expected)
        #expect(JavaTrustStore.bytes(of: []) == Array(head.dropLast()) + [0] + seal)
    }

    @Test("a digest has two digits for each byte (FIPS 180-4)")
    func digest() {
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(ContentDigest.sha256(Array("abc".utf8)) == text)
        var hash = ContentHash()
        var digits: [UInt8] = [0x3D]
        hash.append(Array("something else".utf8)[...])
        hash.restart()
        hash.append(Array("abc".utf8)[...])
        let isDone = hash.finish(asDigitsIn: &digits)
        #expect(isDone && digits == [0x3D] + Array(text.utf8))
        for number in 0..<40 {
            let bytes = Array("\(number)".utf8)
            var hash = ContentHash()
            hash.append(bytes[...])
            let digest = hash.finish()
            let expected = digest.map { String(String(UInt16($0) + 0x100, radix: 16).dropFirst()) }.joined()
            #expect(ContentDigest.sha256(bytes) == expected && digest.count == 32)
        }
    }

    // MARK: Files

    @Test("it may be loaded from its first second to its last")
    func moments() throws {
        let place = AuthorityPlace()
        let certificate = try place.make(days: 3).certificate
        let (file, files) = (place.files.certificateFile, place.files)
        func load(_ date: HTTPDate) -> AuthorityError? {
            do throws(AuthorityError) { _ = try files.load(at: date) } catch { return error }
            return nil
        }
        #expect(load(certificate.begins) == nil && load(certificate.ends) == nil)
        let (begins, ends) = (certificate.begins, certificate.ends)
        #expect(load(Self.later(-1, than: begins)) == .notYetValid(certificateFile: file, date: begins.day))
        #expect(load(Self.later(1, than: ends)) == .expired(certificateFile: file, date: ends.day))
    }

    @Test("a file that cannot be read is reported with whose it is, and a key of another certificate with what to do")
    func sentences() {
        #expect(
            AuthorityError.unreadable(file: "/a/ca.crt", reason: "Permission denied").userMessage
                == "/a/ca.crt cannot be read: Permission denied; the CA's files belong to whoever made it, "
                + "see `intercept.ca-directory`"
        )
        #expect(
            AuthorityError.otherKey(certificateFile: "/a/ca.crt", keyFile: "/a/ca.key").userMessage
                == "/a/ca.key is not the key of the certificate in /a/ca.crt; put the two together that belong "
                + "together, or `respite ca create --force` makes another CA"
        )
    }

    @Test("a file is regular and has a mebibyte at most; one of the two alone is a fault of the other")
    func files() throws {
        let place = AuthorityPlace()
        let authority = try place.make()
        let file = place.files.certificateFile
        place.overwrite(file, [UInt8](repeating: 0x61, count: 1 << 20))
        #expect(place.fault == .noCertificate(file))
        place.overwrite(file, [UInt8](repeating: 0x61, count: 1 << 20 + 1))
        #expect(place.fault == .tooLarge(file: file))
        unlink(file)
        #expect(mkdir(file, 0o700) == 0)
        #expect(place.fault == .notRegular(file: file))
        rmdir(file)
        unlink(place.files.keyFile)
        #expect(place.fault == .absent(directory: place.files.directory))
        try SystemTrust.write(authority.certificate.pem, to: file)
        guard case .unreadable(place.files.keyFile, "No such file or directory")? = place.fault else {
            Issue.record("a certificate without key is an authority")
            return
        }
        #expect(try place.files.loadCertificate().name == "Lab")
        let other = try CertificateAuthority.make(name: "Other", days: 1, at: currentDate)
        #expect(throws: AuthorityError.exists(file: file)) { try place.files.write(other, replaces: false) }
    }

    @Test(
        "of the modes of a key those are refused that let others in",
        arguments: [(0o600, true), (0o640, true), (0o620, false), (0o604, false), (0o602, false), (0o601, false)]
            as [(mode_t, Bool)]
    )
    func modes(mode: mode_t, isFine: Bool) throws {
        let place = AuthorityPlace()
        _ = try place.make()
        chmod(place.files.keyFile, mode)
        #expect(place.fault == (isFine ? nil : .tooOpen(keyFile: place.files.keyFile)))
    }

    @Test("what is written for all to trust is readable by all, whole, and leaves no draft")
    func bundleFile() throws {
        let directory = TemporaryDirectory()
        let path = try directory.write("old content that is longer", to: "bundle")
        try SystemTrust.write(Array("new".utf8), to: path)
        #expect(contents(path) == Array("new".utf8) && filesBelow(directory.path) == [path])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o644)
        #expect(throws: AuthorityError.self) { try SystemTrust.write([], to: directory.path("none/file")) }
        #expect(SystemTrust.bundleFile == SystemTrust.bundleFiles.first { access($0, R_OK) == 0 })
    }

    @Test("below another user's directory the files are that user's", .enabled(if: geteuid() == 0, "only root can"))
    func owner() throws {
        let directory = TemporaryDirectory()
        let home = directory.directory("home")
        #expect(chown(home, 1234, 5678) == 0)
        let authority = try CertificateAuthority.make(name: "Lab", days: 1, at: currentDate)
        let files = AuthorityFiles(directory: home + "/a/ca")
        try files.write(authority, replaces: false)
        let own = AuthorityFiles(directory: directory.path("b/ca"))
        try own.write(authority, replaces: false)
        for (path, user) in [
            (home + "/a", 1234), (files.directory, 1234), (files.keyFile, 1234), (files.certificateFile, 1234),
            (own.directory, 0), (own.keyFile, 0), (own.certificateFile, 0),
        ] as [(String, UInt32)] {
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_uid == user, "\(path)")
        }
    }

    @Test("a file that cannot get its name leaves no draft")
    func undrafted() {
        let place = TemporaryDirectory()
        let file = place.directory("bundle.pem")
        #expect(throws: AuthorityError.self) { try SystemTrust.write([1], to: file) }
        #expect(access("\(file).\(getpid())", F_OK) != 0)
    }
}

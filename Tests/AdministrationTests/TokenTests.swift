import Administration
import Glibc
import TestSupport
import Testing

/// The file of the admin token.
final class TokenTests {
    private let temporary = TemporaryDirectory()
    private var directory: String { temporary.path }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("the token is made at the first start, for its owner alone, and stays (H-142)")
    func made() throws {
        let path = directory + "/a/b/token"
        let token = try AdminToken.readOrMake(path)
        #expect(token.utf8.count == 43 && mode(path) == 0o600 && mode(directory + "/a/b") == 0o700)
        #expect(try AdminToken.readOrMake(path) == token)
        #expect(AdminToken.make() != token)
    }

    @Test(
        "a token file of another user's is refused, and none is made where others could replace it",
        .enabled(if: geteuid() == 0)
    )
    func foreign() throws {
        let path = directory + "/token"
        _ = try AdminToken.readOrMake(path)
        chown(path, 12345, 12345)
        let owner = #expect(throws: AdminToken.Failure.self) { try AdminToken.readOrMake(path) }
        #expect(owner?.userMessage.contains("belongs to user 12345") == true)
        unlink(path)
        for (mode, owner) in [(0o777, 0), (0o700, 12345)] as [(mode_t, uid_t)] {
            chmod(directory, mode)
            chown(directory, owner, owner)
            let fault = #expect(throws: AdminToken.Failure.self) { try AdminToken.readOrMake(path) }
            #expect(fault?.userMessage.contains("the directory \(directory)") == true)
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test(
        "a token for readers has 16 visible characters or more, and is not the admin token",
        arguments: [
            ("0123456789abcdef", true), ("0123456789abcde", false), ("!~!~!~!~!~!~!~!~", true),
            ("0123456789abcd f", false), ("0123456789abcd\u{7F}f", false), ("the-admin-token-x", false),
        ]
    )
    func readers(token: String, isAccepted: Bool) throws {
        let path = directory + "/reader"
        try temporary.write(token, to: "reader", mode: 0o600)
        #expect((try? AdminToken.readForReaders(path, adminToken: "the-admin-token-x")) == (isAccepted ? token : nil))
    }

    @Test("a token that is gone is put back as it was known")
    func putBack() throws {
        let path = directory + "/token"
        let token = try AdminToken.readOrMake(path)
        unlink(path)
        #expect(try AdminToken.readOrMake(path, known: token) == token)
        #expect(try AdminToken.readOrMake(path) == token && mode(path) == 0o600)
    }

    @Test("a file everybody may read, or others may write, is refused", arguments: [0o644, 0o604, 0o620, 0o666])
    func tooOpen(mode: mode_t) throws {
        let path = directory + "/token"
        _ = try AdminToken.readOrMake(path)
        chmod(path, mode)
        #expect(throws: AdminToken.Failure.self) { try AdminToken.readOrMake(path) }
        chmod(path, 0o640)
        #expect(throws: Never.self) { try AdminToken.readOrMake(path) }
    }

    @Test("where there is no place for it the sentence names the file and the setting")
    func noPlace() {
        let failure = #expect(throws: AdminToken.Failure.self) { try AdminToken.readOrMake("/proc/none/token") }
        #expect(failure?.userMessage.contains("/proc/none/token") == true)
        #expect(failure?.userMessage.contains("admin-token-file") == true)
    }
}

import HTTPCore
import Locking
import Testing

@testable import Logins

/// The line of logins that wait for a hash, and the lists they are of.
@Suite struct LoginLineTests {
    private static func login(_ password: String, user: String = "alice") throws -> BasicCredentials {
        try #require(BasicCredentials(user: Array(user.utf8), password: Array(password.utf8)))
    }

    private static func table() throws -> LoginTable {
        try LoginTable(try LoginFile(parsing: Array("alice:\(LoginFileTests.yescrypt)\n".utf8)))
    }

    @Test("threads that take no job refuse the login, and the next one is asked again")
    func noThreads() throws {
        let isOpen = Lock(false)
        let queue = LoginQueue { job in
            guard isOpen.withLock({ $0 }) else { return false }
            job()
            return true
        }
        let verdicts = Lock<[LoginQueue.Verdict]>([])
        let table = try Self.table()
        func check(_ password: String) throws {
            queue.check(try Self.login(password), of: table, from: nil) { verdict in
                verdicts.withLock { $0.append(verdict) }
            }
        }
        for _ in 0..<3 { try check("secret") }
        #expect(verdicts.withLock { $0 } == [.busy, .busy, .busy])
        #expect(queue.statistics == LoginQueue.Statistics(hashes: 0, wrong: 0, refused: 3))
        isOpen.withLock { $0 = true }
        try check("secret")
        try check("wrong")
        #expect(verdicts.withLock { $0 }.suffix(2) == [.right, .wrong])
        #expect(queue.statistics == LoginQueue.Statistics(hashes: 2, wrong: 1, refused: 3))
    }

    @Test("without other limits two are hashed, 32 of one client wait, and 128 in all")
    func usualLimits() throws {
        let jobs = Lock<[@Sendable () -> Void]>([])
        let refused = Lock<[Int]>([])
        let queue = LoginQueue { job in
            jobs.withLock { $0.append(job) }
            return true
        }
        let table = try Self.table()
        for number in 0..<140 {
            let client = IPAddress.v4(UInt32(number < 35 ? 0 : 1 + (number - 35) / 32))
            queue.check(try Self.login("wrong \(number)"), of: table, from: client) { _ in
                refused.withLock { $0.append(number) }
            }
        }
        #expect(jobs.withLock { $0.count } == 2)
        #expect(refused.withLock { $0 } == [34] + Array(131..<140))
        jobs.withLock { $0 = [] }
    }

    @Test("the second line of a user is a mistake that names the first one")
    func second() {
        let text = "# x\nalice:\(LoginFileTests.yescrypt)\nbob:\(LoginFileTests.gost)\nalice:\(LoginFileTests.gost)\n"
        let fault = #expect(throws: LoginFileFault.self) { try LoginFile(parsing: Array(text.utf8)) }
        #expect(fault?.line == 4)
        #expect(fault?.userMessage == "the user of line 2 has a second line here; leave one of them")
    }

    @Test(
        "a line of spaces and tabs says nothing, and a comment begins at the edge",
        arguments: [("\t", nil), (" \t \n", nil), ("#", nil), ("", nil), ("\u{8}", 1), (" #", 1), ("\n\n\t\nx", 4)]
            as [(String, Int?)]
    )
    func empty(text: String, line: Int?) {
        do throws(LoginFileFault) {
            let file = try LoginFile(parsing: Array(text.utf8))
            #expect(file.count == 0 && line == nil)
        } catch {
            #expect(error.line == line)
        }
    }

    @Test("the hash that crypt(3) does not accept is named by its user, with the remedy")
    func unsupported() throws {
        let hash = LoginFileTests.yescrypt.replacing("j9T", with: "zzz")
        let text = "alice:\(LoginFileTests.yescrypt)\nbob:\(hash)\n"
        let file = try LoginFile(parsing: Array(text.utf8))
        let fault = #expect(throws: LoginFileFault.self) { try LoginTable(file) }
        #expect(
            fault?.userMessage == "the system's crypt(3) does not accept the hash of bob; "
                + "`respite passwd FILE USER` makes one that it accepts"
        )
        #expect(fault?.line == nil && file.count == 2)
    }

    @Test("a list remembers 4096 logins that were right, and forgets them all for the next one")
    func memory() throws {
        // The password is `secret`, and takes a few microseconds.
        let hash = "$7$0/..../....salt$41OoTKVyFa5w.7fqYiIWYt.IwEW0ikoXBNz.rIlwxb6"
        let text = (0...4096).map { "u\($0):\(hash)\n" }.joined()
        let table = try LoginTable(try LoginFile(parsing: Array(text.utf8)))
        let logins = try (0...4096).map { try Self.login("secret", user: "u\($0)") }
        let areRight = logins.dropLast().allSatisfy { table.check($0) }
        #expect(areRight && table.remembers(logins[0]) && table.remembers(logins[4095]))
        #expect(table.check(logins[4096]) && table.remembers(logins[4096]))
        #expect(!table.remembers(logins[0]) && !table.remembers(logins[4095]))
        #expect(LoginTable.memoryLimit == 4096 && LoginFile.limit == 4 << 20)
    }

    @Test("the password of an unknown user is hashed as that of a known one, so that the time tells no name")
    func effort() throws {
        let table = try Self.table()
        /// The kinds and costs of the hashes that a check makes of the password.
        func costs(_ user: String) throws -> [[UInt8]] {
            var made: [[UInt8]] = []
            let isRight = table.check(try Self.login("wrong", user: user)) { hash, password in
                #expect(password == Array("wrong".utf8))
                made.append(hash.cost)
                return hash.matches(password)
            }
            #expect(!isRight)
            return made
        }
        let known = try costs("alice")
        let unknown = try costs("nobody")
        #expect(known.count == 1 && unknown == known)
        #expect(!LoginTable().check(try Self.login("secret")))
    }
}

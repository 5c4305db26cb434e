import HTTPCore
import Stores
import Testing

@testable import SharedStorage

/// What a server may answer to a claim, and how long what is claimed and stored lasts.
@Suite struct ClaimReplyTests {
    private static let token = String(repeating: "a", count: 32)
    private static let number = String(repeating: "1", count: 16)

    private static func reply(_ state: Int64, _ words: String..., holder: String? = "h") -> Claiming.Reply? {
        Claiming.reply(.list([.number(state)] + words.map { .text($0) }), [1], holder: holder)
    }

    @Test("a load is allowed with a lease or without, if token and number have their lengths")
    func loads() {
        let lease = Lease(key: [1], value: Array("\(Self.token)h".utf8))
        #expect(Self.reply(0, Self.token, Self.number) == .load(Claim(token: Self.token, number: Self.number)))
        #expect(
            Self.reply(1, Self.token, Self.number) == .load(Claim(token: Self.token, number: Self.number, lease: lease))
        )
        #expect(
            Self.reply(1, Self.token, Self.number, holder: nil) == .load(Claim(token: Self.token, number: Self.number))
        )
        #expect(
            Self.reply(0, Self.token, "\(Self.number)1") == nil && Self.reply(0, "\(Self.token)a", Self.number) == nil
        )
        #expect(Self.reply(0, Self.token) == nil && Self.reply(-1, Self.token, Self.number) == nil)
        #expect(Self.reply(2, Self.token, Self.number) == nil && Self.reply(0, Self.token, Self.number, "x") == nil)
    }

    @Test("another node's load is waited for, a change is looked at again, and nothing else is a reply")
    func others() {
        #expect(Self.reply(2, Self.token + Self.number) == .wait(content: Self.token + Self.number))
        #expect(Self.reply(2, Self.token) == nil && Self.reply(2, "\(Self.token)\(Self.number)1") == nil)
        #expect(Self.reply(3) == .lookAgain && Self.reply(3, "x") == nil && Self.reply(2) == nil)
        #expect(Self.reply(1, Self.token + Self.number) == nil && Self.reply(4) == nil)
        #expect(Claiming.reply(.nothing, [1], holder: nil) == nil && Claiming.reply(.list([]), [1], holder: nil) == nil)
    }

    private static func words(_ command: RedisCommand) -> [String] {
        command.arguments.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a lease lasts three seconds, an index ten minutes, and a renewal as long as a lease")
    func times() {
        let claim = Self.words(Claiming.claim([1], [2], content: "c", holder: "h"))
        #expect(claim[2...4] == ["2", "\u{1}", "\u{2}"] && claim[5] == "c" && claim[6].utf8.count == 32)
        #expect(claim[7...] == ["h", "3000", "600000", String(repeating: "0", count: 16)])
        #expect(Self.words(Claiming.claim([1], [2], content: "c", holder: nil))[7] == "")
        let lease = Lease(key: Array("k".utf8), value: Array("v".utf8))
        #expect(Self.words(Claiming.renew(lease))[2...] == ["1", "k", "v", "3000"])
    }

    @Test(
        "nobody waits for a load again for a while after it could not be shared",
        arguments: [
            (.unshareable, "30000", false), (.slow, "10000", false), (.failed, "1000", true), (.cancelled, "0", true),
        ]
            as [(LeaseEnding, String, Bool)]
    )
    func endings(ending: LeaseEnding, pause: String, isFinal: Bool) {
        let lease = Lease(key: Array("k".utf8), value: Array("v".utf8))
        #expect(Self.words(Claiming.release(lease, ending))[2...] == ["1", "k", "v", pause])
        #expect(ending.isFinal == isFinal)
    }

    @Test("what is stored lasts as long as it may be used, a millisecond at least; a purge lasts an hour")
    func lifetimes() throws {
        let response = try RecordTests.response()
        let packed = PackedRecord(record: [9], id: 1, pieces: [[1], [2]])
        let claim = Claim(token: Self.token, number: Self.number)
        func last(_ lifetime: Duration) -> [String] {
            let pieces = Filling.pieces(packed, of: response.uri, lifetime: lifetime).map { Self.words($0).last ?? "" }
            let record = Self.words(Filling.record(packed, response, vary: [], claim, lifetime: lifetime))
            return pieces + [record[record.count - 2]]
        }
        #expect(last(.seconds(5)) == ["5000", "5000", "5000"] && last(.zero) == ["1", "1", "1"])
        let forgotten = Self.words(Filling.forget(response.uri))
        #expect(forgotten[0] == "SET" && forgotten[3...] == ["PX", "3600000"])
    }
}

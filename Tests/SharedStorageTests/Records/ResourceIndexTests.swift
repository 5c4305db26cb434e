import HTTPCore
import HTTPCaching
import ResourceCore
import Stores
import Testing

@testable import SharedStorage

/// What is kept of a resource, under which keys.
@Suite struct ResourceIndexTests {
    private static let zeros = String(repeating: "0", count: 16)

    private static func isIndex(
        _ token: String,
        _ load: String = zeros,
        _ stored: String = zeros,
        _ vary: String = ""
    ) -> Bool {
        (try? ResourceIndex(Array("\(token) \(load) \(stored)\n\(vary)".utf8))) != nil
    }

    @Test("an index has a token of 32 hexadecimal digits and two numbers of 16")
    func numbers() throws {
        let token = "0123456789abcdef0123456789abcdef"
        #expect(Self.isIndex(token))
        for digit in ["/", ":", "`", "g", "A"] { #expect(!Self.isIndex("\(token.dropLast())\(digit)"), "\(digit)") }
        #expect(!Self.isIndex("\(token)0") && !Self.isIndex(String(token.dropLast())))
        #expect(!Self.isIndex(token, "0") && !Self.isIndex(token, Self.zeros, "0"))
        #expect(!Self.isIndex(token, Self.zeros, "\(Self.zeros) 0"))
        let index = try ResourceIndex(Array("\(token) 0000000000000003 0000000000000002\na,b".utf8))
        #expect(index.latestLoad == "0000000000000003" && index.latestStored == "0000000000000002")
        #expect(index.content == "\(token)0000000000000002" && index.varyText == Array("a,b".utf8))
        #expect(index.encoded == Array("\(token) 0000000000000003 0000000000000002\na,b".utf8))
    }

    @Test("an index has up to 64 names of fields, and nothing that is none")
    func names() {
        let token = String(repeating: "a", count: 32)
        func isIndex(_ vary: String) -> Bool { Self.isIndex(token, Self.zeros, Self.zeros, vary) }
        #expect(isIndex(Array(repeating: "a", count: 64).joined(separator: ",")))
        #expect(!isIndex(Array(repeating: "a", count: 65).joined(separator: ",")))
        #expect(isIndex("accept,x-a") && !isIndex("a b") && !isIndex("a,b\n") && !isIndex("a:b"))
    }

    @Test("tokens have 32 digits, and are new ones each time")
    func tokens() {
        let tokens = (0..<100).map { _ in ResourceIndex.newToken() }
        #expect(tokens.allSatisfy { $0.utf8.count == 32 } && Set(tokens).count == 100)
        #expect((0..<100).allSatisfy { _ in ResourceIndex.randomDigits().utf8.count == 16 })
    }

    @Test("the keys of a resource begin with its digest, and each names what it is of")
    func keys() throws {
        let keys = ResourceKeys(try TargetURI(parsing: "http://a.example/x"))
        let index = String(decoding: keys.index, as: UTF8.self)
        #expect(index.hasPrefix("respite:{") && index.hasSuffix("}") && index.utf8.count == 42)
        #expect(keys.piece(3, id: 255) == Array("\(index):ff:3".utf8))
        let (one, two) = (Partition.credential([1]), Partition.credential([2]))
        let leases = [
            keys.lease([.shared], [], isAnonymous: true), keys.lease([.shared], [], isAnonymous: false),
            keys.lease([.shared], [1], isAnonymous: true), keys.lease([one, .shared], [], isAnonymous: false),
            keys.lease([two, .shared], [], isAnonymous: false), keys.lease([one], [], isAnonymous: false),
        ]
        #expect(Set(leases).count == 6 && leases.allSatisfy { $0.suffix(6) == Array(":lease".utf8)[...] })
        #expect(keys.record(one, [2]) != keys.record(two, [1]) && keys.record(one, []) != keys.record(.shared, []))
        #expect(keys.record(one, [2]) == keys.record(.credential([1]), [2]))
    }

    @Test("the place of a purge is two numbers, and the next one is behind it")
    func places() {
        #expect(PurgeID("12-3") == PurgeID(time: 12, number: 3) && PurgeID("12-3")?.text == "12-3")
        #expect(PurgeID.none.text == "0-0" && ResourceIndex.none == "0000000000000000")
        for text in ["", "12", "12-", "-3", "1-2-3", "a-1", "1-a", "1--1"] { #expect(PurgeID(text) == nil, "\(text)") }
        #expect(PurgeID(time: 1, number: 2).next == PurgeID(time: 1, number: 3))
        #expect(PurgeID(time: 1, number: .max - 1).next == PurgeID(time: 1, number: .max))
        #expect(PurgeID(time: 1, number: .max).next == PurgeID(time: 2, number: 0))
        #expect(PurgeID(time: 1, number: 9) < PurgeID(time: 2, number: 0))
        #expect(PurgeID(time: 1, number: 1) < PurgeID(time: 1, number: 2))
        #expect(!(PurgeID(time: 1, number: 1) < PurgeID(time: 1, number: 1)))
    }
}

import HTTPCore
import Testing

@Suite("Field sections")
struct FieldsTests {
    @Test("a copy without some lines is what is left when they are removed, and others are appended to it alone")
    func copyWithout() {
        let all = fields(("Host", "a"), ("X-Keep", "1"), ("Expect", "b"), ("Via", "c"), ("host", "d"))
        var removed = all
        removed.removeLines { $0.known == .host || $0.known == .expect }
        var copy = all.copy(addingLines: 1, bytes: 8) { $0.known == .host || $0.known == .expect }
        #expect(copy == removed && copy.present == removed.present)
        copy.append(.via, "e")
        removed.append(.via, "e")
        #expect(copy == removed && all.count(of: .via) == 1)
    }

    @Test("sections are equal if they have the same lines in the same order; case matters in values only")
    func equality() {
        let one = fields(("Host", "a"), ("Via", "b"))
        #expect(one == fields(("host", "a"), ("VIA", "b")))
        for other in [
            fields(("Host", "a")), fields(("Host", "a"), ("Via", "b"), ("X", "c")), fields(("Via", "b"), ("Host", "a")),
            fields(("Host", "a"), ("Via", "B")), fields(("Host", "a"), ("X-Via", "b")), Fields(),
        ] {
            #expect(one != other && other != one)
        }
    }

    @Test("known fields are found by name in any case, and by nothing that only resembles one")
    func knownFieldNames() {
        for field in KnownField.allCases {
            #expect(KnownField(name: field.bytes.map(\.asciiLowercased)) == field)
            #expect(KnownField(name: field.bytes.map { $0 &- 0x61 < 26 ? $0 & 0xDF : $0 }) == field)
            // One bit less makes `-` a CR and digits controls.
            #expect(
                KnownField(name: field.bytes.map { $0 & 0xDF })
                    == (field.bytes.contains(0x2D) || field == .http2Settings ? nil : field)
            )
            #expect(KnownField(name: field.bytes + [0x73]) != field)
        }
        #expect(KnownField(name: []) == nil)
        #expect(KnownField(name: [UInt8](repeating: 0x61, count: 33)) == nil)
    }
}

import HTTPCore
import Testing

@Suite("Base64 (RFC 4648 §4)")
struct Base64Tests {
    @Test(
        "text is encoded with padding, and decoded with it or without",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"), ("\u{FB}\u{EF}\u{BE}\u{FF}", "++++/w=="),
        ]
    )
    func vectors(plain: String, coded: String) {
        #expect(text(Base64.encode(latin(plain))) == coded)
        #expect(Base64.decode(coded.utf8) == latin(plain))
        #expect(Base64.decode(coded.utf8.filter { $0 != 0x3D }) == latin(plain))
    }

    @Test("bytes of every value and number are read back")
    func roundTrip() {
        for count in 0..<300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            let coded = Base64.encode(bytes)
            #expect(coded.count == (count + 2) / 3 * 4 && Base64.decode(coded) == bytes, "\(count)")
        }
    }

    @Test(
        "what no encoder writes is refused",
        arguments: [
            "Z", "Zm9vY", "Zh==", "Zm9=", "Zg=", "Zg===", "Zm8==", "Zm9v=", "Zm9v==", "Zm9v====", "=", "==", "====",
            "Z=g=", "Zg==Zg==", "Zg-_", "Zm9 v", "Zm9@", "Zm9[", "Zm9`", "Zm9{", "Zm9.", "Zm9:", "Zm9,",
        ]
    )
    func refused(coded: String) { #expect(Base64.decode(coded.utf8) == nil) }
}

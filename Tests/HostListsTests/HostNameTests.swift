import Testing

@testable import HostLists

/// Which words of a list are names of hosts.
@Suite struct HostNameTests {
    private static func isTaken(_ line: String) -> Bool {
        (try? HostList(parsing: Array("first.example\n\(line)".utf8)))?.count == 2
    }

    private static func label(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test("a label has 1 to 63 bytes, a name at most 253, and one dot behind it does not count (RFC 1035 §2.3.4)")
    func lengths() {
        #expect(Self.isTaken("a.b.c") && Self.isTaken("a"))
        #expect(Self.isTaken("\(Self.label(63)).example") && !Self.isTaken("\(Self.label(64)).example"))
        #expect(Self.isTaken("a.\(Self.label(63))") && !Self.isTaken("a.\(Self.label(64))"))
        let long = Array(repeating: Self.label(63), count: 3).joined(separator: ".")
        #expect(Self.isTaken("\(long).\(Self.label(61))") && Self.isTaken("\(long).\(Self.label(61))."))
        #expect(!Self.isTaken("\(long).\(Self.label(62))"))
        #expect(!Self.isTaken("a..") && !Self.isTaken("a..b"))
    }

    @Test("a name has letters, digits, hyphens and underscores")
    func signs() {
        for sign in ["0", "9", "a", "z", "A", "Z", "-", "_"] { #expect(Self.isTaken("\(sign)x.example"), "\(sign)") }
        for sign in ["+", ",", "/", ":", "@", "[", "^", "`", "{", "~"] {
            #expect(!Self.isTaken("x\(sign)x.example"), "\(sign)")
        }
    }

    @Test(
        "a last label that is a number, in decimal or in hexadecimal, makes no name",
        arguments: [
            ("a.0", false), ("a.9", false), ("a.0x", false), ("a.0xf", false), ("a.0XA09", false), ("a.0xg", true),
            ("a.0x9g", true), ("a.1xa", true), ("a.x", true), ("a.9a", true), ("a.a9", true), ("a.0y1", true),
            ("a.0x/", false), ("9.a", true),
        ]
    )
    func numbers(line: String, isName: Bool) {
        #expect(Self.isTaken(line) == isName)
    }

    @Test(
        "the usual names of a file of hosts are listed behind no address",
        arguments: [
            "localhost", "localhost.localdomain", "local", "broadcasthost", "0.0.0.0", "ip6-localhost", "ip6-loopback",
            "ip6-localnet", "ip6-mcastprefix", "ip6-allnodes", "ip6-allrouters", "ip6-allhosts", "LOCALHOST",
        ]
    )
    func usual(name: String) throws {
        for address in ["127.0.0.1", "192.0.2.1", "ff02::1"] {
            #expect(try HostList(parsing: Array("\(address) \(name)".utf8)).count == 0)
        }
    }

    @Test("the title of an Adblock list is no host, in any case of its letters")
    func titles() throws {
        for title in ["[Adblock]", "[ADBLOCK Plus 1.1]", "[adblockx"] {
            #expect(try HostList(parsing: Array("\(title)\na.example".utf8)).count == 1)
        }
        #expect(throws: HostListFault.self) { try HostList(parsing: Array("[Adbloc\na.example".utf8)) }
    }

    @Test("a line is shown up to 100 bytes, if its words are short and its signs are those of lists")
    func shown() {
        func shown(_ line: String) -> String? {
            do throws(HostListFault) {
                _ = try HostList(parsing: Array("a.example\n\(line)".utf8))
                return nil
            } catch {
                return error.text
            }
        }
        let word = Self.label(49)
        #expect(shown("\(word) \(word)") == "\(word) \(word)")
        #expect(shown("\(word) \(word) x") == "\(word) \(word) ")
        #expect(shown("x \(Self.label(63))\r") == "x \(Self.label(63))")
        #expect(shown("x \(Self.label(64))") == nil)
        #expect(shown("x .:/*|^$@-_09azAZ\ty") == "x .:/*|^$@-_09azAZ\ty")
        for sign in ["+", "%", "=", "#", "!", "(", "{", "?", "]"] { #expect(shown("x a\(sign)") == nil, "\(sign)") }
    }

    @Test("only an address in front of the slash makes a range of addresses")
    func ranges() {
        func reason(_ line: String) -> String? {
            let fault = #expect(throws: HostListFault.self) { try HostList(parsing: Array(line.utf8)) }
            return fault?.userMessage
        }
        #expect(reason("192.0.2.1 a") == "only 0.0.0.0, 127.0.0.1, ::, ::1 may be before a host that is listed")
        #expect(reason("192.0.2.0/24")?.hasPrefix("a list has no ranges of addresses;") == true)
        #expect(reason("/24")?.hasPrefix("a list has hosts alone,") == true)
        #expect(reason("a/24")?.hasPrefix("a list has hosts alone,") == true)
        #expect(reason("@a")?.hasPrefix("this is no name of a host;") == true)
        #expect(reason("@@")?.hasPrefix("exceptions have no place in a list;") == true)
        #expect(reason("a@@")?.hasPrefix("this is no name of a host;") == true)
    }
}

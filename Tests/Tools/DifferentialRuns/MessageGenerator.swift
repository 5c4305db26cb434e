/// Numbers that follow from a seed (SplitMix64).
public struct Seeded: Sendable {
    private var state: UInt64

    public init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// 0 up to `bound`, which is left out.
    mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() % UInt64(bound)) }

    /// True in one of `count` cases.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    mutating func pick<Element>(_ all: [Element]) -> Element { all[below(all.count)] }
}

/// Makes messages after the grammar, with what is seldom, odd or wrong in them here and there.
struct MessageGenerator {
    var random: Seeded
    /// Of this message faults are made seldom, so that most of it is read.
    private var isTame = false

    init(random: Seeded) { self.random = random }

    private static let methods = [
        "GET", "GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PATCH", "M", "get", "PRI",
        "X-!#$%&'*+.^_`|~09", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG", "G(T", "",
    ]
    private static let schemes = [
        "http://", "http://", "https://", "HTTP://", "hTTpS://", "ftp://", "http:/", "http:", "//", "javascript:",
        "://",
    ]
    private static let hosts = [
        "org.example", "h", "org.EXAMPLE", "a.b.c.", "127.0.0.1", "1.2.3.4.", "0177.0.0.1", "2130706433", "0x7f.1",
        "1.2.3", "256.1.1.1", "1.2.3.04", "0x.", "a.0x", "x.0xzz", "9a", "1.2.3.4a", "h..", ".", "..", "_x-~!$&'()*+;=",
        "a,b", "a%41", "u@h", "h\\x", "[::1]", "[::]", "[1::]", "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]",
        "[::2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[:::]", "[::1.2.3.4]", "[::1.2.3.4:5]",
        "[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:7:1.2.3.4]", "[::ffff:127.0.0.1]", "[FE80::12345]", "[fe80::1%25eth0]",
        "[v1.a]", "[::1", "[]", "[:]", "[1:]", "::1", "", "\u{e9}.org",
    ]
    private static let ports = [
        "", "", "", ":", ":80", ":443", ":8080", ":65535", ":65536", ":0", ":00080", ":000080", ":8a", ":-1", ":80:80",
        ": 80",
    ]
    private static let paths = [
        "/", "/", "/a/b?c=d", "", "?q", "/%2F/../x", "/a//b", "/a#b", "/%zz", "/\u{e9}", "/a b", "/{}|\\^`\"<>",
        "/http://h.example/", "*", "/*",
    ]
    private static let versions = [
        "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/1.9", "HTTP/2.0", "HTTP/0.9",
        "HTTP/1.10", "HTTP/01.1", "http/1.1", "HTTP/1,1", "HTTP/ 1.1", "HTTP/1.", "HTTP/2x", "HTTP/3", "",
    ]
    private static let statuses = [
        "200", "200", "200", "204", "304", "100", "101", "103", "206", "301", "404", "500", "599", "600", "099", "999",
        "20", "2000", "2OO",
    ]
    private static let reasons = [" OK", " ", "", " Not Found\tat all", " \u{e9}t\u{e9}", " a\u{0}b", " a\u{7f}", "\t"]
    private static let names = [
        "Accept", "accept-encoding", "User-Agent", "Cache-Control", "X-Any", "x_y", "Content-Type", "ETag", "Date",
        "Via", "Age", "Vary", "Set-Cookie", "Cookie", "Trailer", "Server", "Proxy-Status", "Forwarded", "Referer", "A",
        "Upgrade", "TE", "X-!#$%&'*+.^`|~09", "", "X Y", "X(", "X\u{e9}", "\"X\"", "X\u{0}",
    ]
    private static let values = [
        "", "a", "a b", "\ta\t", "text/plain; q=\"x, y\"", "\u{e9}\u{ff}",
        "0123456789 0123456789 0123456789 0123456789", "a\u{1}", "a\u{0}b", "a\u{7f}", "a\r", "a\u{b}b", ",,",
        "100-continue",
    ]
    private static let lengths = [
        "0", "5", "5", "12", "0005", "9223372036854775807", "9223372036854775808", "99999999999999999999", "+5", "-5",
        "5,5", "5, 5", "5, 6", "5,", ",5", "5 5", "0x5", "5a", "", "5.0", "1e3", "\"5\"", " 5", "1000", "1001",
    ]
    private static let codings = [
        "chunked", "chunked", "chunked", "Chunked", "CHUNKED", "gzip, chunked", "gzip,chunked", "x , chunked",
        "chunked, chunked", "chunked, gzip", "identity", "identity, chunked", "gzip", "", "chunked,", ",chunked",
        "chunked;q=1", "\"chunked\"", "x chunked", "xchunked", "chunked\u{b}", "chun ked",
    ]
    private static let connections = [
        "close", "keep-alive", "Keep-Alive", "CLOSE, x", "x, close", "keep-alive, close", "upgrade", "", ",", "a,,b",
        "a b", "\"close\"", "close;", "host",
    ]
    private static let blanks = [" ", " ", " ", "", "\t", "  ", " \t "]
    private static let separators = [" :", "\t:", "", "::"]

    private mutating func rarely(_ count: Int, _ usual: String, _ odd: [String]) -> String {
        random.oneIn(isTame ? count * 8 : count) ? random.pick(odd) : usual
    }

    /// One of the first `sound` of them where the message is tame, else any.
    private mutating func pick(_ all: [String], sound: Int) -> String {
        isTame && !random.oneIn(60) ? all[random.below(sound)] : random.pick(all)
    }

    // MARK: Requests

    mutating func request() -> [UInt8] {
        isTame = !random.oneIn(3)
        var text = ""
        if random.oneIn(12) { text += String(repeating: "\r\n", count: random.below(isTame ? 4 : 11)) }
        let method = rarely(2, "GET", Self.methods)
        let authority = self.authority()
        text += method + rarely(40, " ", ["  ", "\t", ""]) + target(method, authority)
        text += rarely(40, " ", ["  ", "\t", ""]) + version() + end()
        if !random.oneIn(isTame ? 60 : 14) {
            text += line("Host", random.oneIn(isTame ? 40 : 5) ? self.authority() : authority)
        }
        text += section(isRequest: true)
        return latin(text)
    }

    private mutating func authority() -> String {
        rarely(3, "org.example", Self.hosts) + rarely(3, "", Self.ports)
    }

    private mutating func target(_ method: String, _ authority: String) -> String {
        if method == "CONNECT" { return random.oneIn(4) ? authority : "org.example:443" }
        if method == "OPTIONS", random.oneIn(2) { return "*" }
        var path = rarely(3, "/a/b?c", Self.paths)
        if random.oneIn(30) { path += String(repeating: "x", count: random.below(90)) }
        return random.oneIn(3) ? rarely(4, "http://", Self.schemes) + authority + path : path
    }

    // MARK: Responses

    mutating func response() -> [UInt8] {
        isTame = !random.oneIn(3)
        var text = version() + rarely(40, " ", ["  ", "\t", ""])
        text += rarely(2, "200", Self.statuses) + rarely(4, " OK", Self.reasons) + end()
        text += section(isRequest: false)
        return latin(text)
    }

    private mutating func version() -> String {
        random.oneIn(8) ? "HTTP/1.0" : rarely(4, "HTTP/1.1", Self.versions)
    }

    // MARK: Fields

    private mutating func section(isRequest: Bool) -> String {
        var text = ""
        for _ in 0..<random.below(random.oneIn(8) ? 14 : 5) { text += field(isRequest: isRequest) }
        return text + end()
    }

    private mutating func field(isRequest: Bool) -> String {
        switch random.below(isRequest ? 30 : 24) {
        case 0: return line(spelt("Content-Length"), pick(Self.lengths, sound: 5))
        case 1: return line(spelt("Transfer-Encoding"), pick(Self.codings, sound: 5))
        case 2: return line("Connection", pick(Self.connections, sound: 6))
        case 3: return line(random.pick(["Content_Length", "transfer_encoding", "Content-length_"]), "7")
        case 4 where !isTame: return "X: folded" + end() + random.pick([" ", "\t"]) + "more" + end()
        case 24:
            return line(
                "Expect",
                rarely(2, "100-continue", ["100-Continue", "", "200-ok", "100-continue, 100-continue"])
            )
        case 25, 26:
            let name = random.pick(["Authorization", "Range", "If-Range", "Max-Forwards"])
            return line(name, "x") + (random.oneIn(2) ? line(name, pick(["x", "x ", "y"], sound: 2)) : "")
        case 27 where !isTame: return line("Host", authority())
        default: return line(pick(Self.names, sound: 23), pick(Self.values, sound: 7))
        }
    }

    private mutating func spelt(_ name: String) -> String {
        random.oneIn(3) ? random.pick([name.lowercased(), name.uppercased()]) : name
    }

    private mutating func line(_ name: String, _ value: String) -> String {
        name + rarely(12, ":", Self.separators) + random.pick(Self.blanks) + value + rarely(8, "", Self.blanks) + end()
    }

    private mutating func end() -> String { rarely(60, "\r\n", ["\n", "\r", "\r\r\n", "\r\n\r\n", ""]) }

    // MARK: Content

    mutating func chunkedContent() -> [UInt8] {
        isTame = !random.oneIn(3)
        var text = ""
        for _ in 0..<random.below(5) {
            let data = String(repeating: "d", count: 1 + random.below(random.oneIn(6) ? 300 : 20))
            text += size(data.utf8.count) + extensions() + end() + data + end()
        }
        text += rarely(
            8,
            "0",
            ["00", "0000000000000000", "00000000000000000", "", "g", "8000000000000000", "7fffffffffffffff"]
        )
        text += extensions() + end()
        for _ in 0..<random.below(random.oneIn(4) ? 5 : 1) { text += field(isRequest: true) }
        return latin(text + end())
    }

    private mutating func size(_ count: Int) -> String {
        let digits = String(count, radix: 16, uppercase: random.oneIn(2))
        switch random.below(isTame ? 400 : 30) {
        case 0: return "0x" + digits
        case 1: return "+" + digits
        case 2: return " " + digits
        case 3: return digits + " "
        case 4: return String(repeating: "0", count: random.below(17)) + digits
        case 5:
            return random.pick([
                "7fffffffffffffff", "8000000000000000", "ffffffffffffffff", "", "-1", "1_0", digits + "h",
            ])
        default: return digits
        }
    }

    private mutating func extensions() -> String {
        guard random.oneIn(4) else { return "" }
        var text = ""
        for _ in 0...random.below(3) {
            text += rarely(3, "", Self.blanks) + rarely(20, ";", ["", ";;"]) + rarely(3, "", Self.blanks)
            text += rarely(8, "name", ["n", "", "a b", "\"n\"", "x-!#"]) + rarely(3, "", Self.blanks)
            if random.oneIn(2) {
                text += "=" + rarely(3, "", Self.blanks)
                text += random.pick([
                    "v", "\"quoted; \\\" text\"", "\"\"", "\"q\"x", "\"open", "\"a\nb\"", "", "\"\\\u{1}\"",
                    "\"\t\u{e9}\"",
                    "\"a\r\nb\"",
                ])
            }
        }
        if random.oneIn(20) { text += ";x=" + String(repeating: "y", count: random.below(60)) }
        return text
    }

    // MARK: Bytes

    private func latin(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

    private static let nasty: [UInt8] = [
        0, 9, 10, 13, 32, 33, 34, 35, 37, 40, 44, 45, 47, 48, 49, 57, 58, 59, 61, 63, 64, 91, 92, 93, 95, 127, 128, 255,
    ]

    /// Changes a few bytes somewhere, or none.
    mutating func mutate(_ message: [UInt8], with other: [UInt8]) -> [UInt8] {
        var message = message
        for _ in 0..<random.below(4) where !message.isEmpty {
            let at = random.below(message.count)
            switch random.below(9) {
            case 0: message[at] = UInt8(random.below(256))
            case 1: message[at] = random.pick(Self.nasty)
            case 2: message.insert(random.pick(Self.nasty), at: at)
            case 3: message.remove(at: at)
            case 4: message[at] ^= 1 << UInt8(random.below(8))
            case 5: message.removeSubrange(at..<min(message.count, at + 1 + random.below(8)))
            case 6: message.insert(contentsOf: message[at..<min(message.count, at + 1 + random.below(12))], at: at)
            case 7: message.removeSubrange(at...)
            default:
                let from = random.below(other.count)
                message.replaceSubrange(at..., with: other.dropFirst(from))
            }
        }
        return message
    }

    /// Where the bytes are cut when they arrive in pieces, ascending.
    mutating func cuts(of count: Int) -> [Int] {
        switch random.below(3) {
        case 0: return Array(0..<count)
        case 1: return (0..<random.below(6)).map { _ in random.below(count + 1) }.sorted()
        default: return [random.below(count + 1)]
        }
    }
}

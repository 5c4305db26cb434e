import Transforms
import TestSupport
import Testing

@testable import Transformers

/// Random but repeatable JSON text, and text that is nearly JSON.
@Suite("JSON at random")
struct JSONRandomTests {
    private static let scalars = [
        "0", "-0", "1.10", "1E400", "-12.5e+3", "true", "false", "null", "\"\"", "\"a\"", "\"\\u0061\\n\"", "\"ä€𝄞\"",
        "\"\\ud834\\udd1e\"",
        "\"\\ud800\"", "\" , : [ ] { } \"", "\"\\\"\\\\\"",
    ]
    private static let names = ["\"a\"", "\"b\"", "\"\\u0061\"", "\"\"", "\"ä\"", "\"c d\""]
    private static let blanks = ["", "", "", " ", "\n", "\t\r\n "]
    private static let paths = [
        "$", "$.a", "$..a", "$..*", "$[*].b", "$[-1:0:-1]", "$..[?@.a]", "$..[?@==1.1]", "$[?search(@, 'a|.')]",
        "$..[?count(@..*)>2]",
        "/a/0", "", "$..[?@ == $.a]", "$..[?length(@)>1 || !@.b]", "$..[0,'a',1:]",
    ]

    private static func value(_ depth: Int, _ random: inout FixedRandom) -> String {
        func blank() -> String { blanks[Int.random(in: 0..<blanks.count, using: &random)] }
        let kind = depth > 4 ? 0 : Int.random(in: 0..<4, using: &random)
        let count = Int.random(in: 0..<4, using: &random)
        switch kind {
        case 2:
            let elements = (0..<count).map { _ in blank() + value(depth + 1, &random) + blank() }
            return "[" + (elements.isEmpty ? blank() : elements.joined(separator: ",")) + "]"
        case 3:
            let members = (0..<count).map { _ in
                let name = names[Int.random(in: 0..<names.count, using: &random)]
                return blank() + name + blank() + ":" + blank() + value(depth + 1, &random) + blank()
            }
            return "{" + (members.isEmpty ? blank() : members.joined(separator: ",")) + "}"
        default: return scalars[Int.random(in: 0..<scalars.count, using: &random)]
        }
    }

    @Test("minify undoes pretty, however the content is split")
    func layouts() throws {
        var random = FixedRandom(seed: 1)
        for _ in 0..<150 {
            let text = Self.value(0, &random)
            let minified = try MinifyTransformer().run(text)
            let pretty = try PrettyTransformer().run(text)
            #expect(try MinifyTransformer().run(pretty) == minified)
            #expect(try MinifyTransformer().run(minified) == minified)
            let size = Int.random(in: 1...9, using: &random)
            #expect(try PrettyTransformer().run(text, size: size) == pretty)
            #expect(try Sample(pretty).document.nodes.count == Sample(text).document.nodes.count)
        }
    }

    @Test("select returns JSON, and after redaction a path finds only the replacement")
    func paths() throws {
        var random = FixedRandom(seed: 2)
        for _ in 0..<150 {
            let text = Self.value(0, &random)
            for path in Self.paths {
                if let selected = try? SelectTransformer(path: path).run(text) {
                    #expect(try ValidateTransformer().run(selected) == selected)
                }
                guard let redacted = try? RedactTransformer(paths: [path]).run(text) else { continue }
                let before = try Sample(text).texts(path, .all)
                if before.isEmpty { #expect(redacted == text) } else { _ = try Sample(redacted) }
                guard !path.contains("?") else { continue }
                #expect(try Sample(redacted).texts(path, .all).allSatisfy { $0 == "\"[redacted]\"" })
            }
        }
    }

    @Test("damaged JSON passes or fails the same, whole or in pieces")
    func damaged() throws {
        var random = FixedRandom(seed: 3)
        for _ in 0..<1000 {
            var bytes = Array(Self.value(0, &random).utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
                }
            }
            let whole = Result { try MinifyTransformer().run(bytes) }
            let pieces = Result { try MinifyTransformer().run(bytes, size: Int.random(in: 1...5, using: &random)) }
            #expect((try? whole.get()) == (try? pieces.get()))
            #expect((ValidateTransformer().failure(bytes) == nil) == ((try? whole.get()) != nil))
        }
    }

    @Test("damaged paths parse or fail with a column inside the path")
    func damagedPaths() throws {
        var random = FixedRandom(seed: 4)
        for _ in 0..<2000 {
            var characters = Array(Self.paths[Int.random(in: 0..<Self.paths.count, using: &random)].unicodeScalars)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0...characters.count, using: &random)
                let other = Array("$@.[]()?!&|=<>'\"\\,:*-0129aeä/~ {}".unicodeScalars)
                if Bool.random(using: &random) || place == characters.count {
                    characters.insert(other[Int.random(in: 0..<other.count, using: &random)], at: place)
                } else {
                    characters.remove(at: place)
                }
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: characters)
            do throws(JSONPathError) { _ = try JSONQuery(parsing: text) } catch {
                #expect(1...text.unicodeScalars.count + 1 ~= error.column)
            }
        }
    }
}

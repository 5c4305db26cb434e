import HTTPCore
import Transforms
import Testing

@testable import Transformers

/// What transformers say of themselves, and how long their options may be.
@Suite("Traits of transformers") struct TransformerTraitsTests {
    @Test("each transformer says whether it needs decoded content, redacts, and depends on the request")
    func traits() throws {
        let transformers: [(any StreamingTransformer, String)] = [
            (DecodeTransformer(), "---"), (try EncodeTransformer(codings: ["gzip"]), "--r"),
            (MinifyTransformer(), "d--"), (try PrettyTransformer(), "d--"), (ValidateTransformer(), "d--"),
            (try SelectTransformer(path: "$.a"), "d--"), (try RedactTransformer(paths: ["$.a"]), "dx-"),
            (try CharsetTransformer(), "d--"), (try SubstituteTransformer("a", with: "b"), "d--"),
            (try ReplaceTransformer("a", with: "b"), "d--"), (try LinksTransformer(), "d-r"),
            (try FieldsTransformer(remove: ["X-A"]), "---"),
        ]
        for (transformer, expected) in transformers {
            let traits =
                (transformer.needsDecodedContent ? "d" : "-") + (transformer.isRedaction ? "x" : "-")
                + (transformer.dependsOnRequest ? "r" : "-")
            #expect(traits == expected, "\(transformer.name)")
        }
    }

    @Test("only what reads a whole document waits for it; all others pass content on as it comes")
    func streaming() throws {
        let text = fields([("Content-Type", "text/html"), ("Content-Encoding", "br, gzip")])
        let one = fields([("Content-Type", "application/json"), ("Content-Encoding", "gzip")])
        let transformers: [(any StreamingTransformer, Fields, Bool)] = [
            (DecodeTransformer(), text, false), (DecodeTransformer(), one, false),
            (try EncodeTransformer(codings: ["gzip"], always: true), text, false),
            (try EncodeTransformer(codings: ["br", "zstd"], always: true), text, false),
            (MinifyTransformer(), one, false), (try PrettyTransformer(), one, false),
            (ValidateTransformer(), one, true), (try SelectTransformer(path: "$.a"), one, true),
            (try RedactTransformer(paths: ["$.a"]), one, true), (try CharsetTransformer(), text, false),
            (try SubstituteTransformer("a", with: "b"), text, false),
            (try ReplaceTransformer("a", with: "b"), text, true),
            (try LinksTransformer(), text, false), (try LinksTransformer(), one, false),
        ]
        var run = Run()
        run.request = [("Host", "gate.example")]
        for (transformer, fields, isWhole) in transformers {
            var head = EntityHead(status: 200, fields: fields)
            let filter = try #require(try transformer.begin(&head, run.context))
            #expect(filter.needsWholeContent == isWhole, "\(transformer.name)")
        }
    }

    @Test("an option that is wrong is told with what it may be")
    func optionFaults() {
        func fault(_ body: () throws -> Void) -> String? {
            do { try body() } catch {
                return (error as? TransformerOptionError)?.userMessage ?? (error as? JSONOptionError)?.userMessage
            }
            return nil
        }
        let faults: [(String?, String)] = [
            (
                fault { _ = try DecodeTransformer(option: "gzip") },
                "`decode` must be \"all\": the origin chooses the codings"
            ),
            (
                fault { _ = try EncodeTransformer(codings: ["gzip", "lz`ma"]) },
                "`encode` does not know the coding `lz?ma`; it knows gzip, deflate, br and zstd"
            ),
            (
                fault { _ = try EncodeTransformer(codings: ["gzip", "x-gzip"]) },
                "`encode` names the coding `gzip` twice"
            ),
            (fault { _ = try EncodeTransformer(codings: []) }, "`encode` names no coding"),
            (
                fault { _ = try CharsetTransformer(to: "latin1") },
                "`charset` must be \"utf-8\": there is no other target"
            ),
            (
                fault { _ = try LinksTransformer(form: "relative") },
                "`links` must be \"prefix\": there is no other form"
            ),
            (fault { _ = try FieldsTransformer() }, "`fields` has nothing to `set`, `add` or `remove`"),
            (fault { _ = try SubstituteTransformer("", with: "a") }, "`substitute` has no text to look for"),
            (
                fault { _ = try SubstituteTransformer("a", with: String(repeating: "a", count: 16_385)) },
                "`substitute` accepts texts of at most 16384 bytes"
            ),
            (
                fault { _ = try ReplaceTransformer(String(repeating: "a", count: 16_385), with: "") },
                "`substitute` accepts texts of at most 16384 bytes"
            ),
            (fault { _ = try PrettyTransformer(indent: 17) }, "the indent is a number from 0 to 16"),
            (fault { _ = try RedactTransformer(paths: []) }, "a redaction needs at least one path"),
        ]
        for (told, expected) in faults { #expect(told == expected) }
    }

    @Test("an indent has 0 to 16 spaces", arguments: [(-1, false), (0, true), (16, true), (17, false)])
    func indent(spaces: Int, isRight: Bool) {
        #expect(((try? PrettyTransformer(indent: spaces)) != nil) == isRight)
    }

    @Test("texts to look for and to put in have a bounded length; a text to look for is not empty")
    func lengths() {
        let longest = String(repeating: "a", count: SubstituteTransformer.maximumLength)
        for (text, replacement, isRight) in [
            (longest, longest, true), (longest + "a", "", false), ("a", longest + "a", false), ("a", "", true),
        ] {
            #expect(((try? SubstituteTransformer(text, with: replacement)) != nil) == isRight)
        }
        #expect((try? ReplaceTransformer("a", with: longest)) != nil)
        #expect((try? ReplaceTransformer("a", with: longest + "a")) == nil)
        #expect((try? ReplaceTransformer(longest + "a", with: "")) == nil)
        #expect((try? SubstituteTransformer("", with: "a")) == nil)
    }
}

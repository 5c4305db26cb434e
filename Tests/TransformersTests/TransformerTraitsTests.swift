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

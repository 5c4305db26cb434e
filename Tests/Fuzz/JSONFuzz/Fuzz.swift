import HTTPCore
import Transformers

@testable import Transforms

/// Feeds JSON in pieces, and paths with content; whatever comes, there is a result that is JSON again, or a failure.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count > 1 else { return 0 }
    let input = Array(bytes.dropFirst())
    switch bytes[0] {
    case ..<0x80: layOut(input, size: Int(bytes[0] % 16) + 1)
    case ..<0xC0: evaluate(input)
    default: makeKeys(input)
    }
    return 0
}

/// The text of a key has the same key, if it is JSON or GraphQL: half a surrogate is not.
private func makeKeys(_ content: [UInt8]) {
    guard let json = try? JSONKeyForm(), let graphQL = try? GraphQLKeyForm() else { fatalError("no paths are faulty") }
    if let text = json.text(of: content), let again = json.text(of: text) {
        guard again == text else { fatalError("JSON has another key") }
    }
    if case .query(let text) = graphQL.judge(content), case .query(let again) = graphQL.judge(text) {
        guard again == text else { fatalError("a query has another key") }
    }
}

/// All transformers that keep the meaning agree about what is JSON and what it says.
private func layOut(_ content: [UInt8], size: Int) {
    let minified = run(MinifyTransformer(), content, size: size)
    let validated = run(ValidateTransformer(), content, size: size)
    let pretty = (try? PrettyTransformer(indent: 1)).flatMap { run($0, content, size: size) }
    guard (minified == nil) == (validated == nil) else { fatalError("validate and minify disagree") }
    guard validated == nil || validated == content else { fatalError("validate changes content") }
    guard let minified, let pretty else { return }
    guard run(MinifyTransformer(), minified, size: 7) == minified else { fatalError("minify has more to do") }
    guard run(MinifyTransformer(), pretty, size: 5) == minified else { fatalError("pretty changes tokens") }
}

/// A path, a zero byte, content.
private func evaluate(_ input: [UInt8]) {
    guard let end = input.firstIndex(of: 0) else { return }
    let path = String(decoding: input[..<end], as: UTF8.self)
    let content = Array(input[(end + 1)...])
    do {
        let select = try SelectTransformer(path: path)
        let redact = try RedactTransformer(paths: [path], replacement: "")
        for result in [run(select, content), run(redact, content)] {
            guard let result, !result.isEmpty else { continue }
            guard run(ValidateTransformer(), result) != nil else { fatalError("what comes out is not JSON") }
        }
    } catch {
        guard let column = error.column, 1...path.unicodeScalars.count + 1 ~= column, !error.userMessage.isEmpty else {
            fatalError("an error says nothing")
        }
    }
}

/// What becomes of `content` in pieces of `size`; nil if the transformer fails.
private func run(_ transformer: some StreamingTransformer, _ content: [UInt8], size: Int = .max) -> [UInt8]? {
    var head = EntityHead(status: 200, fields: Fields())
    var output: [UInt8] = []
    do throws(TransformFailure) {
        guard let content = try transformer.begin(&head, context()).map({ (content, $0) }) else { return nil }
        let (bytes, changer) = content
        var start = 0
        while start < bytes.count {
            let end = size < bytes.count - start ? start + size : bytes.count
            start += try changer.transform(bytes.span.extracting(start..<end), into: &output, room: 1024).consumed
        }
        while try changer.finish(into: &output, room: 1024) {}
        return output
    } catch {
        guard !error.userMessage.isEmpty else { fatalError("a failure says nothing") }
        return nil
    }
}

/// A run that ends after a number of steps rather than a time.
private func context() -> TransformContext {
    nonisolated(unsafe) var now: Int64 = 0
    let budget = TransformBudget(limit: .seconds(500)) {
        now += 1_000_000_000
        return MonotonicTime(nanoseconds: now)
    }
    budget.open()
    return TransformContext(
        uri: TargetURI(scheme: .http, host: Array("a".utf8), port: 80, path: []),
        request: Fields(),
        limits: TransformLimits(),
        budget: budget
    )
}

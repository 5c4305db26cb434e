import Glibc
import HTTPCore
import Transforms
import Testing

@testable import Transformers

/// JSON text for tests, with its table.
struct Sample {
    let document: JSONDocument

    init(_ bytes: [UInt8], depthLimit: Int = 128) throws {
        var meter = WorkMeter(TransformBudget())
        document = try JSONDocument(copying: bytes.span, depthLimit: depthLimit, meter: &meter)
    }

    init(_ text: String) throws { try self.init(Array(text.utf8)) }

    /// The values that a path finds, each with its text.
    func texts(_ path: String, _ repetition: JSONEvaluation.Repetition = .last) throws -> [String] {
        let query = try JSONQuery(parsing: path)
        var evaluation = JSONEvaluation(document, repetition: repetition, meter: WorkMeter(TransformBudget()))
        return try evaluation.nodes(query).map { text(Int($0)) }
    }

    func text(_ node: Int) -> String { String(decoding: document.bytes[document.range(of: node)], as: UTF8.self) }

    /// The value of the string at `node`.
    func string(_ node: Int) -> String { String(decoding: document.string(of: node), as: UTF8.self) }

    func children(_ node: Int) -> [Int] {
        var result: [Int] = []
        var child = node + 1
        while child < document.next(of: node) {
            result.append(child)
            child = document.next(of: child)
        }
        return result
    }

    func member(_ node: Int, _ name: String) -> Int? {
        children(node).first { document.hasName($0, Array(name.utf8)) }
    }
}

extension TransformContext {
    /// A run for `http://org.example/`.
    static func sample(_ limits: TransformLimits = TransformLimits()) -> TransformContext {
        TransformContext(
            uri: TargetURI(scheme: .http, host: Array("org.example".utf8), port: 80, path: []),
            request: Fields(),
            limits: limits,
            budget: TransformBudget()
        )
    }
}

extension StreamingTransformer {
    /// The output for `content`, given in pieces of `size` bytes, with little room each time.
    func run(
        _ content: [UInt8],
        size: Int = .max,
        room: Int = 256 * 1024,
        limits: TransformLimits = TransformLimits()
    ) throws(TransformFailure) -> [UInt8] {
        var head = EntityHead(status: 200, fields: Fields())
        guard let transformer = try begin(&head, .sample(limits)) else { return content }
        var output: [UInt8] = []
        var start = 0
        while start < content.count {
            let end = size < content.count - start ? start + size : content.count
            while start < end {
                let progress = try transformer.transform(
                    content.span.extracting(start..<end),
                    into: &output,
                    room: room
                )
                guard progress.consumed > 0 || progress.hasMore else { break }
                start += progress.consumed
            }
        }
        while try transformer.finish(into: &output, room: room) {}
        return output
    }

    func run(_ content: String, size: Int = .max, limits: TransformLimits = TransformLimits()) throws -> String {
        String(decoding: try run(Array(content.utf8), size: size, limits: limits), as: UTF8.self)
    }

    /// Why `content` fails; nil if it does not.
    func failure(_ content: String, limits: TransformLimits = TransformLimits()) -> TransformFailure? {
        failure(Array(content.utf8), limits: limits)
    }

    func failure(_ content: [UInt8], limits: TransformLimits = TransformLimits()) -> TransformFailure? {
        do throws(TransformFailure) {
            _ = try run(content, limits: limits)
            return nil
        } catch { return error }
    }
}

/// All bytes of a file below `Tests`.
func fixture(_ path: String) throws -> [UInt8] {
    let tests = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let stream = try #require(unsafe fopen("/\(tests)/\(path)", "r"))
    defer { unsafe fclose(stream) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while case let count = unsafe fread(&buffer, 1, buffer.count, stream), count > 0 {
        bytes.append(contentsOf: buffer[..<count])
    }
    return bytes
}

import Transforms

/// The output of a transformer that reads the whole document, within the limit for decoded content (H-131).
struct JSONOutput {
    private(set) var bytes: [UInt8] = []
    private let limit: Int64

    init(_ limits: TransformLimits) { limit = limits.decodedContent }

    mutating func append(_ part: some Collection<UInt8>) throws(TransformFailure) {
        guard limit <= 0 || Int64(bytes.count) + Int64(part.count) <= limit else {
            throw TransformFailure(.limit, "the result is larger than \(limit) bytes; see `decoded-size`")
        }
        bytes.append(contentsOf: part)
    }
}

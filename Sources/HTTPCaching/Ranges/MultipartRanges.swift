/// The content of a multipart/byteranges response, without the bytes of the parts (RFC 9110 §14.6).
public struct MultipartRanges: Sendable, Equatable {
    public struct Part: Sendable, Equatable {
        /// The text before the bytes: delimiter, fields, empty line.
        public var head: [UInt8]
        /// The range of the stored content.
        public var range: Range<Int64>
    }

    public let parts: [Part]
    /// The text behind the last part.
    public let end: [UInt8]
    /// The value of Content-Type for the response.
    public let contentType: [UInt8]
    /// The length of the whole content in bytes.
    public let contentLength: Int64

    /// - Parameters:
    ///   - length: the length of the whole representation; nil if it is not known.
    ///   - contentType: the Content-Type of the stored response, if it has one.
    ///   - boundary: bytes of RFC 2046 §5.1.1 that the content does not contain, such as random ones.
    public init(ranges: [Range<Int64>], length: Int64?, contentType: [UInt8]?, boundary: [UInt8]) {
        let lineEnd: [UInt8] = [0x0D, 0x0A]
        let delimiter = [0x2D, 0x2D] + boundary
        var parts: [Part] = []
        for range in ranges {
            var head = (parts.isEmpty ? [] : lineEnd) + delimiter + lineEnd
            if let contentType { head += Array("Content-Type: ".utf8) + contentType + lineEnd }
            head += Array("Content-Range: ".utf8) + ContentRange.bytes(of: range, length: length) + lineEnd + lineEnd
            parts.append(Part(head: head, range: range))
        }
        self.parts = parts
        end = lineEnd + delimiter + [0x2D, 0x2D] + lineEnd
        self.contentType = Array("multipart/byteranges; boundary=".utf8) + boundary
        contentLength = parts.reduce(Int64(end.count)) { $0 + Int64($1.head.count) + Int64($1.range.count) }
    }
}

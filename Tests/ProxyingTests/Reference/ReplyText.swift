/// Reads responses of a `QuietProxy` as the reference model has them.
enum ReplyText {
    /// Nil if it is not complete, and not ended before its end.
    static func reply(_ bytes: [UInt8], isHead: Bool, hasEnded: Bool) -> ReferenceReply? {
        guard let end = place(of: [13, 10, 13, 10], in: bytes, from: 0) else {
            // Nothing came: as good as an error.
            return hasEnded ? ReferenceReply(status: 0, isCut: true) : nil
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            fields[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        var reply = ReferenceReply()
        reply.status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        reply.number = fields["x-file"].flatMap { Int($0) }
        reply.lie = fields["x-lie"].flatMap { Int($0) }
        (reply.tag, reply.modified, reply.digest) = (fields["etag"], fields["last-modified"], fields["repr-digest"])
        let length = fields["content-length"].flatMap { Int($0) }
        if reply.status == 200 { reply.total = length }
        if isHead || reply.status == 304 { return reply }
        guard let content = content(bytes[(end + 4)...], length, fields) else { return hasEnded ? reply.cut : nil }
        let isComplete = length.map { content.count == $0 } ?? content.isWhole
        guard isComplete || hasEnded else { return nil }
        reply.isCut = !isComplete
        addSections(content.bytes, fields, length, to: &reply)
        return reply
    }

    /// - Returns: the content so far, its size, and whether that is proven to be all; nil if there is none yet.
    private static func content(
        _ bytes: ArraySlice<UInt8>,
        _ length: Int?,
        _ fields: [String: String]
    ) -> (bytes: [UInt8], count: Int, isWhole: Bool)? {
        guard fields["transfer-encoding"] == "chunked" else { return (Array(bytes), bytes.count, length == nil) }
        let all = Array(bytes)
        var (content, position) = ([UInt8](), 0)
        while let end = place(of: [13, 10], in: all, from: position) {
            guard let size = Int(String(decoding: all[position..<end], as: UTF8.self), radix: 16) else { break }
            if size == 0 { return (content, content.count, true) }
            content += all[(end + 2)..<min(end + 2 + size, all.count)]
            position = end + size + 4
            if position >= all.count { break }
        }
        return (content, content.count, false)
    }

    private static func addSections(
        _ content: [UInt8],
        _ fields: [String: String],
        _ length: Int?,
        to reply: inout ReferenceReply
    ) {
        if content.isEmpty { return }
        if reply.status == 200 {
            reply.sections = [.init(start: 0, end: length ?? content.count, bytes: content)]
        } else if let place = fields["content-range"].flatMap(range) {
            reply.total = place.total
            reply.sections = [.init(start: place.start, end: place.end, bytes: content)]
        } else if let type = fields["content-type"], let equals = type.range(behind: "boundary=") {
            addParts(content, Array(("--" + equals).utf8), to: &reply)
        }
    }

    /// The parts of a multipart/byteranges content.
    private static func addParts(_ content: [UInt8], _ delimiter: [UInt8], to reply: inout ReferenceReply) {
        var position = 0
        while let start = place(of: delimiter, in: content, from: position),
            let end = place(of: [13, 10, 13, 10], in: content, from: start)
        {
            let head = String(decoding: content[start..<end], as: UTF8.self)
            guard let text = head.range(behind: "Content-Range: "), let found = range(text) else { return }
            reply.total = found.total
            position = min(content.count, end + 4 + found.end - found.start)
            reply.sections.append(
                .init(start: found.start, end: found.end, bytes: Array(content[(end + 4)..<position]))
            )
        }
    }

    /// Reads `bytes 0-4/10`.
    private static func range(_ text: String) -> (start: Int, end: Int, total: Int?)? {
        let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
        guard numbers.count >= 2 else { return nil }
        return (numbers[0], numbers[1] + 1, numbers.count > 2 ? numbers[2] : nil)
    }

    private static func place(of text: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count - start >= text.count else { return nil }
        for index in start...(bytes.count - text.count)
        where bytes[index] == text[0] && bytes[index..<index + text.count].elementsEqual(text) {
            return index
        }
        return nil
    }
}

extension ReferenceReply {
    fileprivate var cut: ReferenceReply {
        var reply = self
        reply.isCut = true
        return reply
    }
}

extension String {
    /// The line's rest behind the first `mark`.
    fileprivate func range(behind mark: String) -> String? {
        guard let line = split(whereSeparator: \.isNewline).first(where: { $0.contains(mark) }) else { return nil }
        var rest = line
        while !rest.hasPrefix(mark) { rest = rest.dropFirst() }
        return String(rest.dropFirst(mark.count))
    }
}

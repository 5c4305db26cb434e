import TestSupport

/// What an origin with a file answers.
struct OriginAnswer {
    var status: UInt16
    var lines: [(String, String)] = []
    var content: [UInt8] = []
    /// The bytes that a single part has.
    var part: Range<Int>?
    /// Whether it is a response of the file.
    var isOfFile = true
    /// Whether it says how long its content is.
    var announcesLength = true
    var trouble: ReferenceParts.Trouble?

    /// What the origin is asked.
    struct Question {
        var range: String?
        var ifRange: String?
        var ifNoneMatch: String?
        var ifModifiedSince: String?
    }

    // MARK: As RFC 9110 has it

    /// - Parameter choice: which of the ways that are right for several ranges, from 0 to 2.
    static func right(_ file: ReferenceFile, to question: Question, lifetime: Int, choice: Int) -> OriginAnswer {
        if let tags = question.ifNoneMatch {
            if let tag = file.tag, tags.contains(tag) { return notModified(file) }
        } else if let date = question.ifModifiedSince, date == file.modified {
            return notModified(file)
        }
        let isMeant = question.ifRange.map(file.matchesStrongly) ?? true
        let plan = ReferenceRanges(isMeant ? question.range : nil, length: file.bytes.count)
        guard let wanted = plan.wanted else { return whole(file, lifetime, asked: question.range != nil) }
        if wanted.isEmpty { return unsatisfiable(file) }
        if wanted.count == 1 { return part(wanted[0], of: file, lifetime) }
        let ends = wanted.reduce(wanted[0]) {
            min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound)
        }
        switch choice {
        case 0: return whole(file, lifetime, asked: true)
        case 1: return part(ends, of: file, lifetime)
        default: return several(wanted, of: file, lifetime)
        }
    }

    private static func lines(_ file: ReferenceFile, _ lifetime: Int) -> [(String, String)] {
        var lines = [("Cache-Control", "max-age=\(lifetime / 1000), must-revalidate"), ("X-File", "\(file.number)")]
        if let tag = file.tag { lines.append(("ETag", tag)) }
        if let modified = file.modified { lines.append(("Last-Modified", modified)) }
        if let digest = file.digest { lines.append(("Repr-Digest", digest)) }
        return lines
    }

    static func whole(_ file: ReferenceFile, _ lifetime: Int, asked: Bool) -> OriginAnswer {
        var answer = OriginAnswer(status: 200, lines: lines(file, lifetime), content: file.bytes)
        if asked { answer.trouble = .whole }
        return answer
    }

    static func part(_ range: Range<Int>, of file: ReferenceFile, _ lifetime: Int) -> OriginAnswer {
        var answer = OriginAnswer(status: 206, lines: lines(file, lifetime), content: Array(file.bytes[range]))
        answer.lines.append(("Content-Range", place(range, file.bytes.count)))
        answer.part = range
        return answer
    }

    private static func place(_ range: Range<Int>, _ total: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
    }

    private static func several(_ ranges: [Range<Int>], of file: ReferenceFile, _ lifetime: Int) -> OriginAnswer {
        var answer = OriginAnswer(status: 206, lines: lines(file, lifetime))
        answer.lines.append(("Content-Type", "multipart/byteranges; boundary=b"))
        for range in ranges {
            answer.content += Array("\r\n--b\r\nContent-Range: \(place(range, file.bytes.count))\r\n\r\n".utf8)
            answer.content += file.bytes[range]
        }
        answer.content += Array("\r\n--b--\r\n".utf8)
        return answer
    }

    private static func notModified(_ file: ReferenceFile) -> OriginAnswer {
        OriginAnswer(status: 304, lines: file.tag.map { [("ETag", $0)] } ?? [])
    }

    static func unsatisfiable(_ file: ReferenceFile) -> OriginAnswer {
        var answer = OriginAnswer(status: 416, lines: [("Content-Range", "bytes */\(file.bytes.count)")])
        answer.isOfFile = false
        return answer
    }

    static let unavailable: OriginAnswer = {
        var answer = OriginAnswer(status: 503, content: Array("down".utf8))
        answer.isOfFile = false
        answer.trouble = .failure
        return answer
    }()

    // MARK: Otherwise

    /// A 206 whose numbers contradict each other, or what was asked for; its bytes are of no file.
    ///
    /// - Parameters:
    ///   - kind: the contradiction, from 0 to 6.
    ///   - asked: the Range of the request.
    ///   - number: of the exchange, which every copy of the response names.
    static func lie(
        _ kind: Int,
        about range: Range<Int>,
        asked: String,
        of file: ReferenceFile,
        _ lifetime: Int,
        _ number: Int
    ) -> OriginAnswer {
        var answer = OriginAnswer(status: 206, lines: lines(file, lifetime).filter { $0.0 != "X-File" })
        answer.lines.append(("X-Lie", "\(number)"))
        answer.content = ReferenceFile.content(-number, count: range.count)
        (answer.isOfFile, answer.trouble) = (false, .lie)
        let total = file.bytes.count
        let (first, last) = (range.lowerBound, range.upperBound - 1)
        // Only for a range that names its first byte are other ones a contradiction.
        switch kind == 0 && (first == 0 || asked.hasPrefix("bytes=-")) ? 3 : kind {
        case 0: answer.lines.append(("Content-Range", "bytes \(first - 1)-\(last - 1)/\(total)"))
        case 1: answer.content.append(0)
        case 2: answer.lines.append(("Content-Range", "bytes \(first)-\(last)/\(last)"))
        case 3: break
        case 4: answer.lines.append(("Content-Range", "items \(first)-\(last)/\(total)"))
        case 5: for _ in 0..<2 { answer.lines.append(("Content-Range", place(range, total))) }
        default:
            answer.content = []
            answer.lines.append(("Content-Range", "bytes \(first)-\(first - 1)/\(total)"))
        }
        if kind == 1 { answer.lines.append(("Content-Range", place(range, total))) }
        return answer
    }
}

// Nothing is imported here.

/// What clients may get.
extension ReferenceParts {
    /// Why a client must not get this; nil if it may.
    ///
    /// - Parameters:
    ///   - exchanges: the requests of exchanges, by number.
    ///   - isLeaving: whether the client itself left before the end.
    func objection(
        to request: ReferenceRequest,
        getting reply: ReferenceReply,
        by exchanges: [Int: Int],
        isLeaving: Bool = false
    ) -> String? {
        if reply.isCut, !isLeaving, !hadTrouble(request) { return "a response that is cut without a cause" }
        if let lie = reply.lie {
            return exchanges[lie] == request.number ? nil : "what exchange \(lie) lied about"
        }
        switch reply.status {
        case 200, 206: return contentObjection(request, reply)
        case 304:
            let known = files.filter { file in request.ifNoneMatch.map(file.matchesWeakly) ?? false }
            return known.contains { mayServe($0, to: request) } ? nil : "304 about a file that it has not"
        case 416:
            if hadTrouble(request, [.unsatisfiable]) { return nil }
            let isRight = files.contains { file in
                let isKnown = refusals.contains { $0.file == file.number && $0.order > request.order }
                guard isKnown || mayServe(file, to: request) else { return false }
                return ReferenceRanges(request.range, length: file.bytes.count).wanted == []
            }
            return isRight ? nil : "416 for bytes that exist"
        default:
            let isExplained = hadTrouble(request, [.failure, .lie, .change]) || remembersFailure(request)
            return isExplained ? nil : "\(reply.status) without a cause"
        }
    }

    private func contentObjection(_ request: ReferenceRequest, _ reply: ReferenceReply) -> String? {
        guard let number = reply.number, files.indices.contains(number) else { return "a response of no file" }
        let named = files[number]
        if reply.tag != named.tag || reply.modified != named.modified || reply.digest != named.digest {
            return "fields that are not of file \(number)"
        }
        // Under one weak tag the origin may have had several files.
        let candidates = files.filter {
            $0.number == number || !named.isStrong && ($0.isValidated(by: named) || named.isValidated(by: $0))
        }
        var objections: [String] = []
        for file in candidates {
            let objection =
                mayServe(file, to: request)
                ? objection(to: request, reply, of: file) : "file \(file.number), which is stale or replaced"
            guard let objection else { return nil }
            objections.append(objection)
        }
        return objections.joined(separator: "; ")
    }

    private func objection(
        to request: ReferenceRequest,
        _ reply: ReferenceReply,
        of file: ReferenceFile
    ) -> String? {
        if let total = reply.total, total != file.bytes.count { return "\(total) as the length of file \(file.number)" }
        if request.isHead { return nil }
        for section in reply.sections {
            if let objection = objection(to: section, of: file, mayEnd: reply.isCut) { return objection }
        }
        return reply.status == 200 ? objection(toWhole: reply, request, file) : objection(toPart: reply, request, file)
    }

    private func objection(
        to section: ReferenceReply.Section,
        of file: ReferenceFile,
        mayEnd: Bool
    ) -> String? {
        guard section.start < section.end, section.end <= file.bytes.count else {
            return "bytes beyond the end of file \(file.number)"
        }
        let isShort = section.bytes.count < section.end - section.start
        if isShort && !mayEnd || section.bytes.count > section.end - section.start {
            return "\(section.bytes.count) bytes for \(section.start) to \(section.end)"
        }
        let right = file.bytes[section.start..<section.start + section.bytes.count]
        if right.elementsEqual(section.bytes) { return nil }
        let place = zip(right, section.bytes).prefix { $0 == $1 }.underestimatedCount
        return "bytes that are not of file \(file.number), from \(section.start + place) on"
    }

    private func objection(
        toWhole reply: ReferenceReply,
        _ request: ReferenceRequest,
        _ file: ReferenceFile
    ) -> String? {
        let plan = ReferenceRanges(request.range, length: file.bytes.count)
        guard plan.wanted != nil, !plan.mayBeWhole, request.ifRange.map(file.matchesStrongly) ?? true,
            !hadTrouble(request, [.whole])
        else { return nil }
        return "the whole in place of a range"
    }

    private func objection(
        toPart reply: ReferenceReply,
        _ request: ReferenceRequest,
        _ file: ReferenceFile
    ) -> String? {
        guard let wanted = ReferenceRanges(request.range, length: file.bytes.count).wanted else {
            return "a part in place of the whole"
        }
        if let condition = request.ifRange, !file.matchesStrongly(condition) {
            return "a part of another file than If-Range names"
        }
        if reply.isCut || hadTrouble(request, [.short]) { return nil }
        let sent = reply.sections.map { $0.start..<$0.end }
        if wanted == sent { return nil }
        // The origin may send several ranges as one, with what is between them.
        let isCovered = wanted.allSatisfy { range in
            sent.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
        }
        return wanted.count > 1 && isCovered ? nil : "\(sent) in place of \(wanted)"
    }
}

import TestSupport

/// What the origin does.
extension PartSequence {
    /// The origin changes the file; sometimes without another tag.
    func addFile(to site: Int) {
        let place = sites[site]
        let number = place.model.files.count
        let isStrong = random.chance(85)
        var tag: String? = isStrong ? "\"v\(number)\"" : random.chance(70) ? "W/\"v\(number / 2)\"" : nil
        var length = max(2, place.length - random.next(place.length / 3))
        if number > 0, random.chance(40) { length = place.model.current.bytes.count }
        var date = number
        if number > 0, place.model.current.isStrong, random.chance(25) {
            let former = place.model.current
            // It contradicts itself in at least one way.
            tag = former.tag
            if !place.hasDigests {
                if place.hasDates, random.chance(70) { length = former.bytes.count } else { date = 0 }
            }
            if length == former.bytes.count, place.hasDates { date = number }
            if !place.hasDates, !place.hasDigests, length == former.bytes.count { length += 1 }
        }
        let file = ReferenceFile(
            number: number,
            bytes: ReferenceFile.content(number * 2 + site + 1, count: length),
            tag: tag,
            modified: place.hasDates ? "Thu, 01 Jan 1970 00:\(10 + date / 60):\(10 + date % 50) GMT" : nil,
            digest: place.hasDigests ? "sha-256=:\(number):" : nil
        )
        sites[site].model.add(file)
        note("\(place.path) is now \(number): \(length) bytes, \(tag ?? "no tag") \(file.modified ?? "")")
    }

    /// The origin goes on with one answer, in a random way.
    func answerSomething(_ index: Int) {
        if open[index].answer == nil {
            if absences == 0, random.chance(2) { absences = 1 + random.next(8) }
            if absences > 0 || random.chance(4) {
                absences = max(0, absences - 1)
                return refuse(index)
            }
            begin(index, with: someAnswer(index))
            guard index < open.count, open[index].answer != nil else { return }
            if random.chance(12) { open[index].cut = random.next(open[index].content.count) }
            if random.chance(40) { return }
        }
        send(index, 1 + random.next(max(1, open[index].content.count - open[index].sent)))
    }

    /// The origin answers to the end as it should.
    func finish(_ index: Int) {
        if open[index].answer == nil {
            begin(index, with: right(index))
            run()
            // It may be of no use.
            guard index < open.count, open[index].answer != nil else { return }
        }
        open[index].cut = nil
        send(index, .max)
    }

    /// The origin begins to answer this request as it should.
    func beginAnswer(to number: Int) {
        guard let index = open.firstIndex(where: { $0.asked.request.number == number && $0.answer == nil }) else {
            return
        }
        begin(index, with: right(index))
    }

    /// The origin answers this request to the end as it should.
    func finishAnswer(to number: Int) {
        if let index = open.firstIndex(where: { $0.asked.request.number == number }) { finish(index) }
    }

    /// No connection.
    private func refuse(_ index: Int) {
        let broken = open.remove(at: index)
        note("exchange \(broken.asked.order) is refused")
        noteCut(broken)
        broken.exchange.fail()
    }

    // MARK: Answers

    private func right(_ index: Int) -> OriginAnswer {
        let (exchange, asked) = (open[index].exchange, open[index].asked)
        let question = OriginAnswer.Question(
            range: asked.range,
            ifRange: asked.ifRange,
            ifNoneMatch: exchange.value(of: .ifNoneMatch),
            ifModifiedSince: exchange.value(of: .ifModifiedSince)
        )
        let file = sites[open[index].site].model.current
        return .right(file, to: question, lifetime: lifetime, choice: random.next(3))
    }

    private func someAnswer(_ index: Int) -> OriginAnswer {
        let file = sites[open[index].site].model.current
        var answer = right(index)
        let kind = random.next(100)
        if kind < 3 { return .unavailable }
        if kind < 10, answer.status == 200 { answer.announcesLength = false }
        guard let part = answer.part else { return answer }
        switch kind {
        case 3..<6: return .whole(file, lifetime, asked: true)
        case 6..<9:
            var short = OriginAnswer.part(part.lowerBound..<(part.lowerBound + 1 + part.count / 2), of: file, lifetime)
            if short.part != part { short.trouble = .short }
            return short
        case 9..<11:
            var wrong = OriginAnswer.unsatisfiable(file)
            wrong.trouble = .unsatisfiable
            return wrong
        case 11..<18:
            let asked = open[index].asked
            return .lie(random.next(7), about: part, asked: asked.range ?? "", of: file, lifetime, asked.order)
        default: return answer
        }
    }

    private func begin(_ index: Int, with answer: OriginAnswer) {
        let (site, asked) = (open[index].site, open[index].asked)
        let file = sites[site].model.current
        note(
            "exchange \(asked.order): \(answer.status) \(answer.lines.map { "\($0.0): \($0.1)" }.joined(separator: "; "))"
        )
        if let trouble = answer.trouble { sites[site].model.note(trouble, in: asked, at: proxy.now) }
        if answer.status == 304 {
            sites[site].model.validates(asked, file, at: proxy.now)
        } else if answer.status == 416 {
            sites[site].model.refuses(file)
        } else if answer.isOfFile {
            // A whole that is cut is a part.
            let range = answer.status == 200 ? 0..<file.bytes.count : answer.part
            sites[site].model.begins(asked, file, range, at: proxy.now)
            open[index].file = file
        }
        open[index].answer = answer
        let length = answer.announcesLength && answer.status != 304 ? Int64(open[index].announced) : nil
        open[index].exchange.head(answer.status, answer.lines, length: length)
        if open[index].content.isEmpty {
            let ended = open.remove(at: index)
            if !ended.exchange.isCancelled { ended.exchange.end() }
        }
        run()
    }

    // MARK: Content

    /// Sends so many bytes more, then ends or breaks if it is time for that.
    private func send(_ index: Int, _ count: Int) {
        let content = open[index].content
        let end = open[index].cut ?? content.count
        let start = open[index].sent
        let stop = min(end, start + min(count, open[index].exchange.credit, content.count))
        if stop > start {
            emptyCuts[open[index].asked.request.number] = 0
            open[index].sent = stop
            let (exchange, number) = (open[index].exchange, open[index].asked.order)
            note("exchange \(number): bytes \(start) to \(stop) of \(content.count)")
            exchange.content(Array(content[start..<stop]))
            if stop < end { return }
            run()
            // It may have been cancelled, as it is not needed any more.
            guard index < open.count, open[index].exchange === exchange else { return }
        }
        if stop < end { return }
        let ended = open.remove(at: index)
        if ended.cut != nil { return breakOff(ended) }
        note("exchange \(ended.asked.order) ends")
        if let file = ended.file, ended.answer?.status == 200 || ended.answer?.part != nil {
            sites[ended.site].model.completes(ended.asked, file, ended.answer?.part)
        }
        ended.exchange.end()
    }

    private func breakOff(_ broken: Open) {
        note("exchange \(broken.asked.order) breaks")
        noteCut(broken)
        broken.exchange.fail(.responseIncomplete)
    }

    /// Notes whether clients may notice that an exchange broke: it can be gone on with under a strong tag.
    private func noteCut(_ broken: Open) {
        let number = broken.asked.request.number
        self.broken[number] = min(self.broken[number] ?? .max, broken.asked.root)
        if broken.sent == 0 { emptyCuts[number, default: 0] += 1 }
        let canGoOn =
            !broken.asked.isPass && emptyCuts[number, default: 0] < 4
            && (broken.asked.isResumed && broken.answer?.trouble == nil
                || broken.file?.isStrong ?? false && broken.answer?.announcesLength ?? false
                    && (broken.answer?.status == 200 || broken.answer?.part != nil))
        if !canGoOn { sites[broken.site].model.note(.failure, at: proxy.now) }
    }
}

extension PartSequence.Open {
    /// The bytes to send; none for HEAD.
    var content: [UInt8] { asked.request.isHead ? [] : answer?.content ?? [] }
    /// The length to announce, also for HEAD.
    var announced: Int { answer?.content.count ?? 0 }
}

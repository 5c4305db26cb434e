/// What clients do, and what they get.
extension PartSequence {
    func requestSomething(_ site: Int) {
        let file = sites[site].model.current
        let tag = random.chance(70) ? file.tag : sites[site].model.files[random.next(file.number + 1)].tag
        let range = random.chance(80) ? random.range(of: file.bytes.count) : nil
        let kind = random.next(100)
        ask(site) { request in
            request.range = range
            switch kind {
            case 0..<4: request.isHead = true
            case 4..<7: request.isReload = true
            case 7..<15: request.ifRange = range == nil ? nil : tag
            case 15..<19: request.ifNoneMatch = tag
            default: break
            }
        }
    }

    func ask(_ site: Int, _ change: (inout ReferenceRequest) -> Void) {
        let number = requests.count + 1
        var request = ReferenceRequest(number: number, order: sites[site].model.next(), time: proxy.now)
        change(&request)
        requests[number] = (site, request)
        note("client \(number): \(request.text) \(sites[site].path)")
        let connection = idle.popLast().flatMap { $0.isOpen ? $0 : nil } ?? QuietConnection(proxy.path)
        connection.send(request.message(to: sites[site].path))
        clients.append((site, QuietClient(request, connection)))
        run()
    }

    func leave() {
        guard !clients.isEmpty else { return }
        let (site, client) = clients.remove(at: random.next(clients.count))
        note("client \(client.request.number) leaves")
        if var reply = client.partialReply, reply.status >= 200, client.reply == nil {
            reply.isCut = true
            judge(reply, to: client.request, site, isLeaving: true)
        }
        client.leave()
    }

    func judge(_ reply: ReferenceReply, to request: ReferenceRequest, _ site: Int, isLeaving: Bool = false) {
        note("client \(request.number) gets \(reply.status) of \(reply.number ?? -1) \(reply.text)")
        if !reply.isCut { answers += 1 }
        let objection = sites[site].model.objection(
            to: request,
            getting: reply,
            by: sites[site].causes,
            isLeaving: isLeaving
        )
        if let objection { forbid("client \(request.number) gets \(objection)") }
    }

    /// For people: what the proxy has in memory.
    func noteStored() {
        for site in sites {
            let variants = proxy.resource(site.path)?.snapshot.variants.map { stored in
                "\(stored.fields.text(of: .etag) ?? "") \(stored.extent?.text ?? "whole") by load \(stored.loadNumber)"
            }
            let text = "stored \(site.path): \(variants?.joined(separator: "; ") ?? "")"
            if shown[site.path] != text { note(text) }
            shown[site.path] = text
        }
    }
}

import HTTPCore

/// Entry point of libFuzzer.
///
/// The first byte chooses the request's method and where the input is cut; a head that was read and is written again
/// must be read as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let method = [Method.get, .head, .connect, .post][Int(start[0] & 3)]
    let (whole, head) = parse(bytes, method, cuts: [])
    let (parts, otherHead) = parse(bytes, method, cuts: [min(Int(start[0]), bytes.count)])
    let (dribbled, _) = parse(bytes, method, cuts: bytes.count <= 512 ? Array(0..<bytes.count) : [])
    precondition(whole == parts && whole == dribbled, "the result depends on the pieces")
    if case .complete = whole {
        precondition(head.fields == otherHead.fields && head.framing == otherHead.framing)
        checkRoundTrip(head, method)
    }
    checkValues(bytes)
    return 0
}

private func parse(_ bytes: [UInt8], _ method: Method, cuts: [Int]) -> (ParseResult, ResponseHead) {
    var parser = ResponseParser(requestMethod: method)
    var head = ResponseHead(status: 200)
    for cut in cuts + [bytes.count] {
        let result = parser.parse(bytes.span.extracting(0..<cut), into: &head)
        if result != .needMore { return (result, head) }
    }
    return (.needMore, head)
}

private func checkRoundTrip(_ head: ResponseHead, _ method: Method) {
    var fields = head.fields
    HopByHop.strip(response: &fields)
    var output: [UInt8] = []
    HeadSerializer.appendResponse(
        status: head.status,
        reason: head.reason,
        fields: fields,
        framing: head.framing,
        to: &output
    )
    let (result, again) = parse(output, method, cuts: [])
    precondition(result == .complete(consumed: output.count), "what is written cannot be read")
    precondition(again.status == head.status && again.framing == head.framing)
    fields.remove(.contentLength)
    var fieldsAgain = again.fields
    fieldsAgain.remove(.contentLength)
    fieldsAgain.remove(.transferEncoding)
    precondition(fields == fieldsAgain, "the fields changed")
    var prepared: [UInt8] = []
    PreparedHead(status: head.status, reason: head.reason, fields: fields, framing: head.framing)
        .append(to: &prepared, age: 1, ttl: 1)
    precondition(parse(prepared, method, cuts: []).0 == .complete(consumed: prepared.count))
}

/// The readers of single values, on the same bytes.
private func checkValues(_ bytes: [UInt8]) {
    _ = HTTPDate(parsing: bytes, now: HTTPDate(seconds: 1_700_000_000))
    _ = MediaType(bytes)
    _ = EntityTag(bytes)
    _ = ListMembers.ranges(in: bytes.span)
    _ = Token.unquoted(bytes.span)
    _ = IPAddress(host: bytes.span)
    if let uri = try? TargetURI(parsing: bytes) { precondition((try? TargetURI(parsing: uri.bytes)) == uri) }
    if let base = try? TargetURI(parsing: "http://a.example/b/c?d"), let uri = base.resolving(bytes) {
        precondition((try? TargetURI(parsing: uri.bytes)) == uri)
    }
    var fields = Fields()
    fields.append(.via, bytes)
    _ = Via(instance: [0x61]).isMember(of: fields)
}

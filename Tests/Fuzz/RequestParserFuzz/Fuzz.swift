import HTTPCore

/// Entry point of libFuzzer.
///
/// The first byte chooses where the input is cut. What is read must not depend on the cut, and a head that was read and
/// is written again must be read as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let (whole, head) = parse(bytes, cuts: [])
    let cut = min(Int(start[0]), bytes.count)
    let (parts, otherHead) = parse(bytes, cuts: [cut])
    let (dribbled, _) = parse(bytes, cuts: bytes.count <= 512 ? Array(0..<bytes.count) : [bytes.count / 2])
    precondition(whole == parts && whole == dribbled, "the result depends on the pieces")
    if case .complete(let consumed) = whole {
        precondition(consumed <= bytes.count)
        precondition(head.fields == otherHead.fields && head.parts == otherHead.parts, "the head depends on the pieces")
        checkRoundTrip(head)
    }
    return 0
}

private func parse(_ bytes: [UInt8], cuts: [Int]) -> (ParseResult, RequestHead) {
    var parser = RequestParser()
    var head = RequestHead()
    for cut in cuts + [bytes.count] {
        let result = parser.parse(bytes.span.extracting(0..<cut), into: &head)
        if result != .needMore { return (result, head) }
    }
    return (.needMore, head)
}

/// Writes the head as it would be forwarded and reads it again.
private func checkRoundTrip(_ head: RequestHead) {
    guard !head.parts.host.isEmpty else { return }
    let target = head.targetURI
    guard let reparsed = try? TargetURI(parsing: target.bytes) else { preconditionFailure("not canonical") }
    precondition(reparsed == target, "the canonical form changes when it is read again")
    var key: [UInt8] = []
    head.appendCanonicalTarget(of: head.parts, to: &key)
    precondition(key == target.bytes, "the two ways to the canonical form differ")
    if case .parts(let parts) = head.prefixTarget() { _ = head.targetURI(of: parts) }
    var fields = head.fields
    HopByHop.strip(request: &fields)
    var output: [UInt8] = []
    let form: HeadSerializer.RequestForm =
        head.form == .authority ? .authority : head.form == .asterisk ? .asterisk : .origin
    HeadSerializer.appendRequest(head.method, target, form: form, fields: fields, framing: head.framing, to: &output)
    let (result, again) = parse(output, cuts: [])
    precondition(result == .complete(consumed: output.count), "what is written cannot be read")
    precondition(again.method == head.method && again.form == (head.form == .absolute ? .origin : head.form))
    let framing = head.framing == .none && head.method.definesContent ? Framing.length(0) : head.framing
    precondition(again.framing == framing, "the framing changed")
    precondition(form == .authority || form == .asterisk || again.targetURI.path == target.path)
    fields.remove(.host)
    fields.remove(.contentLength)
    var fieldsAgain = again.fields
    fieldsAgain.remove(.host)
    fieldsAgain.remove(.contentLength)
    fieldsAgain.remove(.transferEncoding)
    precondition(fields == fieldsAgain, "the fields changed")
}

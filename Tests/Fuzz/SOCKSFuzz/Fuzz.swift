import HTTPCore

@testable import HTTPServer

/// Entry point of libFuzzer: what a client of SOCKS5 sends before the bytes for its target.
///
/// The first byte chooses where the input is cut; pieces must make no difference.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let whole = run(bytes, borders: [bytes.count])
    let border = min(Int(start[0]), bytes.count)
    precondition(whole == run(bytes, borders: [border, bytes.count]), "the result depends on the pieces")
    guard bytes.count <= 600 else { return 0 }
    precondition(whole == run(bytes, borders: Array(0...bytes.count)), "the result depends on the pieces")
    if let target = whole.target { check(target) }
    return 0
}

/// How an opening went.
private struct Course: Equatable {
    var sent: [UInt8] = []
    var used = 0
    var target: SOCKSTarget?
    var fault: SOCKSFault?
}

private func run(_ bytes: [UInt8], borders: [Int]) -> Course {
    var handshake = SOCKSHandshake(.open)
    var course = Course()
    for border in borders {
        reading: while true {
            switch handshake.receive(bytes.span.extracting(course.used..<border)) {
            case .needMore:
                precondition(border - course.used < 262, "more is asked for than a message has")
                break reading
            case .answer(let consumed, let send):
                precondition(consumed > 0 && course.used + consumed <= border, "it takes more than there is")
                course.used += consumed
                course.sent += send
            case .connect(let consumed, let target):
                precondition(course.used + consumed <= border, "it takes more than there is")
                course.used += consumed
                course.target = target
                return course
            case .failed(let fault):
                course.fault = fault
                return course
            }
        }
    }
    return course
}

/// A target becomes a CONNECT to the same authority, with one field, or nothing.
private func check(_ target: SOCKSTarget) {
    guard let head = RequestHead(connectingTo: target) else { return }
    let authority = target.host + Array(":\(target.port)".utf8)
    precondition(head.form == .authority && head.method == .connect && head.target == authority, "another target")
    precondition(head.fields.lines.count == 1 && head.isWithoutContent, "a name brought fields")
}

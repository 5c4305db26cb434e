import HTTPCore
import TransportSecurity

@testable import Eventing

/// Entry point of libFuzzer: what is read before a connection is what it was made for, namely the answers of parent
/// proxies and a client's hello.
///
/// The first byte chooses the reader and where the input is cut; pieces must make no difference.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let border = min(Int(start[0] >> 2), bytes.count)
    let login = ParentProxy.Login(user: [0x61], password: [0x62])
    switch start[0] & 3 {
    case 0:
        let parent = ParentProxy(.http, host: [0x70], port: 3128)
        check(TunnelDialogue(host: [0x61], port: 443, parent: parent, via: Fields()), bytes, border)
    case 1: check(SOCKSDialogue(.name([0x61]), port: 443, login: nil), bytes, border)
    case 2: check(SOCKSDialogue(.name([0x61]), port: 443, login: login), bytes, border)
    default: checkHello(bytes, border)
    }
    return 0
}

/// How a dialogue went.
private struct Course: Equatable {
    var sent: [[UInt8]] = []
    /// Bytes it used up until the connection is the target's.
    var used: Int?
    var fault: ParentFault?
}

private func check(_ dialogue: any ParentDialogue, _ bytes: [UInt8], _ border: Int) {
    let whole = run(dialogue, bytes, borders: [bytes.count])
    precondition(whole == run(dialogue, bytes, borders: [border, bytes.count]), "the result depends on the pieces")
    guard bytes.count <= 512 else { return }
    precondition(whole == run(dialogue, bytes, borders: Array(0...bytes.count)), "the result depends on the pieces")
}

/// Shows the input up to each border in turn, what is not used up again each time, as a stream does.
private func run(_ start: any ParentDialogue, _ bytes: [UInt8], borders: [Int]) -> Course {
    var dialogue = start
    var course = Course(sent: [dialogue.begin()])
    var used = 0
    for border in borders {
        reading: while true {
            switch dialogue.receive(bytes.span.extracting(used..<border)) {
            case .needMore: break reading
            case .goOn(let consumed, let send):
                precondition(consumed > 0 && used + consumed <= border, "it goes on without having taken anything")
                used += consumed
                if !send.isEmpty { course.sent.append(send) }
            case .done(let consumed):
                precondition(used + consumed <= border, "it takes more than there is")
                course.used = used + consumed
                return course
            case .failed(let fault):
                course.fault = fault
                return course
            }
        }
    }
    return course
}

/// Fewer bytes tell the same, or that more are needed, and never more than are there once they tell something.
private func checkHello(_ bytes: [UInt8], _ border: Int) {
    let whole = ClientHello.read(bytes.span)
    switch ClientHello.read(bytes.span.extracting(0..<border)) {
    case .incomplete(let needs): precondition(needs > border, "what is there is asked for")
    case let part: precondition(part == whole, "more bytes tell something else")
    }
}

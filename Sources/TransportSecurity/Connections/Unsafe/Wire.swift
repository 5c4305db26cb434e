import COpenSSL

/// What OpenSSL uses in place of a socket: bytes lent for one call, and an array for output.
///
/// So the caller does the input and output, with buffers that many connections share.
@safe
struct Wire {
    /// Bytes of the peer; valid only during one call of OpenSSL.
    var input: UnsafePointer<UInt8>?
    /// How many of them are left.
    var left = 0
    /// Bytes for the peer.
    var output: [UInt8] = []
    /// How many of them are sent.
    var sent = 0
}

extension Wire {
    /// Makes a BIO over `wire`, which must outlive it.
    static func makeBIO(_ wire: UnsafeMutablePointer<Wire>) -> OpaquePointer? {
        guard let method = unsafe method.raw, let bio = unsafe BIO_new(method) else { return nil }
        unsafe BIO_set_data(bio, wire)
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    private static let method = Method()

    /// `@unchecked Sendable`: it never changes.
    @safe
    private final class Method: @unchecked Sendable {
        let raw: OpaquePointer?

        init() {
            let made = unsafe BIO_meth_new(Int32(BIO_TYPE_SOURCE_SINK), "respite")
            unsafe raw = made
            guard let made = unsafe made else { return }
            unsafe BIO_meth_set_read(made, wireRead)
            unsafe BIO_meth_set_write(made, wireWrite)
            unsafe BIO_meth_set_ctrl(made, wireControl)
        }
    }
}

private func wire(of bio: OpaquePointer?) -> UnsafeMutablePointer<Wire>? {
    unsafe BIO_get_data(bio)?.assumingMemoryBound(to: Wire.self)
}

private func wireRead(bio: OpaquePointer?, buffer: UnsafeMutablePointer<CChar>?, count: Int32) -> Int32 {
    guard let wire = unsafe wire(of: bio), let buffer = unsafe buffer, count > 0 else { return -1 }
    unsafe respite_bio_clear_retry(bio)
    let taken = unsafe min(Int(count), wire.pointee.left)
    guard taken > 0, let input = unsafe wire.pointee.input else {
        unsafe respite_bio_set_retry_read(bio)
        return -1
    }
    unsafe UnsafeMutableRawPointer(buffer).copyMemory(from: input, byteCount: taken)
    unsafe wire.pointee.input = input + taken
    unsafe wire.pointee.left -= taken
    return Int32(taken)
}

private func wireWrite(bio: OpaquePointer?, buffer: UnsafePointer<CChar>?, count: Int32) -> Int32 {
    guard let wire = unsafe wire(of: bio), let buffer = unsafe buffer, count > 0 else { return -1 }
    unsafe respite_bio_clear_retry(bio)
    if unsafe wire.pointee.sent > 0 && wire.pointee.sent == wire.pointee.output.count {
        unsafe wire.pointee.output.removeAll(keepingCapacity: true)
        unsafe wire.pointee.sent = 0
    }
    unsafe wire.pointee.output.append(contentsOf: UnsafeRawBufferPointer(start: buffer, count: Int(count)))
    return count
}

private func wireControl(_: OpaquePointer?, command: Int32, _: Int, _: UnsafeMutableRawPointer?) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}

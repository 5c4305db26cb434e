import COpenSSL

/// Owns a BIO in memory.
@safe
struct MemoryBIO: ~Copyable {
    let raw: OpaquePointer?

    init() { unsafe raw = BIO_new(BIO_s_mem()) }

    init(_ bytes: [UInt8]) {
        self.init()
        unsafe BIO_write(raw, bytes, Int32(clamping: bytes.count))
    }

    deinit { unsafe BIO_free(raw) }

    /// Its content.
    var bytes: [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe respite_bio_bytes(raw, &start)
        guard let start = unsafe start, count > 0 else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}

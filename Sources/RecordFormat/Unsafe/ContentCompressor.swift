import CZstd

/// Compresses contents with zstd, one after another; used on one thread at a time.
@safe
package final class ContentCompressor {
    /// Level 3 would take a fifth more time to save a twentieth of the space.
    private static let level: Int32 = 1

    private let context: OpaquePointer?
    /// The buffer for frames; it grows to what the longest content so far may need.
    private var room: [UInt8] = []

    package init() {
        unsafe context = ZSTD_createCCtx()
        if let context = unsafe context {
            unsafe _ = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.level)
        }
    }

    deinit { unsafe _ = ZSTD_freeCCtx(context) }

    /// The content as one frame of zstd; nil if that is not at least a fifth smaller.
    package func compress(_ content: [UInt8]) -> [UInt8]? {
        guard let context = unsafe context else { return nil }
        let bound = ZSTD_compressBound(content.count)
        if room.count < bound { room = [UInt8](repeating: 0, count: bound) }
        let count = unsafe room.withUnsafeMutableBytes { target in
            unsafe content.withUnsafeBytes { source in
                unsafe ZSTD_compress2(context, target.baseAddress, target.count, source.baseAddress, source.count)
            }
        }
        return ZSTD_isError(count) == 0 && count * 5 <= content.count * 4 ? Array(room[..<count]) : nil
    }
}

/// Restores content that a `ContentCompressor` made smaller; used on one thread at a time.
@safe
package final class ContentRestorer {
    private let context: OpaquePointer?

    package init() { unsafe context = ZSTD_createDCtx() }

    deinit { unsafe _ = ZSTD_freeDCtx(context) }

    /// The `count` bytes in a frame of zstd; nil if it is damaged, or has fewer or more.
    ///
    /// Uses no more memory than `count` bytes, whatever size the frame claims.
    package func restore(_ frame: [UInt8], count: Int) -> [UInt8]? {
        guard let context = unsafe context, count > 0 else { return nil }
        let content = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let made = unsafe frame.withUnsafeBytes {
                unsafe ZSTD_decompressDCtx(context, buffer.baseAddress, count, $0.baseAddress, $0.count)
            }
            filled = ZSTD_isError(made) == 0 ? min(made, count) : 0
        }
        return content.count == count ? content : nil
    }
}

import COpenSSL

/// OpenSSL's errors on this thread.
enum ErrorQueue {
    static func clear() { ERR_clear_error() }

    /// Returns the first error's description, such as "no shared cipher", and empties the queue.
    static func takeDescription() -> String {
        let code = ERR_get_error()
        defer { ERR_clear_error() }
        return description(of: code)
    }

    /// Returns the first error as a `TLSError`, and empties the queue.
    static func takeTLSError() -> TLSError {
        let code = ERR_get_error()
        defer { ERR_clear_error() }
        guard code != 0 else { return TLSError(.protocolFault("OpenSSL gives no reason")) }
        let reason = respite_err_reason(code)
        if respite_err_library(code) == ERR_LIB_SSL, reason >= 1000, reason < 1256 {
            return TLSError(.alert(UInt8(truncatingIfNeeded: reason - 1000)))
        }
        return TLSError(.protocolFault(description(of: code)))
    }

    private static func description(of code: UInt) -> String {
        guard let text = unsafe ERR_reason_error_string(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}

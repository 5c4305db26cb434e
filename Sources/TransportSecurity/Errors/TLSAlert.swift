/// The alerts of TLS (RFC 8446 §6), by number.
public enum TLSAlert {
    /// The name in the RFC, such as `handshake_failure`.
    public static func name(_ number: UInt8) -> String { names[number] ?? "alert_\(number)" }

    /// Whether a client refuses a certificate by this alert: `bad_certificate`, `certificate_unknown` or `unknown_ca`.
    public static func refusesCertificate(_ number: UInt8) -> Bool { number == 42 || number == 46 || number == 48 }

    static func sentence(_ number: UInt8) -> String {
        let name = name(number)
        switch number {
        case 40: return "it refused the TLS handshake (\(name)): no cipher or key in common, or it wants a certificate"
        case 70: return "it refused the TLS versions 1.2 and 1.3 (\(name))"
        case 71: return "it demands stronger ciphers (\(name))"
        case 112: return "it knows no site of this name (\(name))"
        case 116:
            return "it demands a client certificate (\(name)); set `client-certificate` of the "
                + "service, or, where its clients are intercepted, list it in `intercept.pass-through`"
        case 42, 43, 44, 45, 46, 48, 49: return "it does not accept our client certificate (\(name))"
        case 120: return "it does not speak HTTP/1.1 over TLS (\(name))"
        default: return "it ended the TLS connection by the alert \(name)"
        }
    }

    private static let names: [UInt8: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 22: "record_overflow",
        40: "handshake_failure", 42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked",
        45: "certificate_expired", 46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca",
        49: "access_denied", 50: "decode_error", 51: "decrypt_error", 70: "protocol_version",
        71: "insufficient_security", 80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled",
        100: "no_renegotiation", 109: "missing_extension", 110: "unsupported_extension", 112: "unrecognized_name",
        113: "bad_certificate_status_response", 115: "unknown_psk_identity", 116: "certificate_required",
        120: "no_application_protocol",
    ]
}

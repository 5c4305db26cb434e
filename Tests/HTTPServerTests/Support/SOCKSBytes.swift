/// Messages of a client of SOCKS5.
enum SOCKSBytes {
    static let greeting: [UInt8] = [5, 1, 0]
    static let accepted: [UInt8] = [5, 0]
    static let succeeded = reply(0)

    static func reply(_ code: UInt8) -> [UInt8] { [5, code, 0, 1, 0, 0, 0, 0, 0, 0] }

    static func request(_ address: [UInt8], port: UInt16, command: UInt8 = 1) -> [UInt8] {
        [5, command, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }

    static func name(_ name: String) -> [UInt8] { [3, UInt8(name.utf8.count)] + Array(name.utf8) }
}

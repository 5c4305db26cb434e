/// Text from a peer, made safe for a message: short, and only visible ASCII.
package struct Quoted: CustomStringConvertible {
    package let description: String

    package init(_ bytes: [UInt8]) {
        let shown = bytes.prefix(40).map { (0x21..<0x7F).contains($0) && $0 != 0x60 ? $0 : 0x3F }
        description = "`" + String(decoding: shown, as: UTF8.self) + (bytes.count > 40 ? "…`" : "`")
    }
}

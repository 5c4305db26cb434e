/// A whole response.
struct Answer {
    var status: Int
    var fields: [(name: String, value: String)]
    var content: [UInt8]

    init?(_ bytes: [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        guard let split = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        let lines = String(decoding: bytes[..<split], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, let status = Int(first.split(separator: " ")[1]) else { return nil }
        self.status = status
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        content = Array(bytes[(split + 4)...])
    }

    subscript(name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }
    var text: String { String(decoding: content, as: UTF8.self) }
}

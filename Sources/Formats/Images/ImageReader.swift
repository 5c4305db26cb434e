/// Recognizes images by their first bytes and finds their size.
///
/// It checks every offset against the end of the bytes. An image that is cut off or contradicts itself is not
/// recognized.
struct ImageReader {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var format: ImageHeader.Format? {
        if starts("GIF87a") || starts("GIF89a") { return .gif }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if starts("RIFF"), has("WEBP", at: 8) { return .webp }
        if starts("BM") { return .bmp }
        if bytes.starts(with: [0, 0, 1, 0]) { return .ico }
        if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) { return .tiff }
        if has("ftyp", at: 4) {
            if has("avif", at: 8) || has("avis", at: 8) { return .avif }
            if ["heic", "heix", "hevc", "mif1", "msf1"].contains(where: { has($0, at: 8) }) { return .heif }
        }
        return nil
    }

    typealias Size = (width: Int, height: Int)

    func size(of format: ImageHeader.Format) -> Size? {
        switch format {
        case .gif: size(little(2, at: 6), little(2, at: 8))
        case .png: has("IHDR", at: 12) ? size(big(4, at: 16), big(4, at: 20)) : nil
        case .jpeg: jpegSize
        case .webp: webpSize
        case .bmp: bmpSize
        case .ico: icoSize
        case .tiff: tiffSize
        case .avif, .heif: heifSize
        }
    }

    // MARK: Formats

    /// The size in the first frame header.
    ///
    /// Each segment before it begins with a marker and its length.
    private var jpegSize: Size? {
        var at = 2
        while let lead = byte(at), let marker = byte(at + 1), lead == 0xFF {
            switch marker {
            case 0xFF: at += 1
            case 0x01, 0xD0...0xD8: at += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: return size(big(2, at: at + 7), big(2, at: at + 5))
            default:
                guard marker != 0xD9, marker != 0xDA, let length = big(2, at: at + 2), length >= 2 else { return nil }
                at += 2 + length
            }
        }
        return nil
    }

    private var webpSize: Size? {
        if has("VP8X", at: 12) { return size(little(3, at: 24).map { $0 + 1 }, little(3, at: 27).map { $0 + 1 }) }
        if has("VP8L", at: 12), byte(20) == 0x2F, let bits = little(4, at: 21) {
            return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        }
        if has("VP8 ", at: 12), byte(23) == 0x9D, byte(24) == 0x01, byte(25) == 0x2A {
            return size(little(2, at: 26).map { $0 & 0x3FFF }, little(2, at: 28).map { $0 & 0x3FFF })
        }
        return nil
    }

    private var bmpSize: Size? {
        guard let headerSize = little(4, at: 14) else { return nil }
        if headerSize == 12 { return size(little(2, at: 18), little(2, at: 20)) }
        guard headerSize >= 16 else { return nil }
        // The height is negative where the rows go from top to bottom.
        let height = little(4, at: 22).map { Int(Int32(truncatingIfNeeded: $0).magnitude) }
        return size(little(4, at: 18), height)
    }

    /// The size of the first image in the file.
    ///
    /// A byte of 0 means 256.
    private var icoSize: Size? {
        guard little(2, at: 4) ?? 0 > 0, bytes.count >= 22 else { return nil }
        return size(little(1, at: 6).map { $0 == 0 ? 256 : $0 }, little(1, at: 7).map { $0 == 0 ? 256 : $0 })
    }

    private var tiffSize: Size? {
        let isBig = byte(0) == 0x4D
        let number = { (count: Int, at: Int) in isBig ? big(count, at: at) : little(count, at: at) }
        guard let directory = number(4, 4), let entries = number(2, directory) else { return nil }
        var width: Int?
        var height: Int?
        for index in 0..<entries {
            let at = directory + 2 + 12 * index
            guard let tag = number(2, at), let type = number(2, at + 2) else { return nil }
            let value = number(type == 3 ? 2 : 4, at + 8)
            if tag == 256 { width = value }
            if tag == 257 { height = value }
        }
        return size(width, height)
    }

    /// The largest of the sizes in the file.
    ///
    /// Each is in an `ispe` box. These are near the start, so the first 64 KiB are searched.
    private var heifSize: Size? {
        var best: Size?
        var at = 8
        while at + 16 <= min(bytes.count, 65_536) {
            defer { at += 1 }
            guard bytes[at] == 0x69, has("ispe", at: at), let found = size(big(4, at: at + 8), big(4, at: at + 12))
            else {
                continue
            }
            if best.map({ $0.width < found.width }) ?? true { best = found }
        }
        return best
    }

    // MARK: Bytes

    private func size(_ width: Int?, _ height: Int?) -> Size? {
        guard let width, let height else { return nil }
        return (width, height)
    }

    private func byte(_ at: Int) -> UInt8? { bytes.indices.contains(at) ? bytes[at] : nil }

    private func starts(_ text: String) -> Bool { has(text, at: 0) }

    private func has(_ text: String, at start: Int) -> Bool {
        bytes.count >= start && bytes[start...].starts(with: text.utf8)
    }

    /// A big-endian number of up to four bytes.
    private func big(_ count: Int, at start: Int) -> Int? {
        guard count <= bytes.count - start else { return nil }
        return bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A little-endian number of up to four bytes.
    private func little(_ count: Int, at start: Int) -> Int? {
        guard count <= bytes.count - start else { return nil }
        return bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

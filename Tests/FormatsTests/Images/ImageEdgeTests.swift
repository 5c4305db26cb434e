import Formats
import Testing

/// Headers of images at the edges of what is recognized.
@Suite("Edges of image headers") struct ImageEdgeTests {
    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Format and size, or nothing.
    private static func size(_ bytes: [UInt8]) -> String { ImageHeader(bytes).map { "\($0)" } ?? "none" }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    @Test(
        "an image without width or height is none",
        arguments: [(0, 200), (1, 0), (0, 0), (1, 1)] as [(UInt8, UInt8)]
    )
    func empty(width: UInt8, height: UInt8) {
        let image = Self.size(Self.text("GIF89a") + [width, 0, height, 0])
        #expect(image == (width > 0 && height > 0 ? "gif image, 1×1" : "none"))
    }

    // MARK: JPEG

    private static func jpeg(_ segments: [UInt8]...) -> [UInt8] { [0xFF, 0xD8] + segments.flatMap { $0 } }
    /// A segment of 13 bytes, with 300 × 200 where a frame header has its size.
    private static func segment(_ marker: UInt8) -> [UInt8] {
        [0xFF, marker, 0, 11, 8, 0, 200, 1, 0x2C, 1, 1, 0x11, 0]
    }
    private static let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 20, 0, 30, 1, 1, 0x11, 0]

    @Test("of all segments of a JPEG only frame headers have the size; it is sought up to the first scan")
    func markers() {
        let frames: Set<UInt8> = [
            0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF,
        ]
        // Markers without a length, so that what follows here is no marker.
        let alone: Set<UInt8> = [0x01, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA]
        for marker in UInt8.min..<0xFF {
            let expected =
                frames.contains(marker) ? "jpeg image, 300×200" : alone.contains(marker) ? "none" : "jpeg image, 30×20"
            #expect(Self.size(Self.jpeg(Self.segment(marker), Self.frame)) == expected, "\(marker)")
        }
        for marker in alone {
            let isEnd = marker == 0xD9 || marker == 0xDA
            #expect(Self.size(Self.jpeg([0xFF, marker], Self.frame)) == (isEnd ? "none" : "jpeg image, 30×20"))
        }
    }

    @Test("a segment has at least the two bytes of its length", arguments: [(0, false), (1, false), (2, true)])
    func lengths(length: UInt8, isRight: Bool) {
        let size = Self.size(Self.jpeg([0xFF, 0xE0, 0, length], Self.frame))
        #expect(size == (isRight ? "jpeg image, 30×20" : "none"))
    }

    @Test("bytes between segments that are no marker end the search")
    func between() {
        #expect(Self.size(Self.jpeg([0xFF, 0xE0, 0, 2], [0], Self.frame)) == "none")
        #expect(Self.size(Self.jpeg([0xFF, 0xE0, 0, 2], [0xFF, 0xFF], Self.frame)) == "jpeg image, 30×20")
    }

    // MARK: Others

    @Test("sizes in WebP have 14 bits beside the scale, and odd ones come out whole")
    func webp() {
        let lossy = Self.text("RIFF") + Self.zeros(4) + Self.text("WEBPVP8 ") + Self.zeros(7) + [0x9D, 1, 0x2A]
        #expect(Self.size(lossy + [0x2D, 0x41, 201, 0xC0]) == "webp image, 301×201")
        #expect(Self.size(lossy + [0xFF, 0xFF, 0xFF, 0x3F]) == "webp image, 16383×16383")
        let lossless = Self.text("RIFF") + Self.zeros(4) + Self.text("WEBPVP8L") + Self.zeros(4) + [0x2F]
        #expect(Self.size(lossless + [0xFF, 0xFF, 0xFF, 0x0F]) == "webp image, 16384×16384")
        #expect(Self.size(lossless + [0, 0, 0, 0]) == "webp image, 1×1")
        for index in [8, 12, 20] {
            var other = lossless + [0, 0, 0, 0]
            other[index] = 0x78
            #expect(Self.size(other) == "none")
        }
        for index in 23..<26 {
            var other = lossy + [1, 0, 1, 0]
            #expect(Self.size(other) == "webp image, 1×1")
            other[index] ^= 1
            #expect(Self.size(other) == "none")
        }
    }

    @Test("a header of a bitmap has at least 16 bytes, or is the old one of 12", arguments: [11, 12, 15, 16, 40])
    func bmp(header: UInt8) {
        let start = Self.text("BM") + Self.zeros(12) + [header, 0, 0, 0]
        let sizes: [UInt8] = header == 12 ? [0x2C, 1, 1, 2] : [0x2C, 1, 0, 0, 1, 2, 0, 0]
        #expect(Self.size(start + sizes) == (header == 12 || header >= 16 ? "bmp image, 300×513" : "none"))
    }

    @Test("a PNG begins with its header")
    func png() {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let size: [UInt8] = [0, 0, 0, 30, 0, 0, 0, 20]
        #expect(Self.size(signature + [0, 0, 0, 13] + Self.text("IHDR") + size) == "png image, 30×20")
        for name in ["IDAT", "iHDR", "IHDS"] {
            #expect(Self.size(signature + [0, 0, 0, 13] + Self.text(name) + size) == "none")
        }
    }

    @Test("the size of a TIFF is in its first directory, in either order, among other entries")
    func tiff() {
        func entry(_ tag: UInt8, _ type: UInt8, _ value: UInt8) -> [UInt8] {
            [tag, 1, type, 0, 1, 0, 0, 0, value, 0, type == 3 ? 9 : 0, 0]
        }
        func image(_ entries: [UInt8]...) -> [UInt8] {
            [0x49, 0x49, 0x2A, 0, 10, 0, 0, 0, 7, 7, UInt8(entries.count), 0] + entries.flatMap { $0 }
        }
        let (width, height) = (entry(0, 3, 30), entry(1, 4, 20))
        #expect(Self.size(image(height, width)) == "tiff image, 30×20")
        #expect(Self.size(image(entry(2, 3, 1), width, entry(6, 4, 2), height)) == "tiff image, 30×20")
        #expect(Self.size(image(width, entry(2, 3, 1))) == "none")
        #expect(Self.size(Array(image(width, height, width).dropLast(9))) == "none")
    }

    @Test("an icon file has at least one image, whose entry is whole")
    func icon() {
        let icon: [UInt8] = [0, 0, 1, 0, 1, 0, 32, 0] + Self.zeros(14)
        #expect(Self.size(icon) == "ico image, 32×256")
        #expect(Self.size(Array(icon.dropLast())) == "none")
        #expect(Self.size([0, 0, 1, 0, 0, 0, 32, 32] + Self.zeros(14)) == "none")
        #expect(Self.size([0, 0, 1, 0, 1, 0, 1, 255] + Self.zeros(14)) == "ico image, 1×255")
    }

    private static func box(_ width: UInt8, _ height: UInt8) -> [UInt8] {
        text("ispe") + [0, 0, 0, 0, 0, 0, 0, width, 0, 0, 0, height]
    }

    private static func heif(_ brand: String) -> [UInt8] { [0, 0, 0, 24] + text("ftyp" + brand) + zeros(8) }

    @Test(
        "brands say which kind of image it is",
        arguments: [
            ("avif", "avif"), ("avis", "avif"), ("heic", "heif"), ("heix", "heif"), ("hevc", "heif"), ("mif1", "heif"),
            ("msf1", "heif"), ("mp42", nil),
        ] as [(String, String?)]
    )
    func brands(brand: String, format: String?) {
        #expect(Self.size(Self.heif(brand) + Self.box(30, 20)) == (format.map { "\($0) image, 30×20" } ?? "none"))
    }

    @Test("of several sizes the widest counts, of equally wide ones the first")
    func widest() {
        let head = Self.heif("avif")
        #expect(Self.size(head + Self.box(30, 20) + Self.box(60, 40)) == "avif image, 60×40")
        #expect(Self.size(head + Self.box(60, 40) + [1] + Self.box(30, 20)) == "avif image, 60×40")
        #expect(Self.size(head + Self.box(60, 40) + Self.box(60, 20)) == "avif image, 60×40")
    }

    @Test("sizes are sought in the first 64 KiB", arguments: [(65_519, true), (65_520, true), (65_521, false)])
    func reach(offset: Int, isFound: Bool) {
        let head = Self.heif("heic")
        let image = Self.size(head + Self.zeros(offset - head.count) + Self.box(30, 20) + Self.zeros(100))
        #expect(image == (isFound ? "heif image, 30×20" : "none"))
    }
}

import Formats
import TestSupport
import Testing

/// Format and size of images by their first bytes.
@Suite("Image headers") struct ImageHeaderTests {
    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// One of each, 300 × 200.
    private static let samples: [(ImageHeader.Format, [UInt8])] = [
        (.gif, text("GIF87a") + [0x2C, 1, 200, 0, 0]),
        (
            .png,
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + text("IHDR") + [
                0, 0, 1, 0x2C, 0, 0, 0, 200,
            ]
        ),
        // A comment and fill bytes before the frame header.
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xFE, 0, 4, 1, 2, 0xFF, 0xFF, 0xC2, 0, 11, 8, 0, 200, 1, 0x2C, 1, 1, 0x11, 0]),
        (
            .webp,
            text("RIFF") + [0, 0, 0, 0] + text("WEBPVP8X") + [10, 0, 0, 0, 0, 0, 0, 0] + [0x2B, 1, 0, 199, 0, 0]
        ),
        (
            .webp,
            text("RIFF") + [0, 0, 0, 0] + text("WEBPVP8L") + [9, 0, 0, 0, 0x2F]
                + [0x2B, 0xC1, 0x31, 0]
        ),
        (
            .webp,
            text("RIFF") + [0, 0, 0, 0] + text("WEBPVP8 ") + [9, 0, 0, 0, 0, 0, 0, 0x9D, 1, 0x2A]
                + [0x2C, 0x41, 200, 0x40]
        ),
        (.bmp, text("BM") + [UInt8](repeating: 0, count: 12) + [40, 0, 0, 0, 0x2C, 1, 0, 0, 0x38, 0xFF, 0xFF, 0xFF]),
        (.bmp, text("BM") + [UInt8](repeating: 0, count: 12) + [12, 0, 0, 0, 0x2C, 1, 200, 0]),
        (
            .tiff,
            [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 2, 0] + [0, 1, 3, 0, 1, 0, 0, 0, 0x2C, 1, 0, 0]
                + [1, 1, 4, 0, 1, 0, 0, 0, 200, 0, 0, 0]
        ),
        (
            .tiff,
            [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 2] + [1, 0, 0, 3, 0, 0, 0, 1, 1, 0x2C, 0, 0]
                + [1, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 200]
        ),
        (
            .avif,
            [0, 0, 0, 24] + text("ftypavif") + [UInt8](repeating: 0, count: 12) + [0, 0, 0, 20] + text("ispe")
                + [0, 0, 0, 0, 0, 0, 1, 0x2C, 0, 0, 0, 200]
        ),
    ]

    @Test("format and size are recognized (S-181)", arguments: samples.indices)
    func sizes(index: Int) throws {
        let (format, bytes) = Self.samples[index]
        let image = try #require(ImageHeader(bytes))
        #expect(image.format == format && image.width == 300 && image.height == 200)
        #expect("\(image)" == "\(format.rawValue) image, 300×200")
    }

    @Test("a size of 0 in an icon means 256 pixels (S-181)")
    func icon() throws {
        let bytes: [UInt8] = [0, 0, 1, 0, 1, 0, 0, 64] + [UInt8](repeating: 0, count: 14)
        let image = try #require(ImageHeader(bytes))
        #expect(image.format == .ico && image.width == 256 && image.height == 64)
    }

    @Test(
        "bytes that end before the size are no image, nor are bytes of unknown formats (S-181)",
        arguments: samples.indices
    )
    func cut(index: Int) {
        let bytes = Self.samples[index].1
        for count in 0..<bytes.count {
            // Nothing traps. The size is found with the last byte of it at the earliest.
            if let image = ImageHeader(Array(bytes.prefix(count))) { #expect(image.width == 300) }
        }
        #expect(ImageHeader(Array(bytes.dropFirst())) == nil)
    }

    @Test("each byte of a signature counts", arguments: samples.indices)
    func signatures(index: Int) {
        let (format, bytes) = Self.samples[index]
        let signature: Range<Int> =
            switch format {
            case .gif: 0..<6
            case .png: 0..<8
            case .jpeg: 0..<3
            case .webp, .ico, .tiff: 0..<4
            case .bmp: 0..<2
            case .avif, .heif: 4..<12
            }
        for place in signature {
            var other = bytes
            other[place] ^= 1
            #expect(ImageHeader(other) == nil, "\(place)")
        }
    }

    @Test("damaged headers are read without harm (S-181)")
    func damaged() {
        var random = FixedRandom(seed: 3)
        for (_, sample) in Self.samples {
            for _ in 0..<2000 {
                var bytes = sample
                for _ in 0...random.next(4) {
                    bytes[random.next(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
                }
                if let image = ImageHeader(bytes) { #expect(image.width > 0 && image.height > 0) }
            }
        }
    }
}

/// An image whose kind and size are known; its pixels are not decoded.
public struct ImageHeader: Sendable, Hashable {
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case gif, png, jpeg, webp, bmp, ico, tiff, avif, heif
    }

    public var format: Format
    /// In pixels, before any rotation that metadata asks for.
    public var width: Int
    public var height: Int
    /// The whole image as received.
    public var bytes: [UInt8]

    /// Reads format and size from the first bytes.
    ///
    /// Returns nil if the bytes do not begin an image of these formats, or end before its size.
    public init?(_ bytes: [UInt8]) {
        let reader = ImageReader(bytes)
        guard let format = reader.format, let size = reader.size(of: format) else { return nil }
        guard size.width > 0, size.height > 0 else { return nil }
        self.format = format
        width = size.width
        height = size.height
        self.bytes = bytes
    }
}

extension ImageHeader: CustomStringConvertible {
    public var description: String { "\(format.rawValue) image, \(width)×\(height)" }
}

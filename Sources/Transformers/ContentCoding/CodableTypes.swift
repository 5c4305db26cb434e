import HTTPCore

/// Decides which media types are worth a content coding.
enum CodableTypes {
    /// Whether a coding is likely to make content with this head smaller, judged by its type.
    ///
    /// Content without a type counts as application/octet-stream, which is usually an archive.
    static func gains(_ fields: Fields) -> Bool {
        guard let type = fields.withValue(of: .contentType, { MediaType($0) }) ?? nil else { return false }
        let essence = String(decoding: type.essence, as: UTF8.self)
        if plain.contains(essence) { return true }
        if compressed.contains(essence) || suffixes.contains(where: { essence.hasSuffix($0) }) { return false }
        return !families.contains { essence.hasPrefix($0) }
    }

    /// Types of the families below whose content is not compressed yet.
    private static let plain: Set = [
        "image/svg+xml", "image/bmp", "image/x-ms-bmp", "image/x-icon", "image/vnd.microsoft.icon", "audio/wav",
        "audio/x-wav", "font/ttf", "font/otf", "font/collection", "model/gltf+json",
    ]

    private static let families = [
        "image/", "video/", "audio/", "font/", "multipart/", "application/vnd.openxmlformats-officedocument.",
        "application/vnd.oasis.opendocument.",
    ]

    private static let suffixes = ["+zip", "+gzip", "+zstd"]

    private static let compressed: Set = [
        // An event stream must not be delayed.
        "text/event-stream",
        "application/octet-stream", "application/zip", "application/x-zip-compressed", "application/gzip",
        "application/x-gzip", "application/zstd", "application/x-xz", "application/x-bzip", "application/x-bzip2",
        "application/x-lzma", "application/x-lzip", "application/x-7z-compressed", "application/vnd.rar",
        "application/x-rar-compressed", "application/x-compress", "application/x-brotli",
        "application/x-gtar-compressed",
        "application/x-compressed-tar", "application/java-archive", "application/vnd.android.package-archive",
        "application/vnd.debian.binary-package", "application/x-debian-package", "application/x-deb",
        "application/x-rpm", "application/x-redhat-package-manager", "application/vnd.apple.installer+xml",
        "application/x-apple-diskimage", "application/pdf", "application/font-woff", "application/font-woff2",
        "application/x-font-woff", "application/ogg", "application/mp4", "application/x-shockwave-flash",
        "application/x-chrome-extension", "application/x-xpinstall", "application/vnd.ms-cab-compressed",
    ]
}

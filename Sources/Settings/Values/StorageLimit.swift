/// The largest size of the store: a size, or a share of the disk that holds it.
public struct StorageLimit: Sendable, Hashable {
    /// In force; for a share it is known once the disk has been asked.
    public var size: ByteCount
    /// Percent of the whole file system; nil: `size` is what the settings say.
    public var percent: Int?

    public init(_ size: ByteCount, percent: Int? = nil) {
        self.size = size
        self.percent = percent
    }

    public var bytes: Int { size.bytes }

    static let range = ByteCount.mebibytes(32)...ByteCount.gibibytes(1 << 20)

    /// Reads `80%`, from 1% to 100%.
    init?(percentText text: String) {
        guard text.hasSuffix("%"), let percent = Int(text.dropLast()), (1...100).contains(percent) else { return nil }
        self.init(.gibibytes(4), percent: percent)
    }
}

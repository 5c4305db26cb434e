public import HTTPCore

/// The media types that JSON transformers work on by default (S-179).
public enum JSONMediaTypes {
    /// `*/json` and `*/*+json`.
    public static let patterns = ["*/json", "*/*+json"].compactMap { MediaTypePattern($0) }
}

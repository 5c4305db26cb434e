/// Why a value on the shared server is of no use; it counts as missing.
enum RecordFault: Error, Equatable {
    /// It has another format, or is not ours.
    case foreign
    /// It is damaged: cut, changed, or with a wrong checksum.
    case broken
}

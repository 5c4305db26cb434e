import CDashboard

/// The files of the dashboard, which are a part of the program.
enum EmbeddedFiles {
    /// All files: their names and bytes.
    static func all() -> [(name: String, bytes: [UInt8])] {
        var files: [(name: String, bytes: [UInt8])] = []
        while let file = unsafe dashboard_file_at(files.count)?.pointee {
            let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
            files.append((unsafe String(cString: file.name), unsafe Array(bytes)))
        }
        return files
    }
}

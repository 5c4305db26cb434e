import LibC

/// Body files: drafts, and those on their shelves.
extension StoreDirectory {
    /// The number in the name of a body file; nil for any name that no store gives.
    private static func number(_ name: String) -> Int64? {
        Int64(name).flatMap { $0 > 0 && String($0) == name ? $0 : nil }
    }

    // MARK: Drafts

    /// Makes the file of a body that is being written; replaces a file from an earlier run.
    func makeDraft(_ file: Int64) throws(FileError) -> OpenFile {
        removeDraft(file)
        return try OpenFile("\(file)", in: spill, flags: OpenFile.createFlags)
    }

    func removeDraft(_ file: Int64) { spill.remove("\(file)") }

    /// The numbers of all drafts.
    var drafts: [Int64] { spill.names.compactMap(Self.number) }

    // MARK: Shelves

    private static func shelfName(_ byte: Int) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    /// The directory of the body files whose number has this low byte.
    private func shelf(_ byte: Int) throws(FileError) -> OpenDirectory {
        try OpenDirectory(Self.shelfName(byte), in: bodies)
    }

    private func shelf(of file: Int64) throws(FileError) -> OpenDirectory { try shelf(Int(file & 0xFF)) }

    /// What `du` counts for the directory, without the files in it.
    func usage(ofShelf byte: Int) -> Int64 { bodies.status(of: Self.shelfName(byte))?.usage ?? 0 }

    /// The numbers of the body files on one shelf.
    func files(onShelf byte: Int) -> [Int64] {
        guard let shelf = try? shelf(byte) else { return [] }
        return shelf.names.compactMap(Self.number).filter { Int($0 & 0xFF) == byte }
    }

    /// Moves a draft that has a row to its shelf.
    func moveToShelf(_ file: Int64) throws(FileError) {
        let shelf: OpenDirectory
        do throws(FileError) {
            shelf = try self.shelf(of: file)
        } catch {
            guard error.isMissing else { throw error }
            try bodies.makeDirectory(Self.shelfName(Int(file & 0xFF)))
            shelf = try self.shelf(of: file)
        }
        try rename(draft: file, to: shelf)
    }

    private func rename(draft file: Int64, to shelf: OpenDirectory) throws(FileError) {
        try spill.rename("\(file)", to: shelf, "\(file)")
        // If both were names of one file, the system has done nothing.
        removeDraft(file)
    }

    /// Makes a body on its shelf a name of another one, in one step: readers find either.
    ///
    /// Fails if one of them is not there, or the file system allows no further name.
    func replaceBody(_ file: Int64, byLinkTo other: Int64) throws(FileError) {
        let shelf = try shelf(of: file)
        guard shelf.status(of: "\(file)") != nil else { throw FileError(code: ENOENT) }
        try self.shelf(of: other).link("\(other)", to: spill, "\(file)")
        do {
            try rename(draft: file, to: shelf)
        } catch {
            removeDraft(file)
            throw error
        }
    }

    /// How many names the file of a body on its shelf has.
    func names(ofBody file: Int64) -> Int { (try? shelf(of: file))?.status(of: "\(file)")?.names ?? 0 }

    /// Removes a body from its shelf; returns whether it was there.
    @discardableResult
    func removeBody(_ file: Int64) -> Bool { (try? shelf(of: file))?.remove("\(file)") ?? false }

    /// Removes all body files; a draft that is being written stays readable, and gets no row.
    func removeAllBodies() {
        for shelf in 0..<256 {
            for file in files(onShelf: shelf) { removeBody(file) }
        }
        for file in drafts { removeDraft(file) }
    }

    /// Opens a body that has a row: it is on its shelf, or is being moved there.
    func openBody(_ file: Int64) throws(FileError) -> OpenFile {
        do {
            return try openOnShelf(file)
        } catch {
            if !error.isMissing { throw error }
        }
        do {
            return try OpenFile("\(file)", in: spill, flags: O_RDONLY)
        } catch {
            if !error.isMissing { throw error }
        }
        return try openOnShelf(file)
    }

    private func openOnShelf(_ file: Int64) throws(FileError) -> OpenFile {
        try OpenFile("\(file)", in: try shelf(of: file), flags: O_RDONLY)
    }
}

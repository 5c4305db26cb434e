/// Loads that are open while the origin changes its file.
extension PartSequence {
    /// Two loads begin with nothing stored, so that neither knows of the other; the file changes between their heads.
    ///
    /// Then a client asks for what both have brought, and all between.
    func changeAmidLoads(_ site: Int) {
        purge(site)
        let number = requests.count + 1
        let starts = [random.next(20), 30 + random.next(20)]
        for start in starts { ask(site) { $0.range = "bytes=\(start)-\(start + 5)" } }
        beginAnswer(to: number)
        addFile(to: site)
        beginAnswer(to: number + 1)
        for number in random.chance(50) ? [number, number + 1] : [number + 1, number] {
            finishAnswer(to: number)
            run()
        }
        ask(site) { $0.range = "bytes=\(starts[0])-\(starts[1] + 5)" }
    }
}

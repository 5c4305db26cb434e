import Platform
import Testing

@Suite struct DescriptorsTests {
    @Test("the limit on descriptors is raised to its hard value")
    func descriptorLimit() {
        let raised = Descriptors.raiseLimit()
        #expect(raised == Descriptors.limit)
        #expect(raised > 255)
    }
}

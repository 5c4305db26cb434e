/// Addresses at which clouds give a machine data about itself, often with credentials; never connected to (H-136).
///
/// Beside each is the document that names it. Those in 169.254/16 and fe80::/10 would also be refused as link-local;
/// this class names the real reason.
enum MetadataAddress {
    static func isKnown(v4 bits: UInt32) -> Bool { v4.contains(bits) }

    static func isKnown(v6 high: UInt64, _ low: UInt64) -> Bool {
        // fd00:ec2::/32, Amazon's services on its machines: data of the instance (::254), credentials of pods (::23).
        // docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
        high >> 32 == 0xFD00_0EC2 || v6.contains { $0.high == high && $0.low == low }
    }

    private static let v4: Set<UInt32> = [
        // 169.254.169.254: Amazon, Google, Azure, Oracle, Huawei, IBM, DigitalOcean, Hetzner, OpenStack and most
        // others. docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
        0xA9FE_A9FE,
        // 169.254.170.2, credentials of Amazon's tasks:
        // docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html
        0xA9FE_AA02,
        // 169.254.170.23, credentials of Amazon's pods:
        // docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-setup.html
        0xA9FE_AA17,
        // 169.254.0.23 and 169.254.10.10, Tencent: cloud.tencent.com/document/product/213/4934
        0xA9FE_0017, 0xA9FE_0A0A,
        // 169.254.42.42, Scaleway: docs.cloud-init.io/en/latest/reference/datasources/scaleway.html
        0xA9FE_2A2A,
        // 100.100.100.200, Alibaba: docs.cloud-init.io/en/latest/reference/datasources/aliyun.html
        0x6464_64C8,
        // 100.96.0.96, Volcano Engine: docs.byteplus.com/en/docs/ecs/viewing-instance-metadata
        0x6460_0060,
        // 168.63.129.16, Azure's host: learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
        0xA83F_8110,
        // 192.0.0.192, Oracle's classic machines: docs.oracle.com/en/cloud/iaas/compute-iaas-cloud/stcsg/
        0xC000_00C0,
    ]

    private static let v6: [(high: UInt64, low: UInt64)] = [
        // fd20:ce::254, Google: cloud.google.com/compute/docs/metadata/querying-metadata
        (0xFD20_00CE_0000_0000, 0x254),
        // fd00:c1::a9fe:a9fe, Oracle: docs.oracle.com/iaas/Content/Compute/Tasks/gettingmetadata.htm
        (0xFD00_00C1_0000_0000, 0xA9FE_A9FE),
        // fd00:100::100:200, Alibaba: alibabacloud.com/help/ecs/user-guide/view-instance-metadata
        (0xFD00_0100_0000_0000, 0x0100_0200),
        // fd00:42::42, Scaleway: docs.cloud-init.io/en/latest/reference/datasources/scaleway.html
        (0xFD00_0042_0000_0000, 0x42),
        // fd00:a9fe:a9fe::1, Akamai: docs.cloud-init.io/en/latest/reference/datasources/akamai.html
        (0xFD00_A9FE_A9FE_0000, 0x1),
        // fe80::a9fe:a9fe, OpenStack: docs.openstack.org/nova/latest/user/metadata.html
        (0xFE80_0000_0000_0000, 0xA9FE_A9FE),
    ]
}

// `import Respite` alone gives programs the model, and the values of the client's options.
@_exported public import struct Eventing.AddressPolicy
@_exported public import ResourceModel
@_exported public import struct TransportSecurity.TLSClientSettings
@_exported public import struct Transforms.TransformLimits
@_exported public import struct UpstreamClient.UpstreamLimits

// One import gives programs the model and the values of its interfaces.
@_exported public import Exchanges
@_exported public import struct Formats.ImageHeader
@_exported public import struct Formats.JSONNull
@_exported public import struct Formats.JSONSyntaxError
@_exported public import enum Formats.JSONText
@_exported public import enum Formats.TextEncoding
@_exported public import HTTPCore
@_exported public import ResourceCore
@_exported public import ResourceModel
@_exported public import Transforms

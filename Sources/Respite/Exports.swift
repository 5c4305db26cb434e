// One import gives programs the model and the values of its interfaces.
@_exported public import class EntityStorage.SQLiteEntityCache
@_exported public import Exchanges
@_exported public import HTTPCore
@_exported public import ResourceCore

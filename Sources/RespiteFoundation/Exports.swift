// `import RespiteFoundation` alone gives programs the model.
@_exported public import ResourceModel

// What a browser, a client or a document needs of the tools: no handler, no computing, no dictionary.
export * from "./access/scope.ts"
export * from "./tool/area.ts"
export * from "./tool/argument.ts"
export * from "./tool/catalogue.ts"
export * from "./tool/failure.ts"
export * from "./tool/result.ts"
export * from "./tool/specification.ts"
export * from "./tools/specifications.ts"

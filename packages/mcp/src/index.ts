export { makeMcpHttpHandler, type McpHttpHandler, type McpHttpHandlerOptions } from "./httpHandler.ts"
export { type BridgeOptions, makeServer, version } from "./makeServer.ts"
export { describeProgress } from "./messages.ts"
export * from "./service.ts"

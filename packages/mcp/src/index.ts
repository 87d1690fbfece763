export { type BridgeOptions, makeServer, version } from "./bridge.ts"
export { type HttpFace, type HttpFaceOptions, makeHttpFace } from "./httpFace.ts"
export { progressIn } from "./progress.ts"
export * from "./service.ts"

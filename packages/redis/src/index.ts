export { layerRedis, type RedisOptions, RedisUnavailable } from "./client.ts"
export { RedisRequestWindowStore, windowKey } from "./RedisRequestWindowStore.ts"

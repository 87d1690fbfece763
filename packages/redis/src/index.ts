export { layerRedis, type RedisOptions, RedisUnavailable } from "./client.ts"
export { checkRedis, RedisRequestWindowStore, windowKey } from "./RedisRequestWindowStore.ts"

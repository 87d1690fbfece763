export { layerRedis, type RedisOptions, RedisUnavailable } from "./client.ts"
export { checkRedis, RedisRateLimitStore, windowKey } from "./RedisRateLimitStore.ts"

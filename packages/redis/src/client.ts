import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Effect, Layer, Logger, Redacted, Schema } from "effect"
import { Redis, type RedisError } from "effect/persistence/Redis"
import { describe, named } from "./errors.ts"

export interface RedisOptions {
  /** `redis://user:password@host:port/database`, or `rediss://` for TLS. */
  readonly url: Redacted.Redacted | string
  /**
   * How often the connection is asked whether it still lives, and how long it may take to say so; 1 second by default.
   */
  readonly heartbeatMs?: number
}

/** The Redis server could not be reached at the start. */
export class RedisUnavailable extends Schema.TaggedError<RedisUnavailable>()("RedisUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The Redis server cannot be reached (${this.reason})`
  }
}

/** What the client logs of itself has an error with its stack, in many lines, and what it quotes: its name will do. */
const plainLogs = Layer.effect(
  Logger.CurrentLoggers,
  Effect.map(Logger.CurrentLoggers, (loggers) =>
    new Set([Logger.make((options) => {
      const parts = Array.isArray(options.message) ? options.message : [options.message]
      const message = parts.map((part: unknown) => part instanceof Error ? named(part) : String(part)).join(": ")
      for (const logger of loggers) logger.log({ ...options, message })
    })]))
)

const connectTimeoutMs = 5_000
const longestPauseMs = 1_000

/**
 * A client of a Redis server. The first connection must succeed. One that is lost, or does not answer its heartbeat,
 * is opened again, for as long as it takes; meanwhile commands fail at once instead of waiting in a line.
 */
export const layerRedis = (options: RedisOptions): Layer.Layer<Redis, RedisUnavailable> =>
  Layer.unwrap(Effect.sync(() => {
    const heartbeatMs = options.heartbeatMs ?? 1_000
    let reached = false
    const client = NodeRedis.layer({
      url: typeof options.url === "string" ? options.url : Redacted.value(options.url),
      disableOfflineQueue: true,
      socket: {
        connectTimeout: connectTimeoutMs,
        // Ends a handshake that is not answered.
        socketTimeout: 3 * heartbeatMs,
        reconnectStrategy: (retries) =>
          reached && Math.min(2 ** retries * 25, longestPauseMs) * (0.5 + Math.random() / 2)
      }
    })
    const watched = Layer.effect(
      Redis,
      Effect.gen(function*() {
        const redis = yield* Redis
        const { client, use } = yield* NodeRedis.NodeRedis
        reached = true
        const reopen = Effect.sync(() => {
          client.destroy()
          // It tries again by itself; what fails is told as the client's own error.
          client.connect().catch(() => undefined)
        })
        const beat = use((client) => client.ping()).pipe(
          Effect.timeoutOrElse({ duration: heartbeatMs, orElse: () => reopen }),
          // A connection that is known to be lost is being opened already.
          Effect.ignore
        )
        yield* Effect.sleep(heartbeatMs).pipe(Effect.andThen(beat), Effect.forever, Effect.forkScoped)
        // Closing would wait for answers that nobody waits for any more.
        yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
        return redis
      })
    )
    return watched.pipe(
      Layer.provide(Layer.provide(client, plainLogs)),
      Layer.catch((error: RedisError) =>
        Layer.effect(Redis, Effect.fail(new RedisUnavailable({ reason: describe(error) })))
      )
    )
  }))

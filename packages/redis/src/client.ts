import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Cause, Effect, Layer, Logger, Redacted, Schema } from "effect"
import { Redis, type RedisError } from "effect/persistence/Redis"
import { connectionLostError, describeError } from "./errors.ts"

export interface RedisOptions {
  /** The URL of the Redis server: `redis://user:password@host:port/database`, or `rediss://` for TLS. */
  readonly url: Redacted.Redacted | string
  /** The interval of the connection's heartbeat and the time limit of each heartbeat, in ms; 1,000 by default. */
  readonly heartbeatMs?: number
}

/** The Redis server could not be reached at startup. */
export class RedisUnavailable extends Schema.TaggedError<RedisUnavailable>()("RedisUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The Redis server cannot be reached (${this.reason})`
  }
}

/** Logs the first failure of each connection outage as a warning, and failed reconnects at the level Debug. */
const logOutages = (client: NodeRedis.NodeRedis["Service"]["client"]) =>
  Effect.map(Effect.context<never>(), (context) => {
    const run = Effect.runSyncWith(context)
    let isLost = false
    client.on("error", (error: unknown) => {
      const reason = describeError(error)
      run(
        isLost
          ? Effect.logDebug(`The connection to Redis is not open yet (${reason})`)
          : Effect.logWarning(`The connection to Redis failed (${reason})`, Cause.fail(connectionLostError))
      )
      isLost = !client.isReady
    })
    client.on("ready", () => {
      isLost = false
      run(Effect.logDebug("The connection to Redis is open again"))
    })
  })

const connectTimeoutMs = 5_000
const maxReconnectDelayMs = 1_000

/**
 * Creates the client of a Redis server. Fails if the first connection fails. If a connection is lost or does not answer
 * a heartbeat, the client retries until the connection is open. While the client reconnects, commands fail immediately
 * instead of waiting in a queue.
 */
export const layerRedis = (options: RedisOptions): Layer.Layer<Redis, RedisUnavailable> =>
  Layer.unwrap(Effect.sync(() => {
    const heartbeatMs = options.heartbeatMs ?? 1_000
    let hasConnected = false
    const client = NodeRedis.layer({
      url: typeof options.url === "string" ? options.url : Redacted.value(options.url),
      disableOfflineQueue: true,
      socket: {
        connectTimeout: connectTimeoutMs,
        // Ends a connection attempt whose handshake the server does not answer.
        socketTimeout: 3 * heartbeatMs,
        reconnectStrategy: (retries) =>
          hasConnected && Math.min(2 ** retries * 25, maxReconnectDelayMs) * (0.5 + Math.random() / 2)
      }
    })
    const monitored = Layer.effect(
      Redis,
      Effect.gen(function*() {
        const redis = yield* Redis
        const { client, use } = yield* NodeRedis.NodeRedis
        hasConnected = true
        yield* logOutages(client)
        const reconnect = Effect.sync(() => {
          client.destroy()
          // The client itself retries until it is connected, and reports each failed attempt as an error event.
          client.connect().catch(() => undefined)
        })
        const heartbeat = use((client) => client.ping()).pipe(
          Effect.timeoutOrElse({ duration: heartbeatMs, orElse: () => reconnect }),
          Effect.ignore
        )
        yield* Effect.sleep(heartbeatMs).pipe(Effect.andThen(heartbeat), Effect.forever, Effect.forkScoped)
        // The client is destroyed and not closed, because closing would wait for responses that nobody needs.
        yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
        return redis
      })
    )
    return monitored.pipe(
      // The log lines of the client are discarded, because they contain stacks and values and repeat during the whole
      // outage.
      Layer.provide(Layer.provide(client, Logger.layer([]))),
      Layer.catch((error: RedisError) =>
        Layer.effect(Redis, Effect.fail(new RedisUnavailable({ reason: describeError(error.cause) })))
      )
    )
  }))

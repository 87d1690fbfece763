import { assert, describe, it } from "@effect/vitest"
import { AccessChannel, layerPostgres, PgListener } from "@tapeline/postgres"
import { Effect, Layer, Queue, Stream } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { makeFreshDatabase } from "./support/databases.ts"

/** Creates a proxy whose connections stay open but pass no data after `freeze`. */
const freezable = (url: URL) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly freeze: () => void; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const proxy = createServer((near) => {
        const far = connect(Number(url.port), url.hostname)
        for (const [from, to] of [[near, far], [far, near]] as const) {
          sockets.add(from)
          from.on("error", () => to.destroy()).on("close", () => to.destroy()).pipe(to)
        }
      })
      proxy.listen(0, "127.0.0.1", () => {
        const address = proxy.address()
        resume(Effect.succeed({
          port: typeof address === "object" && address !== null ? address.port : 0,
          freeze: () => {
            for (const socket of sockets) socket.unpipe().pause()
          },
          close: () => {
            for (const socket of sockets) socket.destroy()
            proxy.close()
          }
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe("the channel of changes", () => {
  it.live("reports that it receives nothing while its server is silent, and recovers", () =>
    Effect.gen(function*() {
      const { url: direct } = yield* makeFreshDatabase
      const proxiedDatabase = yield* freezable(new URL(direct))
      const url = new URL(direct)
      url.port = String(proxiedDatabase.port)
      const heartbeatMs = 100
      yield* Effect.gen(function*() {
        const channel = yield* AccessChannel
        const connected = yield* Queue.unbounded<void>()
        yield* Effect.forkScoped(Stream.runForEach(channel.changes, () =>
          Effect.flatMap(channel.isReceiving, (isReceiving) =>
            isReceiving ? Queue.offer(connected, undefined) : Effect.void)))
        yield* Queue.take(connected)
        yield* Queue.clear(connected)
        proxiedDatabase.freeze()
        while (yield* channel.isReceiving) {
          yield* Effect.sleep(5)
        }
        yield* Queue.take(connected)
        assert.isTrue(yield* channel.isReceiving)
      }).pipe(
        Effect.provide(
          AccessChannel.layer.pipe(
            Layer.provide(PgListener.layer({ heartbeatMs })),
            // The sessions of the stores are also frozen, and end only with the statement timeout.
            Layer.provide(layerPostgres({ url: url.href, statementTimeoutMs: 500 }))
          )
        )
      )
    }))
})

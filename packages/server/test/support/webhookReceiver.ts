import { Effect, type Scope } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request that the receiver has received completely. */
export interface ReceivedMessage {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface WebhookReceiver {
  readonly port: number
  readonly url: string
  readonly messages: ReadonlyArray<ReceivedMessage>
  /** The number of accepted connections. */
  readonly connections: () => number
  /** Sets the responses to further messages. */
  readonly respondWith: (respond: Respond) => void
}

type Respond = (response: ServerResponse, count: number, request: IncomingMessage) => void

/** Starts an HTTP server on this machine that records all messages. The server responds with 204 by default. */
export const startReceiver: Effect.Effect<WebhookReceiver, never, Scope.Scope> = Effect.gen(function*() {
  const messages: Array<ReceivedMessage> = []
  let respond: Respond = (response) => void response.writeHead(204).end()
  let connections = 0
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("error", () => undefined)
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      messages.push({
        path: request.url!,
        headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
        body: Buffer.concat(chunks).toString("utf8")
      })
      respond(response, messages.length, request)
    })
  })
  server.on("connection", () => connections++)
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  // The server listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/hook?token=receiver-secret`,
    messages,
    connections: () => connections,
    respondWith: (next) => {
      respond = next
    }
  }
})

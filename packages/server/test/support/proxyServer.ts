import { Effect, type Scope } from "effect"
import { createServer, request as requestOf } from "node:http"
import { type AddressInfo, connect } from "node:net"
import type { Duplex } from "node:stream"
import { createServer as createTlsServer } from "node:tls"
import { makeCertificate } from "./certificate.ts"

export interface ProxiedRequest {
  /** The first line of the request, such as `CONNECT api.tapeline.test:443`, or a method and an absolute URL. */
  readonly line: string
  readonly authorization: string | undefined
}

export interface ProxyServer {
  readonly host: string
  readonly requests: ReadonlyArray<ProxiedRequest>
  /**
   * Makes the proxy respond to all further requests with a status. If `status` is undefined, the proxy forwards
   * requests again.
   */
  readonly rejectWith: (status: number | undefined) => void
}

const portOf = (server: { readonly address: () => AddressInfo | string | null }): number =>
  // The server listens on TCP, so its address has a port.
  (server.address() as AddressInfo).port

const closeServer = (server: { readonly close: (callback: () => void) => unknown }, sockets: ReadonlySet<Duplex>) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
  })

const pipeBoth = (first: Duplex, second: Duplex): void => {
  const end = () => {
    first.destroy()
    second.destroy()
  }
  for (const socket of [first, second]) socket.on("error", end).on("close", end)
  first.pipe(second).pipe(first)
}

/** Starts a TLS server for `*.tapeline.test` and 192.0.2.7, which forwards to a plain server on this machine. */
export const startTls = Effect.fnUntraced(function*(
  plainPort: number
): Effect.fn.Return<{ readonly port: number; readonly certificate: string }, never, Scope.Scope> {
  const certificate = makeCertificate("DNS:*.tapeline.test,IP:192.0.2.7")
  const sockets = new Set<Duplex>()
  const server = createTlsServer(certificate, (socket) => {
    sockets.add(socket)
    pipeBoth(socket, connect(plainPort, "127.0.0.1"))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => closeServer(server, sockets)
  )
  return { port: portOf(server), certificate: certificate.cert }
})

/**
 * Starts an HTTP proxy on this machine. The proxy sends all tunnels to one port, and all plain requests to another
 * port.
 */
export const startProxy = Effect.fnUntraced(function*(
  targetPorts: { readonly tunnels: number; readonly requests: number }
): Effect.fn.Return<ProxyServer, never, Scope.Scope> {
  const requests: Array<ProxiedRequest> = []
  const sockets = new Set<Duplex>()
  let rejectStatus: number | undefined
  const server = createServer((request, response) => {
    const { headers, method = "", url = "" } = request
    requests.push({ line: `${method} ${url}`, authorization: headers["proxy-authorization"] })
    if (rejectStatus !== undefined) return void response.writeHead(rejectStatus).end()
    const { pathname, search } = new URL(url)
    const forwardedRequest = requestOf(
      { host: "127.0.0.1", port: targetPorts.requests, method, path: pathname + search },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      }
    )
    forwardedRequest.on("error", () => response.destroy())
    request.pipe(forwardedRequest)
  })
  server.on("connection", (socket) => sockets.add(socket))
  server.on("connect", ({ headers, url }, socket) => {
    requests.push({ line: `CONNECT ${url}`, authorization: headers["proxy-authorization"] })
    socket.on("error", () => socket.destroy())
    if (rejectStatus !== undefined) return void socket.end(`HTTP/1.1 ${rejectStatus} No\r\ncontent-length: 0\r\n\r\n`)
    const target = connect(targetPorts.tunnels, "127.0.0.1")
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
    pipeBoth(socket, target)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => closeServer(server, sockets)
  )
  return {
    host: `127.0.0.1:${portOf(server)}`,
    requests,
    rejectWith: (status) => {
      rejectStatus = status
    }
  }
})

import type { SendResult } from "@tapeline/core"
import { isIPv6, type Socket } from "node:net"
import { Agent, buildConnector, request } from "undici"
import { openTunnel } from "../proxy/proxyConnections.ts"
import { type OutboundProxySettings, type Proxy, proxyFor } from "../proxy/proxySettings.ts"
import { receiverOf } from "./receiver.ts"

/** The maximum number of bytes of a response's body that are read and discarded. */
const maxBodyBytes = 65_536

/** The maximum time in ms for which a response's body is read. */
const bodyTimeoutMs = 1_000

interface ConnectionOptions {
  readonly proxies: OutboundProxySettings | undefined
  /** Certificates of authorities to trust instead of the default ones; used by tests. */
  readonly ca?: string | undefined
}

/** Connects to one of the checked addresses, and never looks up the name of the receiver. */
const connectDirectly = (addresses: ReadonlyArray<string>, options: object): buildConnector.connector =>
  buildConnector({
    ...options,
    lookup: (_, { all }, callback) => {
      const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
      if (all === true) callback(null, found)
      else callback(null, found[0]!.address, found[0]!.family)
    }
  })

/** Requests a proxy tunnel to a checked address, because the proxy might resolve the name to another address. */
const connectThroughProxy = (url: URL, proxy: Proxy, address: string, options: object): buildConnector.connector => {
  const connectTls = buildConnector(options)
  const target = `${isIPv6(address) ? `[${address}]` : address}:${receiverOf(url).port}`
  return (connection, callback) => {
    openTunnel(proxy, target).then(
      (tunnel) => {
        // The cast is correct, because a tunnel is the socket of the connection to the proxy.
        const socket = tunnel as Socket
        if (url.protocol === "https:") connectTls({ ...connection, httpSocket: socket }, callback)
        else callback(null, socket)
      },
      (error: Error) => callback(error, null)
    )
  }
}

/**
 * Sends one POST request on a connection of its own to one of the checked addresses. Follows no redirects. Returns when
 * the status is known and the body was discarded.
 */
export const sendRequest = async (
  { body, headers, timeoutMs, url: text }: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly timeoutMs: number
  },
  addresses: ReadonlyArray<string>,
  { ca, proxies }: ConnectionOptions,
  signal: AbortSignal
): Promise<SendResult> => {
  const url = new URL(text)
  const proxy = proxies === undefined ? undefined : proxyFor(proxies, url)
  const options = { timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) }
  const agent = new Agent({
    connect: proxy === undefined
      ? connectDirectly(addresses, options)
      : connectThroughProxy(url, proxy, addresses[0]!, options),
    allowH2: false,
    pipelining: 0
  })
  try {
    const response = await request(url, { method: "POST", headers: { ...headers }, body, dispatcher: agent, signal })
    const retryAfter = response.headers["retry-after"]
    await response.body.dump({ limit: maxBodyBytes, signal: AbortSignal.timeout(bodyTimeoutMs) }).catch(() => undefined)
    return {
      _tag: "Response",
      status: response.statusCode,
      retryAfter: typeof retryAfter === "string" ? retryAfter : null
    }
  } finally {
    void agent.destroy()
  }
}

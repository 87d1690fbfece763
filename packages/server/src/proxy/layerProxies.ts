import { Effect, Layer } from "effect"
import type { ProxySettings } from "./proxySettings.ts"

/** Loads the proxy client only if a proxy is set. */
export const loadProxies = Effect.promise(() => import("./proxyConnections.ts"))

const usesOf = ({ http, https }: ProxySettings): string =>
  [
    ...(https === undefined ? [] : [`https: and wss: addresses through ${https.origin} (HTTPS_PROXY)`]),
    ...(http === undefined ? [] : [`http: and ws: addresses through ${http.origin} (HTTP_PROXY)`])
  ].join(", ")

/** Sends every request of `fetch` through its proxy for as long as the layer lives. */
export const layerProxies = (proxies: ProxySettings | undefined): Layer.Layer<never> =>
  proxies === undefined
    ? Layer.empty
    : Layer.effectDiscard(Effect.gen(function*() {
      const { proxyFetch } = yield* loadProxies
      yield* proxyFetch(proxies)
      yield* Effect.logInfo(`Outgoing requests use proxies: ${usesOf(proxies)}`)
    }))

import { Effect, Layer } from "effect"
import type { ProxySettings } from "./proxySettings.ts"

/** The client of proxies is loaded only where a proxy is set. */
export const loadProxies = Effect.promise(() => import("./proxyConnections.ts"))

const originsOf = ({ http, https }: ProxySettings): string =>
  [...new Set([https, http].flatMap((proxy) => proxy === undefined ? [] : [proxy.origin]))].join(", ")

/** Sends every request of `fetch` through its proxy for as long as the layer lives. */
export const layerProxies = (proxies: ProxySettings | undefined): Layer.Layer<never> =>
  proxies === undefined
    ? Layer.empty
    : Layer.effectDiscard(Effect.gen(function*() {
      const { proxyFetch } = yield* loadProxies
      yield* proxyFetch(proxies)
      yield* Effect.logInfo(`Outgoing requests use the proxy ${originsOf(proxies)} (HTTPS_PROXY, HTTP_PROXY)`)
    }))

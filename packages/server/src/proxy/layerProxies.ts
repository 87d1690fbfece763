import { Effect, Layer } from "effect"
import type { OutboundProxySettings } from "./proxySettings.ts"

export const loadProxyConnections = Effect.promise(() => import("./proxyConnections.ts"))

const describeProxies = ({ http, https }: OutboundProxySettings): string =>
  [
    ...(https === undefined ? [] : [`https: and wss: addresses through ${https.origin} (HTTPS_PROXY)`]),
    ...(http === undefined ? [] : [`http: and ws: addresses through ${http.origin} (HTTP_PROXY)`])
  ].join(", ")

export const layerProxies = (proxies: OutboundProxySettings | undefined): Layer.Layer<never> =>
  proxies === undefined
    ? Layer.empty
    : Layer.effectDiscard(Effect.gen(function*() {
      const { installProxyDispatcher } = yield* loadProxyConnections
      yield* installProxyDispatcher(proxies)
      yield* Effect.logInfo(`Outgoing requests use proxies: ${describeProxies(proxies)}`)
    }))

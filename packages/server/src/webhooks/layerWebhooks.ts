import {
  type AdminStore,
  layerWebhookDeliveries,
  type SendResult,
  type WebhookDeliveryOptions,
  Webhooks,
  WebhookSender,
  type WebhookStore
} from "@tapeline/core"
import { Effect, Layer, Predicate } from "effect"
import type { HostPredicate } from "../proxy/noProxy.ts"
import type { OutboundProxySettings } from "../proxy/proxySettings.ts"
import { checkUrl, makeResolveHost, type ResolveHost, resolveReceiver } from "./receiver.ts"

export interface WebhookSenderOptions {
  readonly isPrivateAllowed: HostPredicate
  readonly proxies: OutboundProxySettings | undefined
  /** Resolves host names; `makeResolveHost` by default. */
  readonly resolve?: ResolveHost
  /** Certificates of authorities to trust instead of the default ones; used by tests. */
  readonly ca?: string
}

/** Loads the HTTP client on first use, because most servers have no webhook. */
const loadSendRequest = Effect.promise(() => import("./sendRequest.ts"))

/** Returns the code of an error. Other texts of an error may contain the URL. */
const toNoResponse = (error: unknown): SendResult => ({
  _tag: "NoResponse",
  error: Predicate.hasProperty(error, "code") && typeof error.code === "string" && /^\w{1,64}$/u.test(error.code)
    ? error.code
    : "failed"
})

/** Sends webhook messages over HTTP to addresses in the public internet, and to permitted private ones. */
export const layerWebhookSender = (
  { ca, isPrivateAllowed, proxies, resolve = makeResolveHost() }: WebhookSenderOptions
): Layer.Layer<WebhookSender> =>
  Layer.succeed(WebhookSender, {
    checkUrl: (url) => checkUrl(url, isPrivateAllowed),
    send: (request) =>
      Effect.flatMap(loadSendRequest, ({ sendRequest }) =>
        Effect.tryPromise({
          try: async (signal) =>
            sendRequest(
              request,
              await resolveReceiver(request.url, isPrivateAllowed, resolve),
              { ca, proxies },
              signal
            ),
          catch: toNoResponse
        }).pipe(
          Effect.timeoutOrElse({
            duration: request.timeoutMs,
            orElse: () => Effect.succeed<SendResult>({ _tag: "NoResponse", error: "timeout" })
          }),
          Effect.catch(Effect.succeed)
        ))
  })

/** Manages webhooks, and delivers recorded events to them. */
export const layerWebhooks = (
  settings: {
    readonly isPrivateWebhookAllowed: HostPredicate
    readonly outgoingProxies: OutboundProxySettings | undefined
  },
  options: WebhookDeliveryOptions = {}
): Layer.Layer<Webhooks, never, AdminStore | WebhookStore> =>
  Layer.merge(Webhooks.layer, layerWebhookDeliveries(options)).pipe(
    Layer.provide(layerWebhookSender({
      isPrivateAllowed: settings.isPrivateWebhookAllowed,
      proxies: settings.outgoingProxies
    }))
  )

import { Context, type Effect } from "effect"
import type { WebhookUrlProblem } from "./webhook.ts"

/** The response to an attempt, or the reason why the attempt received no response. */
export type SendResult =
  | { readonly _tag: "Response"; readonly status: number; readonly retryAfter: string | null }
  | { readonly _tag: "NoResponse"; readonly error: string }

/**
 * Sends webhook messages to the URLs of operators. An adapter must connect only to addresses that it has checked, so
 * that no request reaches a private network. An adapter follows no redirects and logs neither bodies nor queries.
 */
export class WebhookSender extends Context.Service<WebhookSender, {
  /** Returns why the service never sends to a URL, or null. Checks only the URL, and resolves no names. */
  readonly checkUrl: (url: string) => WebhookUrlProblem | null
  /** Sends one POST request, and waits at most `timeoutMs` for the status of the response. */
  readonly send: (request: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly timeoutMs: number
  }) => Effect.Effect<SendResult>
}>()("@tapeline/core/webhooks/WebhookSender") {}
